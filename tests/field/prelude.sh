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
