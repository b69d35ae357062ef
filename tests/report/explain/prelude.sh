# section TITLE: of a report, the lines of this section.
section() { awk -v title="$1" '/^[A-Z]/ { show = $1 == title } show'; }

# small-agent: Hermes' own venv in /box/agent/venv, by its bin/hermes; its `bin` is first on the PATH of `marked COMMAND`, which has its marker.
small-agent() { good "$dir"/agent/venv/bin/{hermes,python3}; file "$dir/agent/venv/pyvenv.cfg"; }
marked() { VIRTUAL_ENV=$dir/agent/venv PATH=$dir/agent/venv/bin:/usr/bin:/bin "$@"; }

# with NAME=VALUE… hermes-exec WORD…: with these variables in this order, whatever the shell is.
with() { /usr/bin/env -u _ -u SHLVL -u PWD -u OLDPWD "${@/#hermes-exec/$hermes_exec}"; }
