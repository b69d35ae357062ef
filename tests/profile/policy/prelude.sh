# The policy files of the profile and of the root, and one that --policy names.
policies="$profile/hermes-exec.json $root/hermes-exec.json $dir/work/named.json"

# stops COMMAND [as UID]: puts something in the place of each policy file, $file, by this command, and prints the message and the
# status of a start; then of others that read it, if they differ, and of one that does not. None waits for it.
stops() {
    local file named start first out put=$1
    shift
    [ "$#" != 0 ] || set -- env
    for file in $policies; do
        eval "$put"
        first=
        case $file in */named.json) named='--policy named.json' ;; *) named= ;; esac
        for start in 'touch created' --unlink '-n touch created' '--no-policy true'; do
            out=$("$@" timeout 60 "$hermes_exec" -p builder $named $start 2>&1 >/dev/null; echo "status $?")
            if [ "$out" = "$first" ]; then echo "$start: the same"; else echo "$start: $out"; fi
            first=${first:-$out}
        done
        rm -r "$file"
    done
}

# trusted as CALLER OWNER FILE…: starts as the caller, with everything of the owner, and each file, `UID:GID MODE`, in the place of
# each policy file; prints how often it is read, or refused with which message.
trusted() {
    local caller=$2 owner=$3 one ids mode file named
    chown -hR "$owner:$owner" "$dir"
    shift 3
    for one; do
        read -r ids mode <<<"$one"
        for file in $policies; do
            file "$file" '{"set": {"POLICY": "read"}}'
            chown "$ids" "$file" && chmod "$mode" "$file"
            case $file in */named.json) named="--policy $file" ;; *) named= ;; esac
            # HOME stays: the caller may not be one who can create the profile's home.
            HERMES_HOME=$root as "$caller" hermes-exec $named -p builder --home real printenv POLICY 2>&1 || echo "status $?"
            rm "$file"
        done | sed "s|$dir.*/[a-z-]*.json|FILE|; s/^/$one: /" | sort | uniq -c
    done
}
