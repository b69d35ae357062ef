repository=${here%/tests/dist/packages}
# dpkg looks for its helpers there.
PATH=$PATH:/usr/sbin:/sbin

# packed DIR END: the one file in this directory below `target` whose name ends so.
packed() {
    local all=("$repository/target/$1"/*"$2")
    echo "${all[@]}"
    [ "${#all[@]}" = 1 ] && [ -e "${all[0]}" ]
}

# installed DIR: each file below this directory with its mode, and with the file of the repository that it is, before it was
# compressed, or `-`. What was packed is what all the tests start.
installed() {
    local file source origin
    (cd "$1" && find . -type f | LC_ALL=C sort) | while read -r file; do
        case $file in
            *.gz) gzip -dc "$1/$file" ;;
            *) cat "$1/$file" ;;
        esac >"$dir/contents"
        origin=-
        ! cmp -s "$dir/contents" "$hermes_exec" || origin=hermes-exec
        for source in "$repository"/{man/*,completions/*,README.md,LICENSE}; do
            ! cmp -s "$dir/contents" "$source" || origin=${source#"$repository/"}
        done
        echo "$(stat -c %a "$1/$file") ${file#./} $origin"
    done
}

# alone ROOT PROGRAM: it says its version where there is nothing else at all: it needs no library and no loader.
alone() { cmp <(chroot "$1" "$2" --version) <("$hermes_exec" --version) && echo the same version; }
