# What the commands of a page may use, beside $dir, $real, $root, $profile, $home, $hermes_exec, $source, $tools and $cargo.
# `env` takes away what bash adds to the environment.
hermes-exec() { /usr/bin/env -u _ -u SHLVL -u PWD -u OLDPWD "$hermes_exec" "$@"; }

# as UID COMMAND: as this user and group, without other groups. Of root, on Linux.
as() {
    local id=$1 program=$2
    shift 2
    [ "$program" != hermes-exec ] || program=$hermes_exec
    setpriv --reuid="$id" --regid="$id" --clear-groups /usr/bin/env -u _ -u SHLVL -u PWD -u OLDPWD "$program" "$@"
}

# above FILE: creates the directories above it. Pages do it thousands of times, so no other program does what bash can do.
above() { [[ $1 != */* || -d ${1%/*}/ ]] || mkdir -p "${1%/*}"; }

# file FILE [TEXT], script FILE TEXT: with the directories above it. `\n` in a text is a line's end.
file() { above "$1" && printf '%b' "${2-}" >"$1"; }
script() { file "$@" && chmod 755 "$1"; }

# good FILE: a program that prints its name and arguments.
good() { local file; for file; do script "$file" '#!/bin/sh\nset -- good "$0" "$@"\necho "$*"\n'; done; }

# link TEXT FILE: a symlink, with the directories above it.
link() { above "$2" && ln -s "$1" "$2"; }

# What is in /box/tools comes first on PATH.
[ ! -d "$dir/tools" ] || PATH=$dir/tools:$PATH

# keyless COMMAND: without the planted key, which counts as a login of Claude Code.
keyless() { (unset ANTHROPIC_API_KEY && "$@"); }

# linked, links: the symlinks in the profile's home, their names in a line, or one in a line with its text.
linked() {
    local link all=
    for link in $(cd "$home" && find . -type l | LC_ALL=C sort); do all+=" ${link#./}"; done
    echo "${all# }"
}
links() { (cd "$home" && for link in $(linked); do echo "$link -> $(readlink "$link")"; done); }

# findings COMMAND: what it prints, and then what hermes-exec warns of, without the path of the profile's home.
findings() {
    local said line
    { said=$("$@" 2>&1 >&3) || echo "? $?"; } 3>&1
    while read -r line; do
        [[ $line != 'hermes-exec: warning: '* ]] || echo "${line#hermes-exec: warning: }"
    done <<<"${said//"$home/"/}"
}

# written COMMAND: does it, and prints which entries below $dir got another inode, mode or time, even with the same text.
written() {
    local before status=0
    before=$(stamps)
    "$@" || status=$?
    { echo "$before"; stamps; } | awk '{ seen[$0]++; name[$0] = $1 } END { for (line in seen) if (seen[line] == 1) print name[line] }' |
        sort -u | grep . || echo nothing
    return $status
}
stamps() {
    find "${1-$dir}" -printf '%p %i %y %m %T@ %C@\n' 2>/dev/null || find "${1-$dir}" -exec stat -f '%N %i %p %Fm %Fc' {} +
}

# mounted SCRIPT [COMMAND]: does both in a mount namespace of its own, as root, with these places and $user; what is mounted there is
# gone afterwards. The command follows only if all of the script succeeds.
mounted() {
    local script=$1
    shift
    [ $# -eq 0 ] || script="set -e; $script"$'\n''"$@"'
    unshare --mount --propagation private bash -c "$(declare -p dir real root profile home hermes_exec user 2>/dev/null); $(declare -f)
$script" bash "$@"
}

# block HEADING [N]: the (Nth) block below this heading of the README.
block() {
    awk -v heading="$1" -v number="${2-1}" '
        /^```/ { open = !open; if (open && here) { count++ }; next }
        open { if (here && count == number) { print }; next }
        /^#/ { sub(/^#+ /, ""); here = $0 == heading; count = 0 }' "$source/README.md"
}
