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

# sources: a real home with something at every one of the $places that can be shared; share-all shares them all.
places='Library/Keychains Library/Preferences/com.apple.security.plist .claude .claude.json .config/gh .gitconfig'
sources() {
    file "$real/Library/Keychains/login.keychain-db" keys
    file "$real/Library/Preferences/com.apple.security.plist" '<plist/>'
    file "$real/.claude/.credentials.json" {}
    file "$real/.claude.json" {}
    file "$real/.config/gh/hosts.yml" hosts
    file "$real/.gitconfig" '[user]\n'
}
share-all() { hermes-exec -p builder --share .config/gh --share=.gitconfig "$@"; }

# linked, links: the symlinks in the profile's home, their names in a line, or one in a line with its text.
linked() { (cd "$home" && find . -type l | sed 's,^\./,,' | LC_ALL=C sort | xargs); }
links() { (cd "$home" && for link in $(linked); do echo "$link -> $(readlink "$link")"; done); }

# findings COMMAND: what it warns of, without the path of the profile's home.
findings() {
    local said
    said=$("$@" 2>&1 >/dev/null) || echo "? $?"
    echo "$said" | sed -n "s,$home/,,g; s/^hermes-exec: warning: //p"
}

# written COMMAND: does it, and prints which entries below $dir got another inode, mode or time, even with the same text.
written() {
    local before status=0
    before=$(stamps)
    "$@" || status=$?
    diff <(echo "$before") <(stamps) | sed -n 's/^[<>] \([^ ]*\) .*/\1/p' | sort -u | grep . || echo nothing
    return $status
}
stamps() {
    find "$dir" -exec stat -c '%n %i %f %.9Y %.9Z' {} + 2>/dev/null || find "$dir" -exec stat -f '%N %i %p %Fm %Fc' {} +
}

# long-root LENGTH: a root in whose path the profile `builder` has so many bytes. No name in it has more than 255.
long-root() {
    local path=$dir/long missing
    while missing=$(($1 - 18 - ${#path} - 1)); ((missing > 0)); do
        ((missing <= 200)) || missing=$((missing < 400 ? missing / 2 : 200))
        path=$path/$(printf "%${missing}s" | tr ' ' d)
    done
    echo "$path"
}
