# Completion of hermes-exec for bash, with or without bash-completion: its options and their values, then the command
# after them, as if it were typed alone. Works with bash 3.2.
# shellcheck disable=SC2207 # mapfile needs bash 4; the words are split at IFS on purpose

_hermes_exec() {
    local options='-p --profile --hermes-home --home --share --no-share --inherit-credentials --inherit-credentials=
        --keep -u --unset --set --set-from --markers --minimal --policy --no-policy -c -C --chdir -a --argv0 --seal --seal= -n --explain
        --dry-run --only --doctor --all --catalogue --json --unlink --shims --completions -v --verbose -q --quiet -h --help -V --version'
    # Options whose value may be a separate word; as letters p, u, c, C and a.
    local with_value=' --profile --hermes-home --home --share --no-share --keep --unset --set --set-from --markers --policy --chdir --argv0
        --only --shims --completions '
    local IFS=$' \t\n' words=() starts=() line=${COMP_LINE:0:COMP_POINT} stripped word last i
    COMPREPLY=()

    # COMP_WORDS is also split at '=' and ':'. A part without a blank before it belongs to the previous word.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        stripped=${line#"${line%%[![:blank:]]*}"}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$stripped
        if ((i == 0)) || [[ $stripped != "$line" ]]; then
            words+=("$word")
            starts+=("$i")
        else
            words[${#words[@]} - 1]+=$word
        fi
        line=${stripped#"$word"}
    done
    last=$((${#words[@]} - 1))

    # The first word of the command; beyond the last word if that is an option's value.
    local behind_dashes='' shims=''
    for ((i = 1; i < last; i++)); do
        word=${words[i]}
        [[ $word != --shims && $word != --shims=* ]] || shims=1
        case $word in
            --) behind_dashes=1; ((i++)); break ;;
            --*=*) ;;
            --*) [[ $with_value == *[[:space:]]"$word"[[:space:]]* ]] && ((i++)) ;;
            -?*) word=${word#"${word%%[pucCa]*}"}; ((${#word} == 1)) && ((i++)) ;;
            *) break ;;
        esac
    done
    local current=${words[last]} option='' prefix=''
    if ((i < last)) || { ((i == last)) && [[ $behind_dashes || $current != -* ]]; }; then
        if [[ $shims ]]; then
            COMPREPLY=($(compgen -c -- "$current"))
        else
            _hermes_exec_command "${starts[i]}"
        fi
        return
    fi

    # The option whose value it is, and what precedes the value in the same word.
    if ((i > last)); then
        option=${words[last - 1]}
        [[ $option == --* ]] || option=-${option#"${option%?}"}
    elif [[ $current == --*=* ]]; then
        option=${current%%=*}
        # The shell replaces only what follows the '=', if that breaks words.
        [[ $COMP_WORDBREAKS == *=* ]] || prefix=$option=
        current=${current#*=}
    elif [[ $current == -[!-]* ]]; then
        word=${current#"${current%%[pucCa]*}"}
        if [[ $word ]]; then
            option=-${word:0:1}
            current=${word:1}
            prefix=${words[last]%"$current"}
        fi
    fi
    case $option in
        '') _hermes_exec_words "$current" '' "$options" ;;
        -p|--profile) _hermes_exec_words "$current" "$prefix" "$(_hermes_exec_profiles)" ;;
        --home) _hermes_exec_words "$current" "$prefix" 'auto profile real' ;;
        --completions) _hermes_exec_words "$current" "$prefix" 'bash zsh fish' ;;
        --markers) _hermes_exec_words "$current" "$prefix" 'all own' ;;
        --seal) _hermes_exec_words "$current" "$prefix" 'off on files' ;;
        --share) _hermes_exec_list 'keychain claude' with-paths ;;
        --no-share) _hermes_exec_list 'all keychain claude' with-paths ;;
        --inherit-credentials) _hermes_exec_list "$(_hermes_exec_groups)" ;;
        --keep|-u|--unset|--only) _hermes_exec_words "$current" "$prefix" "$(compgen -e)" ;;
        --set)
            _hermes_exec_option -o nospace
            [[ $current == *=* ]] || COMPREPLY=($(compgen -P "$prefix" -S = -e -- "$current")) ;;
        -C|--chdir|--hermes-home|--shims)
            _hermes_exec_option -o filenames
            IFS=$'\n'
            COMPREPLY=($(compgen -P "$prefix" -d -- "$current")) ;;
        --set-from)
            if [[ $current != *=* ]]; then
                _hermes_exec_option -o nospace
                COMPREPLY=($(compgen -P "$prefix" -S = -e -- "$current"))
                return
            fi
            _hermes_exec_option -o filenames
            # The shell replaces only what follows the '=', if that breaks words.
            [[ $COMP_WORDBREAKS == *=* ]] || prefix+=${current%%=*}=
            IFS=$'\n'
            COMPREPLY=($(compgen -P "$prefix" -f -- "${current#*=}")) ;;
        --policy)
            _hermes_exec_option -o filenames
            IFS=$'\n'
            COMPREPLY=($(compgen -P "$prefix" -f -- "$current")) ;;
    esac
    # No file names if there is nothing to offer.
    ((${#COMPREPLY[@]})) || _hermes_exec_option +o default +o bashdefault
}

# compopt, which bash 3.2 lacks.
_hermes_exec_option() {
    compopt "$@" 2>/dev/null
}

# CURRENT PREFIX WORDS
_hermes_exec_words() {
    COMPREPLY=($(compgen -P "$2" -W "$3" -- "$1"))
}

# WORDS [with-paths]: the last element of a comma-separated list; paths are below the real home.
_hermes_exec_list() {
    local done=${current%"${current##*,}"} element=${current##*,}
    _hermes_exec_words "$element" "$prefix$done" "$1"
    if [[ ${2-} && $element ]]; then
        local IFS=$'\n' path
        for path in $(cd "${HERMES_REAL_HOME:-$HOME}" 2>/dev/null && compgen -f -- "$element"); do
            COMPREPLY+=("$prefix$done$(printf %q "$path")")
        done
    fi
}

_hermes_exec_profiles() {
    local root=${HERMES_HOME-} i path profile
    for ((i = 1; i < last; i++)); do
        case ${words[i]} in
            --hermes-home=*) root=${words[i]#*=} ;;
            --hermes-home) root=${words[i + 1]} ;;
        esac
    done
    # shellcheck disable=SC2088 # the tilde as it was typed
    [[ $root != '~/'* ]] || root=${HERMES_REAL_HOME:-$HOME}/${root#'~/'}
    root=${root%/}
    path=${root%/*}
    if [[ ${path##*/} == profiles ]]; then
        root=${path%/*}
    elif [[ ! $root ]]; then
        root=${HERMES_REAL_HOME:-$HOME}/.hermes${HERMES_DATA_DIR_SUFFIX-}
    fi
    echo default
    for path in "$root"/profiles/*/; do
        profile=${path%/}
        profile=${profile##*/}
        [[ $profile == *[!a-z0-9_-]* || -e $root/profiles/.deleted/$profile || ! -d $path ]] || echo "$profile"
    done
}

_hermes_exec_groups() {
    local group
    hermes-exec --catalogue 2>/dev/null | while read -r _ group _; do echo "$group"; done | sort -u
}

# INDEX: completes COMP_WORDS from there on as a command line of its own.
_hermes_exec_command() {
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$1"
        return
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$1"
        return
    fi
    local i rest=$COMP_LINE
    for ((i = 0; i < $1; i++)); do
        rest=${rest#*"${COMP_WORDS[i]}"}
    done
    rest=${rest#"${rest%%[![:blank:]]*}"}
    local COMP_POINT=$((COMP_POINT - ${#COMP_LINE} + ${#rest})) COMP_LINE=$rest COMP_CWORD=$((COMP_CWORD - $1))
    local COMP_WORDS=("${COMP_WORDS[@]:$1}")
    local command=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} spec setting
    if ((COMP_CWORD == 0)); then
        _hermes_exec_option -o filenames
        COMPREPLY=($(compgen -d -- "$current"; compgen -c -- "$current"))
        return
    fi
    # Without a specification the shell's default, file names, takes over.
    spec=$(complete -p -- "$command" 2>/dev/null || complete -p -- "${command##*/}" 2>/dev/null) || return
    spec=${spec#complete }
    spec=${spec% *}
    for setting in bashdefault default dirnames filenames noquote nosort nospace plusdirs; do
        [[ " $spec " != *" -o $setting "* ]] || _hermes_exec_option -o "$setting"
    done
    if [[ " $spec" == *' -F '* ]]; then
        spec=${spec##*-F }
        "${spec%% *}" "$command" "$current" "${COMP_WORDS[COMP_CWORD - 1]}"
    else
        eval "COMPREPLY=(\$(compgen $spec -- \"\$current\"))"
    fi
}

complete -F _hermes_exec -o bashdefault -o default hermes-exec
