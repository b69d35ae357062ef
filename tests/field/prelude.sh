# What the tests with foreign tools use.

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
inside() { (cd "$venv" && find . -type d -printf '%p %m %U:%G\n' -o -printf '%p %y %l %s %T@ %m %U:%G\n') | sort; }

# intact: whether that venv is what it was, with no file added, gone or written to.
intact() { if inside | cmp -s - "$dir/venv-before"; then echo intact; else echo damaged; fi; }

# from-wheels VENV PACKAGE…: installs them there as tests/field/layouts does. venvs-with-pip VENV…: makes such venvs.
from-wheels() {
    UV_OFFLINE=1 UV_NO_INDEX=1 UV_FIND_LINKS=$tools/wheels UV_CACHE_DIR=$tools/uv-cache "$tools/uv/bin/uv" pip install -q --python "$@"
}
venvs-with-pip() { local venv; for venv; do python3 -m venv --without-pip "$venv" && from-wheels "$venv" pip; done; }

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

# Where an interpreter belongs: python3 -c "$prefix".
prefix='import sys; print(sys.prefix)'

# has VENV MODULE: whether it is installed there.
has() { if ls "$1"/lib/python3.*/site-packages/"$2".py >/dev/null 2>&1; then echo "$2"; else echo "no $2"; fi; }

# offline COMMAND: pip and virtualenv without a network.
offline() { VIRTUALENV_NO_PERIODIC_UPDATE=1 PIP_NO_INDEX=1 PIP_NO_CACHE_DIR=1 "$@"; }

# said PATTERN COMMAND: of its messages only what matches.
said() {
    local pattern=$1 status
    shift
    {
        "$@" 2>&1 >&3 | grep -oE "$pattern" | sort -u >&2
        status=${PIPESTATUS[0]}
    } 3>&1
    return "$status"
}

# redirected COMMAND: with HOME redirected to the home of the profile `builder`, and nothing else done.
redirected() { mkdir -p "$home" && HOME=$home "$@"; }

# sharing ITEM COMMAND: as the profile `builder`, with one more item shared.
sharing() {
    local item=$1
    shift
    hermes-exec -p builder --share "$item" -- "$@"
}

# repository: creates one at /box/work/project, of somebody, with one commit.
repository() {
    mkdir -p "$dir/work/project" && cd "$dir/work/project" && touch a b
    git init -q && git config user.name x && git config user.email x@example.org
    git add a && git commit -q -m one
}

# hermes_starts: whether Hermes still could, from its venv.
hermes_starts() { if "$venv/bin/hermes" && ls "$venv"/lib/python3.*/site-packages/hermes_agent/__init__.py; then echo starts; else echo damaged; fi 2>&1 | tail -n 1; }

# networkless COMMAND: gh, git and npm without a way to the network, and without a question.
networkless() {
    HTTPS_PROXY=http://127.0.0.1:1 GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 GH_NO_UPDATE_NOTIFIER=1 GH_PROMPT_DISABLED=1 \
        npm_config_offline=true npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false "$@"
}

# with_agent COMMAND: while an agent of ssh has /box/work/key, and nobody else. It is ended by the variable that names its process.
with_agent() {
    local status=0
    eval "$(TMPDIR=$dir ssh-agent)" >/dev/null
    ssh-add -q "$dir/work/key" && mv "$dir/work/key" "$dir/saved"
    "$@" || status=$?
    mv "$dir/saved" "$dir/work/key"
    hermes-exec -- ssh-agent -k >/dev/null || echo 'the agent goes on'
    return $status
}

# $gpg: without a question.
gpg='gpg --batch --quiet --no-tty --pinentry-mode loopback --passphrase='

# rust COMMAND: with the user's rustup first on PATH.
rust() { PATH=$real/.cargo/bin:$PATH "$@"; }

# For `mounted`: the passwd, shadow and sudoers of the scene.
etc="for name in passwd shadow sudoers; do mount --bind '$dir/etc'/\$name /etc/\$name; done"

# asks CALL OPTION… -- ARGUMENT…: `hermes-exec OPTION… -- ARGUMENT…` of the user while a made-up model makes this call, with a secret
# in the environment.
asks() {
    local call=$1
    shift
    model "ANTHROPIC_BASE_URL=\$url SHELL=/bin/bash MY_TOKEN=sk-ant-a-secret-of-hermes DISABLE_AUTOUPDATER=1 \
        $dir/for-all-mounted hermes-exec $(printf '%q ' "$@") </dev/null || echo failed" "$call"
}

# ask blocked|markers|providers, ask internal NAME…: what Hermes answers, a name in a line.
ask() { "$tools/hermes-agent/bin/python" "$here/ask.py" "$@"; }

# passed FILE OPTION…: which of the names in a file reach a command.
passed() {
    local names=$1
    shift
    /usr/bin/env $(sed 's/$/=made-up/' "$names") "$hermes_exec" "$@" -- env | sed 's/=.*//' | grep -Fxf "$names"
}
