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

# file FILE [TEXT], script FILE TEXT: with the directories above it. `\n` in a text is a line's end.
file() { mkdir -p "$(dirname "$1")" && printf '%b' "${2-}" >"$1"; }
script() { file "$@" && chmod 755 "$1"; }

# good FILE: a program that prints its name and arguments.
good() { local file; for file; do script "$file" '#!/bin/sh\nset -- good "$0" "$@"\necho "$*"\n'; done; }

# link TEXT FILE: a symlink, with the directories above it.
link() { mkdir -p "$(dirname "$2")" && ln -s "$1" "$2"; }

# What is in /box/tools comes first on PATH.
[ ! -d "$dir/tools" ] || PATH=$dir/tools:$PATH

# tools NAME…: puts hermes-exec and these foreign tools there. Claude Code sends no telemetry.
tools() {
    local name place
    mkdir -p "$dir/tools/quiet" && ln -sf "$hermes_exec" "$dir/tools/hermes-exec"
    for name; do
        for place in "$tools"/{uv,pipx,nox,virtualenv,hermes-agent}/bin "$tools/npm/node_modules/.bin" /usr/bin; do
            [ ! -e "$place/$name" ] || break
        done
        ln -s "$place/$name" "$dir/tools/$name"
    done
    [ ! -L "$dir/tools/claude" ] || {
        mv "$dir/tools/claude" "$dir/tools/quiet"
        script "$dir/tools/claude" '#!/bin/sh\nCLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 exec "${0%/*}/quiet/claude" "$@"\n'
    }
    PATH=$dir/tools:${PATH#"$dir/tools:"}
}

# keyless COMMAND: without the planted key, which counts as a login of Claude Code.
keyless() { (unset ANTHROPIC_API_KEY && "$@"); }

# log_in: the user is logged in to Claude Code, without asking anybody, until the year 2100.
log_in() {
    local login='"accessToken":"sk-ant-oat01-made-up","refreshToken":"sk-ant-ort01-made-up","expiresAt":4102444800000'
    file "$real/.claude/.credentials.json" "{\"claudeAiOauth\":{$login,\"scopes\":[\"user:inference\",\"user:profile\"],\"subscriptionType\":\"max\"}}"
    file "$real/.claude.json" '{"numStartups":1}\n'
}

# model COMMAND [CALL…]: does this while a made-up model answers at $url, which calls these tools; what it was asked is in
# /box/model.log.
model() {
    python3 "$source/tests/field/models.py" "$dir/model.log" "${@:2}" >"$dir/port" &
    local server=$!
    until [ -s "$dir/port" ]; do sleep 0.02; done
    url=http://127.0.0.1:$(cat "$dir/port")
    eval "$1"
    kill "$server"
    : >"$dir/port"
}

# wheel NAME…: puts a wheel into the working directory, with one module of that name and a command that says its name.
wheel() {
    python3 - "$@" <<'CODE'
import sys, zipfile
for name in sys.argv[1:]:
    info = f'{name}-1.0.dist-info/'
    files = {
        f'{name}.py': f'def main(): print({name!r})\n',
        info + 'METADATA': f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n',
        info + 'WHEEL': 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        info + 'entry_points.txt': f'[console_scripts]\n{name} = {name}:main\n',
    }
    files[info + 'RECORD'] = ''.join(f'{file},,\n' for file in [*files, info + 'RECORD'])
    with zipfile.ZipFile(f'{name}-1.0-py3-none-any.whl', 'w') as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
CODE
}

# Hermes' own venv, where its installer puts it, or at `agent PLACE`, which only its markers tell.
venv=$root/hermes-agent/venv
[ ! -d "$dir/agent" ] || venv=$dir/agent/venv

# agent [PLACE]: a venv of Hermes' that works, with `bin/hermes` and the distribution hermes-agent.
agent() {
    local info packages
    venv=${1-$venv}
    python3 -m venv --without-pip "$venv"
    packages=$(echo "$venv"/lib/python3.*/site-packages)
    info=$packages/hermes_agent-1.0.dist-info
    script "$venv/bin/hermes" '#!/bin/sh\necho hermes\n'
    file "$packages/hermes_agent/__init__.py"
    file "$info/METADATA" 'Metadata-Version: 2.1\nName: hermes-agent\nVersion: 1.0\n'
    file "$info/RECORD" '../../../bin/hermes,,\nhermes_agent/__init__.py,,\nhermes_agent-1.0.dist-info/METADATA,,\nhermes_agent-1.0.dist-info/RECORD,,\n'
    inside >"$dir/venv-before"
}
inside() { (cd "$venv" && find . -type f -exec sha256sum {} + -o -printf '%p %y %l\n' && find . -printf '%p %m %U:%G\n') | sort; }

# intact: whether that venv is what it was, byte for byte.
intact() { if inside | cmp -s - "$dir/venv-before"; then echo intact; else echo damaged; fi; }

# leaked COMMAND: as an agent's tool starts it, with the venv's markers, its `bin` first on PATH, and no network.
leaked() { VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH UV_OFFLINE=1 UV_CACHE_DIR=$dir/uv-cache "$@"; }

# project: the working directory is one for uv, which has nothing to build and nothing to install.
project() { file "$dir/work/pyproject.toml" '[project]\nname = "project"\nversion = "1.0"\nrequires-python = ">=3.8"\ndependencies = []\n[tool.uv]\npackage = false\n'; }

# cure TEXT OPTION…: pastes the first cure that the doctor names at or after a line with this text.
cure() {
    local text=$1
    shift
    sh -c "$(hermes-exec "$@" --doctor | sed -n "/$text/,\$ s/^ *cure: //p" | head -n 1)"
}

# terminal COMMAND: prints what the terminal of an agent of Hermes does, both streams, in the working directory and the profile of
# HERMES_HOME, with Hermes' own Python.
terminal() {
    mkdir -p "$home"
    HERMES_HOME=${HERMES_HOME-$profile} ${python-$tools/hermes-agent/bin/python} -c '
import sys
from tools.environments.local import LocalEnvironment
ended = LocalEnvironment(cwd=sys.argv[1], timeout=60).execute(sys.argv[2])
print(ended["output"], end="")
sys.exit(ended["returncode"])' "$PWD" "$1"
}

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

# findings COMMAND: what it prints, and then what hermes-exec warns of, without the path of the profile's home.
findings() {
    local said
    { said=$("$@" 2>&1 >&3) || echo "? $?"; } 3>&1
    echo "$said" | sed -n "s,$home/,,g; s/^hermes-exec: warning: //p"
}

# written COMMAND: does it, and prints which entries below $dir got another inode, mode or time, even with the same text.
written() {
    local before status=0
    before=$(stamps)
    "$@" || status=$?
    { echo "$before"; stamps; } | sort | uniq -u | sed 's/ .*//' | sort -u | grep . || echo nothing
    return $status
}
stamps() {
    find "${1-$dir}" -exec stat -c '%n %i %f %.9Y %.9Z' {} + 2>/dev/null || find "${1-$dir}" -exec stat -f '%N %i %p %Fm %Fc' {} +
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
