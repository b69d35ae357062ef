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

# long-root LENGTH: a root in whose path the profile `builder` has so many bytes. No name in it has more than 255.
long-root() {
    local path=$dir/long missing
    while missing=$(($1 - 18 - ${#path} - 1)); ((missing > 0)); do
        ((missing <= 200)) || missing=$((missing < 400 ? missing / 2 : 200))
        path=$path/$(printf "%${missing}s" | tr ' ' d)
    done
    echo "$path"
}
