# What the commands of a page may use, beside $dir, $real, $root, $profile, $home, $hermes_exec and $tools. `env` takes away what
# bash adds to the environment.
hermes-exec() { /usr/bin/env -u _ -u SHLVL -u PWD -u OLDPWD "$hermes_exec" "$@"; }

# as UID COMMAND: as this user and group, without other groups. Of root, on Linux.
as() {
    local id=$1 program=$2
    shift 2
    [ "$program" != hermes-exec ] || program=$hermes_exec
    setpriv --reuid="$id" --regid="$id" --clear-groups /usr/bin/env -u _ -u SHLVL -u PWD -u OLDPWD "$program" "$@"
}

# file FILE [TEXT], script FILE TEXT: with the directories above it. `\n` in a text is a line's end.
file() { mkdir -p "$(dirname "$1")" && printf '%b' "${2-}" >"$1"; }
script() { file "$@" && chmod 755 "$1"; }

# good FILE: a program that prints its name and arguments.
good() { local file; for file; do script "$file" '#!/bin/sh\nset -- good "$0" "$@"\necho "$*"\n'; done; }

# link TEXT FILE: a symlink, with the directories above it.
link() { mkdir -p "$(dirname "$2")" && ln -s "$1" "$2"; }
