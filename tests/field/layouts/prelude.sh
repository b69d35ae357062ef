# Hermes Agent in the places where its installers leave it today: a row of the table of layouts has its venv, its code where that
# is not in the venv, and a directory of the system's in whose place one of the scene's is mounted.
at= code= first= pythonpath=
row=${row-$(cat "$dir/row" 2>/dev/null)}
layouts() {
    case $row in
    # A git checkout in the root, with the venv in it.
    git_checkout) code=$root/hermes-agent venv=$code/venv ;;
    # What the curl installer leaves: the venv is a numbered one elsewhere in the root. Its launcher needs PYTHONPATH.
    curl_installer)
        code=$root/hermes-agent venv=$root/installs/0123456789abcdef/environments/1-7d3f
        first=$code/.hermes/bin:$root/tools/node/bin:$root/tools/ripgrep/bin:$root/tools/uv/bin:
        pythonpath=$code:$venv/lib/$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')/site-packages
        ;;
    # What the same leaves for root.
    root_install) at=/usr/local/lib code=$at/hermes-agent venv=$code/venv ;;
    # The image.
    container)
        at=/opt code=/opt/hermes venv=/opt/hermes/.venv root=/opt/data profile=$root/profiles/builder home=$profile/home
        first=/opt/hermes/bin:/opt/hermes/tools/node/bin:
        ;;
    uv_tool) venv=$real/.local/share/uv/tools/hermes-agent ;;
    pipx) venv=$real/.local/share/pipx/venvs/hermes-agent ;;
    # Any venv anywhere.
    by_hand) venv=$real/envs/assistant ;;
    esac
}
layouts

# Each line is done where the layout is at its place.
if [ -e "$dir/place/.mounted" ] && [ ! -e "$at/.mounted" ]; then
    exec unshare -m bash --norc -c "mount --bind '$dir/place' '$at'; $BASH_EXECUTION_STRING"
fi
on_disk() { if [ -z "$at" ]; then echo "$1"; else echo "$dir/place${1#"$at"}"; fi; }
inside() { (cd "$(on_disk "$venv")" && find . -type d -printf '%p %m %U:%G\n' -o -printf '%p %y %l %s %T@ %m %U:%G\n') | sort; }

# No network, and uv's cache beside the wheels that tests/run fetches: a second installation is a matter of links.
offline() {
    UV_OFFLINE=1 UV_NO_INDEX=1 UV_FIND_LINKS=$tools/wheels UV_CACHE_DIR=$tools/uv-cache PIP_NO_INDEX=1 \
        PIP_FIND_LINKS=$tools/wheels PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 "$@"
}
uv() { offline "$tools/uv/bin/uv" "$@"; }

# layout [ROW]: installs it, by the installer that users have where that one runs without a network, else by hand with a real venv
# and the real package, and asks Hermes for the environment of its terminal. There is a pip in the venv: without one there would be
# nothing to refuse.
layout() {
    local tool disk
    [ -z "${1-}" ] || { row=$1 && echo "$1" >"$dir/row" && layouts; }
    disk=$(on_disk "$venv")
    mkdir -p "$(on_disk "$root")/profiles/builder"
    [ -z "$at" ] || { mkdir -p "$dir/place" && touch "$dir/place/.mounted"; }
    case $row in
    uv_tool) uv tool install -q --python /usr/bin/python3 --with pip hermes-agent ;;
    # With uv on PATH pipx takes it, too.
    pipx) PATH=$tools/uv/bin:$PATH offline "$tools/pipx/bin/pipx" install --python /usr/bin/python3 --preinstall pip hermes-agent >/dev/null 2>&1 ;;
    by_hand) python3 -m venv --without-pip "$disk" ;;
    *) uv venv -q --python /usr/bin/python3 "$disk" ;;
    esac
    [[ $row == uv_tool || $row == pipx ]] || uv pip install -q --python "$disk" hermes-agent pip
    # Where a mount puts it later: across a mount uv would have to copy each of seven thousand files. The scripts name the place
    # where commands see it.
    [ -z "$code" ] || python3 "$here/editable.py" "$disk"/lib/python*/site-packages "$(on_disk "$code")" "$code"
    [ -z "$at" ] || grep -lrI "$disk" "$disk/bin" | xargs sed -i "s|$disk|$venv|g"
    case $row in
    curl_installer)
        script "$code/.hermes/bin/hermes" "#!/bin/sh\nPYTHONPATH=$pythonpath exec $venv/bin/python -m hermes_cli.main \"\$@\"\n"
        for tool in node/bin/node ripgrep/bin/rg uv/bin/uv; do script "$root/tools/$tool" '#!/bin/sh\necho own\n'; done
        ;;
    container)
        script "$dir/place/hermes/bin/hermes" "#!/bin/sh\nexec $venv/bin/hermes \"\$@\"\n"
        script "$dir/place/hermes/tools/node/bin/node" '#!/bin/sh\necho own\n'
        ;;
    esac
    gateway
    # What Hermes compiles of its own code when it is asked, at its first start, is no damage.
    inside >"$dir/venv-before"
}

