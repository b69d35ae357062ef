# container as UID [NAME=VALUE]... WORDS: hermes-exec with these words, by this user, with HERMES_HOME=/opt/data and no HOME, in a
# mount namespace where $dir/data is /opt/data and $dir/passwd is /etc/passwd. Of root.
container() {
    local run=(setpriv --reuid="$2" --regid="$2" --clear-groups)
    run+=(/usr/bin/env -u _ -u SHLVL -u PWD -u OLDPWD -u HOME HERMES_HOME=/opt/data)
    shift 2
    while [[ $1 == [A-Z]*=* ]]; do run+=("$1") && shift; done
    unshare --mount -- sh -ec 'mount -t tmpfs -o mode=755 none /opt; mkdir /opt/data; mount --bind "$0/data" /opt/data
        mount --bind "$0/passwd" /etc/passwd; exec "$@"' "$dir" "${run[@]}" "$hermes_exec" "$@"
}
