# What the pages of --doctor use. No key is in the environment, which would count as a login of Claude Code. `mod.rs` plays some
# pages for another user, too, whose id is in $who, and who has no sudo.
unset ANTHROPIC_API_KEY
doctor=$hermes_exec owner=$who
[ -z "$who" ] || doctor=$dir/tools/hermes-exec

# sound: nothing is wrong: a user who is logged in to Claude Code, the profile `builder`, used before, and on PATH what cures call:
# hermes-exec, and stand-ins for `hermes`, `claude` and `sudo`.
sound() {
    log-in "$real"
    mkdir "$dir/tools"
    if [ -z "$who" ]; then ln -s "$hermes_exec" "$dir/tools/hermes-exec"; else cp "$hermes_exec" "$dir/tools/hermes-exec"; fi
    [ -n "$who" ] || script "$dir/tools/sudo" '#!/bin/sh\nexec "$@"\n'
    # `hermes -p default profile use NAME` and `... create NAME`, which is how the real one does it (`tests/field`).
    script "$dir/tools/hermes" '#!/bin/sh\nset -e\ncd "${HERMES_HOME:-$HOME/.hermes}"\ncase $4 in
use) echo "$5" >active_profile ;;\ncreate) mkdir -p "profiles/$5"; rm -f "profiles/.deleted/$5" ;;\n*) exit 9 ;;\nesac\n'
    # `claude auth login` leaves a login behind.
    script "$dir/tools/claude" '#!/bin/sh\n[ "$*" != "auth login" ] ||
echo "{\\"claudeAiOauth\\": {\\"refreshToken\\": \\"made-up\\"}}" >"$HOME/.claude/.credentials.json"\n'
    PATH=$dir/tools:$PATH
    hermes-exec -p builder true
}

# as UID FUNCTION: the functions below, as this user.
eval "started_$(declare -f as)"
as() {
    case $2 in
    asked | unwell | said | cures) who=$1 "${@:2}" ;;
    *) started_as "$@" ;;
    esac
}

# asked SCRIPT OPTION…: the whole report, from a shell that has done the script before, with PATH from $path if that is set. Its status is 1 only if there is a problem.
asked() {
    local script=$1 report status=0 problems=0
    shift
    [ -z "$owner" ] || chown -R "$owner:$owner" "$dir"
    report=$(${who:+started_as "$who"} sh -c "${path:+PATH=$path}
$script
exec \"\$0\" --doctor \"\$@\"" "$doctor" "$@") || status=$?
    [[ $'\n'$report != *$'\nproblem '* ]] || problems=1
    [ "$status" = "$problems" ] || echo "exits with $status"
    echo "$report"
}

# only PATTERN: of a report, the checks whose first line has this pattern.
only() { awk -v pattern="$1" '/^[^ ]/ { show = $0 ~ pattern } show { all = 1; print } END { if (!all) print "nothing" }'; }

# not-ok: of a report, what is not ok. What is said of the seal, and of the environment in /proc, depends on the system.
not-ok() {
    awk '/^[^ ]/ { show = /^(fails|exits|note|warning|problem) / && $2 != "seal:" && $2 != "parent-environ:" }
        show { all = 1; print } END { if (!all) print "nothing" }'
}

# unwell OPTION…: what is not ok of the profile `builder`, or where the options say so, of another.
unwell() { asked '' $builder "$@" | not-ok; }
builder='-p builder'

# said CHECK OPTION…: what a check says, ok or not.
said() { asked '' $builder "${@:2}" | only "^[a-z]* *$1: "; }

# cures OPTION…: what is not ok, and what is not after each cure was pasted, twice, by who asks.
cures() {
    local report cure pasted=
    report=$(unwell "$@")
    echo "$report"
    while read -r cure; do
        [ -z "$cure" ] || pasted+="{ $cure; } >/dev/null 2>&1 || echo fails: $(printf %q "$cure")
{ $cure; } >/dev/null 2>&1
"
    done <<<"$(sed -n 's/^ *cure: //p' <<<"$report" | sort -u)"
    echo "cured: $(asked "$pasted" $builder "$@" | not-ok)"
}

# precious: where the files with the user's own text are.
precious() { (cd "$dir" && grep -rlx precious . | sed 's,^\./,,; s,^real,~,' | sort); }

# The usual place of shims. write-shims DIR: there for `mytool` and `other`; name-shims FILE: in a start file.
shims=$real/.local/lib/hermes-shims
write-shims() { for tool in mytool other; do hermes-exec -p builder --keep "A'B" --shims "$1" $tool; done; }
name-shims() { file "$1" ". $shims/.path.sh\n"; }

# agent PLACE: a venv with Hermes in it, whose interpreter is CPython 3.11 by its name. checked PLACE: `unwell`, where a marker
# names it if it is not in the root.
agent() {
    script "$dir/system/bin/python3.11" '#!/bin/sh\n'
    link "$dir/system/bin/python3.11" "$1/bin/python"
    link python "$1/bin/python3"
    script "$1/bin/hermes" '#!/bin/sh\nfrom hermes_cli.main import main\n'
    file "$1/pyvenv.cfg" 'home = /system/bin\nversion_info = 3.11.2\n'
    file "$1/lib/python3.11/site-packages/hermes_agent-1.0.dist-info/METADATA"
    file "$1/lib/python3.11/site-packages/__editable__.hermes_agent-1.0.pth"
}
venv=$root/hermes-agent/venv
agents="$venv $root/hermes-agent/.venv $dir/agent/venv"

# log-in HOME: to Claude Code. with-claude COMMAND: with `claude` on PATH, and without it.
log-in() {
    file "$1/.claude/.credentials.json" '{"claudeAiOauth": {"accessToken": "made-up", "refreshToken": "made-up", "expiresAt": 1}}'
    file "$1/.claude.json" {}
}
with-claude() {
    good "$dir/with-claude/claude"
    PATH=$dir/with-claude:/usr/bin:/bin "$@"
    PATH=/no/where:/usr/bin:/bin "$@"
}

# all OPTION…: `--doctor --all`, from a shell that was started without credentials. leave-out-system: without what depends on the system.
all() { sh -c 'hermes-exec --doctor --all "$@"; exit $?' sh "$@"; }
leave-out-system() { awk '/^[^ ]/ || /^$/ { drop = $2 == "seal:" || $2 == "parent-environ:" } !drop'; }

# in-order: of a check that lists names, the names in alphabetical order, whatever order a shell gives them in.
in-order() { awk -F 'otherwise: ' 'NF == 1 { print; next } { n = split($2, names, ", "); for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (names[j] < names[i]) { name = names[i]; names[i] = names[j]; names[j] = name } text = names[1]; for (i = 2; i <= n; i++) text = text ", " names[i]; print $1 FS text }'; }
