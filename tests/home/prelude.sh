# long-root LENGTH: a root in whose path the profile `builder` has so many bytes. No name in it has more than 255.
long-root() {
    local path=$dir/long missing
    while missing=$(($1 - 18 - ${#path} - 1)); ((missing > 0)); do
        ((missing <= 200)) || missing=$((missing < 400 ? missing / 2 : 200))
        path=$path/$(printf "%${missing}s" | tr ' ' d)
    done
    echo "$path"
}
