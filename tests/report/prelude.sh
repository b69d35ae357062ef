# started NAMES WORD…: hermes-exec with these words, with x in these variables, in this order, without the planted key, and PATH /box/bin:
# what it says, and which of the variables the command got.
started() {
    local names=$1 said
    shift
    said=$(/usr/bin/env -u ANTHROPIC_API_KEY PATH="$dir/bin" $(printf ' %s=x' $names | sed 's/ =x$//') "$hermes_exec" "$@" 2>&1) || echo "? $?"
    echo "$said" | grep -e '^hermes-exec: ' $(printf -- ' -e ^%s=x$' $names) || echo nothing
}
