# twin STATE PATTERN [TOOL]...: the program $probe, which tells all of its own state, is run in this state, which a subshell takes on,
# by this tool: alone, and through hermes-exec with HOME kept and with a new home. Says whether the reports are the same but for the
# environment, and prints the lines that match.
twin() {
    local state=$1 pattern=$2 via told=()
    shift 2
    rm -rf "$home"
    for via in '' '--home real' '-p builder'; do
        : >"$dir/report"
        chmod 666 "$dir/report"
        (
            echo "$BASHPID" >"$dir/pid"
            eval "$state"
            exec "$@" ${via:+"$hermes_exec" $via --} "$probe" report "$dir/report" -- '' --help $'a b\n' $'\xff\xfe=\x01'
        ) </dev/null >"$dir/out" 2>"$dir/err" || echo "exit status $?"
        cat "$dir/out" "$dir/err"
        told+=("$(sed -E "s/^(pid|ppid|pgid|sid|tpgid): $(<"$dir/pid")$/\1: itself/; /^env: /d" "$dir/report")")
    done
    for via in 1 2; do
        [ "${told[0]}" = "${told[via]}" ] && echo same || diff <(echo "${told[0]}") <(echo "${told[via]}") | sed 's/^/  /'
    done
    grep -E -- "$pattern" <<<"${told[0]}"
}