# gateway: the environment in which Hermes starts a command.
gateway() {
    local mounted=()
    [ -z "$at" ] || mounted=(unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$dir/place" "$at")
    HERMES_HOME=$root offline env -u _ -u SHLVL -u PWD -u OLDPWD "${mounted[@]}" "$venv/bin/python" "$here/handed_on.py" "$first" "$pythonpath" >"$dir/gateway"
}

# without [NAME=VALUE…] COMMAND: as an agent's tool starts it, in that environment.
without() {
    local block
    mapfile -d '' -t block <"$dir/gateway"
    env -i "${block[@]}" "$@"
}

# with [NAME=VALUE…] COMMAND: the same command through hermes-exec.
with() {
    local values=()
    while [[ $1 =~ ^[A-Za-z_]+= ]]; do values+=("$1") && shift; done
    without "${values[@]}" "$hermes_exec" -p builder -- "$@"
}

# told COMMAND: does it, and prints what it prints with VENV for Hermes' venv.
told() {
    local status
    "$@" >"$dir/told" 2>&1
    status=$?
    sed "s|$venv|VENV|g" "$dir/told"
    return $status
}

# own_venv: what the doctor says of Hermes' venv.
own_venv() { without "$hermes_exec" -p builder --doctor | grep own-venv | sed "s|$venv|VENV|"; }

# users: a venv of the user's with a pip and without Hermes, in /box/users: the control.
users() { uv venv -q --python /usr/bin/python3 "$dir/users" && uv pip install -q --python "$dir/users" pip; }

# has VENV NAME: whether this wheel is installed there.
has() { ls "$1"/lib/python*/site-packages/"$2".py >/dev/null 2>&1 && echo "$2"; }

is_own() {
    local place
    for place in "$venv/bin" "$root"/{installs,tools,node,node_modules,hermes-agent} /opt/hermes /usr/local/lib/hermes-agent; do
        case $1/ in "$place"/*) return 0 ;; esac
    done
    return 1
}

# The elements of PATH as Hermes hands it on, or of another PATH, that are Hermes' own; and the others.
hands_on() { without printenv PATH; }
parts() {
    local element kind all=
    while IFS= read -rd: element; do
        kind=others
        ! is_own "$element" || kind=own
        [ "$kind" != "$1" ] || all+=:$element
    done <<<"$2:"
    echo "${all#:}"
}
# PATH with the user's venv after what is Hermes' own; and as where nobody but Hermes has a program of one of these names.
path_with_users() { echo "$(parts own "$(hands_on)"):$dir/users/bin:$(parts others "$(hands_on)")"; }
path_without() {
    local element tool all=
    while IFS= read -rd: element; do
        is_own "$element" || for tool; do [ ! -e "$element/$tool" ] || continue 2; done
        all+=:$element
    done <<<"$(hands_on):"
    echo "${all#:}"
}
