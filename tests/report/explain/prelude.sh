# section TITLE: of a report, the lines of this section.
section() { awk -v title="$1" '/^[A-Z]/ { show = $1 == title } show'; }

# small-agent: Hermes' own venv in /box/agent/venv, by its bin/hermes; its `bin` is first on the PATH of `marked COMMAND`, which has its marker.
small-agent() { good "$dir"/agent/venv/bin/{hermes,python3}; file "$dir/agent/venv/pyvenv.cfg"; }
marked() { VIRTUAL_ENV=$dir/agent/venv PATH=$dir/agent/venv/bin:/usr/bin:/bin "$@"; }

# with NAME=VALUE… hermes-exec WORD…: with these variables in this order, whatever the shell is.
with() { /usr/bin/env -u _ -u SHLVL -u PWD -u OLDPWD "${@/#hermes-exec/$hermes_exec}"; }

# fails WORD…: a run that fails, with PATH from $path if that is set: its status and error; which sections -n knows all the same; status
# and parts of --json. It is told when -n does not say the same, or changes a file, or shows the value `canary`.
fails() {
    local said status before text json message
    before=$(stamps)
    text=$(with-path -n "$@" 2>/dev/null)
    json=$(with-path -n --json "$@" 2>/dev/null)
    message=$(sed -n 's/^    "message": "\(.*\)",*$/\1/p' <<<"$json")
    said=$(with-path -n "$@" 2>&1 >/dev/null) || said+=$'\n'"status $?"
    [ "$before" = "$(stamps)" ] || echo '-n has an effect'
    status=$(with-path "$@" 2>&1) || status+=$'\n'"status $?"
    [ "$status" = "$said" ] || echo "-n says: $said"
    [[ $status == *"$message"* ]] || echo "--json says: $message"
    [[ $text$json != *canary* ]] || echo 'a value is shown'
    echo "$status" | grep -v '^hermes-exec: hint: '
    text=$(sed -n 's/^\([A-Z][A-Za-z]*\) .*/\1/p' <<<"$text" | xargs)
    json=$(grep -E '^  "(profile|home|command|variables)": [{[]$|^    "status": [0-9]+' <<<"$json" | tr -cd 'a-z0-9 \n' | xargs)
    echo "  -n: ${text:-nothing}"
    echo "  --json: ${json:-nothing}"
}
with-path() { PATH=${path-$PATH} hermes-exec "$@"; }
