# What the commands of a page may use, beside $dir, $real, $root, $profile, $home, $hermes_exec and $tools. `env` takes away what
# bash adds to the environment.
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
}

# keyless COMMAND: without the planted key, which counts as a login of Claude Code.
keyless() { (unset ANTHROPIC_API_KEY && "$@"); }

# log_in: the user is logged in to Claude Code, without asking anybody, until the year 2100.
log_in() {
    local login='"accessToken":"sk-ant-oat01-made-up","refreshToken":"sk-ant-ort01-made-up","expiresAt":4102444800000'
    file "$real/.claude/.credentials.json" "{\"claudeAiOauth\":{$login,\"scopes\":[\"user:inference\",\"user:profile\"],\"subscriptionType\":\"max\"}}"
    file "$real/.claude.json" '{"numStartups":1}\n'
}

# model COMMAND: does this while a made-up model answers at $url; what it was asked is in /box/model.log.
model() {
    python3 "$tools/../../tests/field/models.py" "$dir/model.log" >"$dir/port" &
    local server=$!
    until [ -s "$dir/port" ]; do sleep 0.02; done
    url=http://127.0.0.1:$(cat "$dir/port")
    eval "$1"
    kill "$server"
    : >"$dir/port"
}
