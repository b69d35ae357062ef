# The user of whom everything is; a seal is nothing for root, which the kernel lets through in part.
user=10300
secrets='.env auth.json state.db state.db-wal state.db-shm state.db-journal'
hermes_dirs="$root $profile $root/profiles/other"

# full: a root with secrets, the profiles `builder` and `other` with theirs, and much beside them, all the user's.
full() {
    local of name
    for of in $hermes_dirs; do mkdir -p "$of/skills/one" "$of/logs"; done
    mkdir -p "$home" "$real/projects/one" "$real/bin"
    for of in $hermes_dirs; do
        for name in $secrets; do file "$of/$name" "secret of $of/$name\n"; done
        file "$of/config.yaml" 'model: x\n'
        file "$of/state" 'no database\n'
        file "$of/skills/one/SKILL.md" 'a skill\n'
        file "$of/logs/.env" 'not in the profile itself\n'
        link .env "$of/link to .env"
    done
    file "$home/.profile" '# nothing\n'
    file "$real/.gitconfig" '[user]\n'
    file "$real/.env" 'of the user, not of Hermes\n'
    file "$real/projects/one/main.c" 'int main;\n'
    file "$real/an odd name
" 'odd\n'
    script "$real/bin/tool" '#!/bin/sh\necho tool\n'
    script "$real/tool" '#!/bin/sh\necho tool at home\n'
    file "$dir/work/main.c" 'int main;\n'
    [ ! -e "$peek" ] || cp "$peek" "$dir/peek"
    theirs
}

# theirs: gives everything to the user.
theirs() { chown -hR "$user:$user" "$dir"; }

# readable as user FILE…: which of these files, below /box, a command of the user's can read without a seal, and which with
# --seal=files; with $options.
readable() {
    local level
    shift 2
    for level in off files; do
        printf '%s:' "$level"
        as "$user" hermes-exec -p builder $options --seal=$level -- sh -c '
            for file; do cat "$0/$file" >/dev/null 2>&1 && printf " %s" "$file"; done; echo' "$dir" "$@"
    done
}

# plan as user KEYS OPTION…: what --explain --json says of the seal under these keys.
plan() {
    local keys=$3
    shift 3
    as "$user" hermes-exec --explain --json "$@" -- true | python3 -c '
import json, sys
seal = json.load(sys.stdin)["seal"]
for key in sys.argv[1].split():
    value = seal[key]
    if key == "limits":
        # Which descriptors the tests themselves have open does not matter.
        value = [limit for limit in value if not limit.startswith("descriptor ")]
    print(key + ":", json.dumps(value))' "$keys"
}

# Creates files and a directory beside secret files, and moves and links one there.
beside='for dir in "$HERMES_REAL_HOME" "$HERMES_REAL_HOME/.hermes" "$HERMES_HOME"; do
    echo text >"$dir/new" && cat "$dir/new"
    mkdir "$dir/new dir"; echo text >"$dir/new dir/x" && cat "$dir/new dir/x"
    echo text >moved; mv moved "$dir/moved" && cat "$dir/moved"
    ln main.c "$dir/hard" && cat "$dir/hard"
done'
