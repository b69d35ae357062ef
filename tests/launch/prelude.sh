# plain FILE: a script that is not executable.
plain() { file "$1" '#!/bin/sh\n'; }

# both [as UID] [-C DIR] COMMAND: what comes of `hermes-exec COMMAND` and its exit status when it is not 0, in one line when it
# is an error of ours. On Linux `env COMMAND` has to end and print the same, or "env: …" says what comes of it.
both() {
    local run=(/usr/bin/env -u _ -u SHLVL -u PWD -u OLDPWD -u ANTHROPIC_API_KEY) in=() ours theirs status
    [ "$1" != as ] || { run=(/usr/bin/setpriv --reuid="$2" --regid="$2" --clear-groups "${run[@]}") && shift 2; }
    [ "$1" != -C ] || { in=(-C "$2") && shift 2; }
    ours=$("${run[@]}" "$hermes_exec" "${in[@]}" -- "$@" 2>&1) && status= || status="exit status $?: "
    ours=$status$ours
    printf '%s\n' "$ours"
    [[ $OSTYPE == linux* ]] || return 0
    theirs=$("${run[@]}" /usr/bin/env "${in[@]}" -- "$@" 2>&1) && status= || status="exit status $?: "
    case $status$theirs in
        # An error of its own has other words.
        "$ours" | "${ours%%: hermes-exec: *}: /usr/bin/env: "*) ;;
        *) printf 'env: %s\n' "$status$theirs" ;;
    esac
}

# identity FILE: its device and inode, as DEVICE:INODE.
identity() { stat -c %d:%i "$1" 2>/dev/null || stat -f %d:%i "$1"; }
