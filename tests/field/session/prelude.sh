# Programs that leave a record of their environment when they are started by name.
recorded='cat claude cp echo env false find git grep head ls mkdir node npm printenv printf pwd python3 readlink seq sh sleep sort tail timeout touch true uv wc xargs'

# machine: one with Hermes Agent, the real one, in a venv of its own, and every name of the catalogue in the `.env` of its profile.
machine() {
    local program
    agent
    from-wheels "$venv" --reinstall-package hermes-agent hermes-agent
    inside >"$dir/venv-before"
    # Hermes would take the prefix `_HERMES_FORCE_` away, and nobody could tell what the rest is.
    cut -f1 "$tools"/../../src/plan/catalogue/{names,patterns}.tsv | sed "/^_/ d; s/[*]/SAMPLE/g; s/.*/&=&-$ANTHROPIC_API_KEY/" >"$profile/.env"
    # Without it, hermes-exec would say what `claude` does not get.
    file "$profile/hermes-exec.json" '{"programs": {"claude": {"inherit_credentials": []}}}'
    mkdir -p "$home" "$dir"/{bin,next,tmp}
    log_in
    ln -s "$hermes_exec" "$dir/bin/hermes-exec"
    ln -s "$tools/uv/bin/uv" "$tools/npm/node_modules/.bin/claude" "$dir/next"
    for program in $recorded; do
        [ -e "$dir/next/$program" ] || ln -s "/usr/bin/$program" "$dir/next"
        # Not by the path of this directory, in which hermes-exec is named, as it is in a shim.
        script "$dir/bin/$program" "#!/bin/sh\nrecords=\${0%/*}/../records\n[ -d \$records ] && /usr/bin/env -0 >>\$records/\${0##*/}.\$\$\nexec \${0%/*}/../next/$program \"\$@\"\n"
    done
}

# session WRAPPER RECIPE [TYPED]: the whole of it in a new project, with a start file that does the recipe of the README besides what
# it writes for login shells, in this one. What came of it is in /box/done.
session() {
    local shims='~/.local/lib/hermes-shims/.path.sh'
    rm -rf "$dir/work" "$dir/records" "$real/.local/lib/hermes-shims" "$real/.profile"
    file "$dir/work/README.md" 'A project.\n'
    cd "$dir/work" && project && wheel tiny
    printf '%s\n' ". $venv/bin/activate" "export PATH=$dir/bin:\$PATH" "$2" "[ ! -e $shims ] || . $shims" >"$real/.bashrc"
    export HERMES_HOME=$profile TMPDIR=$dir/tmp UV_PROJECT_ENVIRONMENT=$venv LANG=C.UTF-8 PIP_NO_CACHE_DIR=1
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 keyless leaked "$venv/bin/python3" "$here/terminal.py" "${3-$here/typed.txt}" "$dir/work" "$home" "$dir/records" "$1" >"$dir/done"
}

# Whether Hermes could be started again.
can_start() { (cd / && "$venv/bin/python3" -B -c 'import hermes_cli.main, tools.environments.local; print("it starts")'); }
