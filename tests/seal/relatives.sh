# Starts a sibling, waits until it has its environment, then, from a shell of its own, the command with the process ids of
# parent, grandparent and sibling.
STARTED=yes sleep 600 >/dev/null 2>&1 &
sibling=$!
until grep -qa STARTED=yes "/proc/$sibling/environ"; do :; done
sh -c 'grandparent=$1 sibling=$2; shift 2; "$@" "$$" "$grandparent" "$sibling"; :' sh "$$" "$sibling" "$@"
kill "$sibling"
