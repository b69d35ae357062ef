# Completion of hermes-exec for fish: its options and their values, then the command after them, as if it
# were typed alone.

# The directory of --shims, then the command's words, each ended by NUL; fails as long as there is no command.
function __hermes_exec_rest
    set -l tokens (commandline -opc) (commandline -ct)
    set -e tokens[1]
    argparse -s p/profile= hermes-home= home= share=+ no-share=+ 'inherit-credentials=?' keep=+ u/unset=+ set=+ \
        set-from=+ markers= minimal policy= no-policy c= C/chdir= a/argv0= 'seal=?' n/explain dry-run only=+ doctor all catalogue \
        json unlink shims= completions= v/verbose q/quiet h/help V/version -- $tokens 2>/dev/null
    and set -q argv[1]; and not string match -qr '^-' -- $argv[1]
    and string join0 -- "$_flag_shims" $argv
end

function __hermes_exec_no_command
    not __hermes_exec_rest >/dev/null
end

function __hermes_exec_command
    set -l words (__hermes_exec_rest | string split0)
    or return
    set -l current $words[-1]
    set -l shims $words[1]
    set -e words[1] words[-1]
    test -z "$shims"; or set words
    complete -C (string join ' ' -- (string escape -- $words) $current)
end

function __hermes_exec_real_home
    set -q HERMES_REAL_HOME[1]; and test -n "$HERMES_REAL_HOME"; and echo $HERMES_REAL_HOME; or echo $HOME
end

function __hermes_exec_profiles
    set -l root $HERMES_HOME
    set -l tokens (commandline -opc)
    for at in (seq (count $tokens))
        string match -qr -- '^--hermes-home=(?<value>.+)' $tokens[$at]; and set root $value
        test $tokens[$at] = --hermes-home; and set root $tokens[(math $at + 1)]
    end
    set -l home (__hermes_exec_real_home)
    set root (string replace -r '^~/' $home/ -- "$root" | string replace -r '/+$' '')
    if string match -qr '/profiles/[^/]+$' -- $root
        set root (string replace -r '/profiles/[^/]+$' '' -- $root)
    else if test -z "$root"
        set root "$home/.hermes$HERMES_DATA_DIR_SUFFIX"
    end
    echo default
    for path in "$root"/profiles/*/
        set -l profile (path basename $path)
        string match -qr '^[a-z0-9_-]+$' -- $profile; and not test -e "$root/profiles/.deleted/$profile"
        and echo $profile
    end
end

function __hermes_exec_groups
    hermes-exec --catalogue 2>/dev/null | string replace -rf '^\S+\s+(\S+).*' '$1' | sort -u | __hermes_exec_list
end

# The last element of a comma-separated list; the elements come from standard input.
function __hermes_exec_list
    set -l done (commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '^.*,')
    while read -l element
        echo "$done$element"
    end
end

function __hermes_exec_items
    begin
        string join \n -- $argv keychain claude
        set -l current (commandline -ct | string replace -r '^(--[^=]*=)?(.*,)?' '')
        if test -n "$current"
            set -l home (__hermes_exec_real_home)
            for path in "$home/$current"*
                string replace -- $home/ '' $path
            end
        end
    end | __hermes_exec_list
end

complete -c hermes-exec -e
complete -c hermes-exec -f -a '(__hermes_exec_command)'

function __hermes_exec_option
    complete -c hermes-exec -n __hermes_exec_no_command $argv
end
__hermes_exec_option -s p -l profile -x -a '(__hermes_exec_profiles)' -d 'Profile to run as'
__hermes_exec_option -l hermes-home -x -a '(__fish_complete_directories)' -d 'Hermes root or profile directory'
__hermes_exec_option -l home -x -a 'auto profile real' -d 'HOME to give the command'
__hermes_exec_option -l share -x -a '(__hermes_exec_items)' -d 'Also link these items into the home'
__hermes_exec_option -l no-share -x -a '(__hermes_exec_items all)' -d 'Do not link these items'
__hermes_exec_option -l inherit-credentials -f -a '(__hermes_exec_groups)' -d 'Grant credentials by group'
__hermes_exec_option -l keep -x -a '(set -nx)' -d 'Keep variables (glob)'
__hermes_exec_option -s u -l unset -x -a '(set -nx)' -d 'Remove variables (glob)'
__hermes_exec_option -l set -x -a '(set -nx)=' -d 'Set a variable'
__hermes_exec_option -l set-from -r -F -a '(set -nx)=' -d 'Set a variable to the contents of a file'
__hermes_exec_option -l markers -x -a 'all own' -d 'Which activation markers to remove'
__hermes_exec_option -l minimal -f -d 'Pass only core variables and those named'
__hermes_exec_option -l policy -r -F -d 'Use this policy file'
__hermes_exec_option -l no-policy -f -d 'Read no policy file'
__hermes_exec_option -s c -x -d 'Run a string in a shell'
__hermes_exec_option -s C -l chdir -x -a '(__fish_complete_directories)' -d 'Change to a directory first'
__hermes_exec_option -s a -l argv0 -x -d 'Pass this name as argument zero'
__hermes_exec_option -l seal -f -a 'off on files' -d 'Stop the command from reading credentials of other processes'
__hermes_exec_option -s n -l explain -f -d 'Print what would be done, without doing it'
__hermes_exec_option -l dry-run -f -d 'Print what would be done, without doing it'
__hermes_exec_option -l only -x -a '(set -nx)' -d 'With --explain, explain one variable'
__hermes_exec_option -l doctor -f -d 'Check the setup and suggest fixes'
__hermes_exec_option -l all -f -d 'With --doctor, check every profile'
__hermes_exec_option -l catalogue -f -d 'Print the built-in table of variables'
__hermes_exec_option -l json -f -d 'Print JSON, with --explain, --doctor or --catalogue'
__hermes_exec_option -l unlink -f -d 'Remove our links from the home'
__hermes_exec_option -l shims -x -a '(__fish_complete_directories)' -d 'Write a PATH shim for each tool that follows'
__hermes_exec_option -l completions -x -a 'bash zsh fish' -d 'Print the completion script for a shell'
__hermes_exec_option -s v -l verbose -f -d 'Print which variables are changed, and why'
__hermes_exec_option -s q -l quiet -f -d 'Print no warnings and no notices'
__hermes_exec_option -s h -l help -f -d 'Print help'
__hermes_exec_option -s V -l version -f -d 'Print the version'
functions -e __hermes_exec_option
