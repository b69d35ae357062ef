# users: a real home of uid 10000 and group 10001, with sources of Claude Code and gh; `login` is root's own. give FILE gives more.
users() {
    mkdir -p "$real/.claude" "$real/.config/gh" "$dir/login/.claude"
    file "$real/.claude.json" {}
    file "$dir/login/.claude.json" {}
    give "$dir"
}
give() { chown -R 10000:10001 "$@"; }

# $start: a start there; by-root: the same by root with root's own login as HOME.
start='hermes-exec -v -p builder --share .config/gh'
by-root() { HOME=$dir/login HERMES_HOME=$root hermes-exec -v -p builder --share .config/gh "$@"; }

# without CAPABILITY COMMAND: by root in a container that was started with `--cap-drop=CAPABILITY`.
without() {
    local capability=$1
    shift
    HOME=$dir/login HERMES_HOME=$root setpriv --inh-caps="-$capability" --bounding-set="-$capability" \
        "$hermes_exec" -v -p builder --share .config/gh "$@"
}
