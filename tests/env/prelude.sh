# private FILE TEXT: a file that only its owner may read.
private() { file "$@" && chmod 600 "$1"; }

# limited COMMAND: with limits of memory, of processor time and of the time that it may wait. What it needs in truth is far less: the
# limits only have to exist.
limited() { (ulimit -v 400000 && ulimit -t 30 && "$@"); }

# instead COMMAND [as UID]: puts something in the place of `.env` and `config.yaml` by this command, in the profile and in the root, each
# $file, and prints what a start says, how many keys its command sees, whether it sees the same with -q, and how often -n speaks of
# warnings.
instead() {
    local file put=$1
    shift
    [ "$#" != 0 ] || set -- env
    export OPENAI_API_KEY=canary
    for file in "$profile/.env" "$root/.env" "$profile/config.yaml" "$root/config.yaml"; do
        eval "$put"
        limited "$@" timeout 120 "$hermes_exec" -p builder env >"$dir/block" && grep -c _API_KEY= "$dir/block"
        limited "$@" timeout 120 "$hermes_exec" -q -p builder env | cmp - "$dir/block" && echo the same
        limited "$@" timeout 120 "$hermes_exec" -n -p builder true >"$dir/plan" && grep -c Warnings "$dir/plan"
        rm -r "$file"
    done 2>&1
}

# body N: N digits and letters in both cases, as in a real key; letters N: N lower-case ones.
body() { local text=3xAmPlE0nLyN0tAr3alK3y; while [ ${#text} -lt "$1" ]; do text=$text$text; done; echo "${text:0:$1}"; }
letters() { local text=abcdefghij; while [ ${#text} -lt "$1" ]; do text=$text$text; done; echo "${text:0:$1}"; }

# judged VALUE…: `key` for each of these values that is taken out, `-` for one that stays, under names that no other rule has a word on.
judged() {
    local value number=0 block=() names
    for value; do block+=("ACME_$number=$value") && number=$((number + 1)); done
    names=$(/usr/bin/env -i HOME="$real" "${block[@]}" "$hermes_exec" -- /usr/bin/env | grep -o '^ACME_[0-9]*=')
    for ((number = 0; number < $#; number++)); do
        case $'\n'$names in *$'\n'"ACME_$number="*) echo - ;; *) echo key ;; esac
    done
}

# Each family of markers with its members; in a pattern's place some text stands.
families='python-venv VIRTUAL_ENV VIRTUAL_ENV_PROMPT PYENV_VIRTUAL_ENV PYENV_ACTIVATE_SHELL _OLD_VIRTUAL_PATH _OLD_VIRTUAL_PYTHONHOME _OLD_VIRTUAL_PROMPT _OLD_VIRTUAL_PS1
uv UV_PROJECT_ENVIRONMENT UV UV_RUN_RECURSION_DEPTH UV_INTERNAL__PARENT_INTERPRETER
poetry POETRY_ACTIVE
pipenv PIPENV_ACTIVE PIPENV_PROJECT_DIR
hatch HATCH_ENV_ACTIVE HATCH_UV
pdm PDM_IN_VENV PDM_PROJECT_ROOT PDM_RUN_CWD
pixi PIXI_EXE PIXI_IN_SHELL PIXI_PROMPT PIXI_SHELL_ACTIVATION_DONE PIXI_PROJECT_NAME PIXI_ENVIRONMENT_NAME
conda CONDA_PREFIX CONDA_PREFIX_1 CONDA_DEFAULT_ENV CONDA_SHLVL CONDA_PROMPT_MODIFIER CONDA_STACKED_1 CONDA_ENV_SHLVL_1_X __CONDA_SHLVL_0_X _CE_CONDA _CE_M
python-home PYTHONHOME
python-launcher __PYVENV_LAUNCHER__
direnv DIRENV_DIFF DIRENV_DIR DIRENV_FILE DIRENV_WATCHES
mise __MISE_DIFF __MISE_SESSION __MISE_ORIG_PATH'

# Credentials of groups that are granted by name only and of others, and what rules 8 and 9 remove.
credentials='ANTHROPIC_API_KEY OPENAI_API_KEY CLAUDE_CODE_OAUTH_TOKEN GITHUB_TOKEN TELEGRAM_BOT_TOKEN HERMES_RPC_TOKEN'
