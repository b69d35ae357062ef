# starts [as UID] LINE…: does each line, `NAME=value … --option …`, and prints with it what the command sees of the variables in
# $show, `-` for one that it does not see, or the status and the error without its hint. What else is on standard error is printed,
# too.
starts() {
    local line as=()
    [ "$1" != as ] || { as=("$1" "$2") && shift 2; }
    for line; do
        (
            eval "set -- $line"
            while [[ ${1-} == [!-]*=* ]]; do export "$1" && shift; done
            see='for name; do eval "printf \" %s\" \"\${$name--}\""; done; echo'
            if out=$("${as[@]}" hermes-exec "$@" -- sh -c "$see" sh ${show-HOME} 2>&1); then status=; else status=" $?:"; fi
            printf '%s =>%s%s\n' "$line" "$status" "$(sed '/^hermes-exec: hint: /d; s/^hermes-exec: / /' <<<"$out")"
        )
    done
}
