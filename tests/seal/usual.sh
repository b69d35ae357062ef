# What commands do elsewhere than beside secret files.
set -e
for dir in "$HOME" "$HOME/new" . ./new "$HERMES_REAL_HOME/projects" "$HERMES_REAL_HOME/projects/one" "$HERMES_HOME/skills"; do
    mkdir -p "$dir"
    echo text >"$dir/file"; cat "$dir/file"
    mv "$dir/file" "$dir/renamed"; cat "$dir/renamed"
    mkdir "$dir/sub"; mv "$dir/renamed" "$dir/sub/"; cat "$dir/sub/renamed"
    ln "$dir/sub/renamed" "$dir/hard"; cat "$dir/hard"
    ln -s sub/renamed "$dir/soft"; cat "$dir/soft"
    echo more >>"$dir/hard"; cat "$dir/sub/renamed"
    mkfifo "$dir/fifo"; (echo through >"$dir/fifo" &); cat "$dir/fifo"
    printf '#!/bin/sh\necho started\n' >"$dir/script"; chmod 755 "$dir/script"; "$dir/script"
    rm "$dir/hard" "$dir/soft" "$dir/fifo"
    mv "$dir/sub" "$dir/other"; rm -r "$dir/other"
done
mv "$HERMES_REAL_HOME/projects/one" ./one; cat ./one/main.c
mv ./one "$HERMES_REAL_HOME/projects/one"; cat "$HERMES_REAL_HOME/projects/one/main.c"
cp "$HERMES_REAL_HOME/.gitconfig" "$HOME/"; cat "$HOME/.gitconfig"
echo x >>"$HERMES_REAL_HOME/.gitconfig"; tail -1 "$HERMES_REAL_HOME/.gitconfig"
"$HERMES_REAL_HOME/tool"; "$HERMES_REAL_HOME/bin/tool"
ls -a "$HERMES_REAL_HOME/.hermes" "$HERMES_REAL_HOME" / /tmp >/dev/null
head -c 4 /dev/urandom | wc -c; cat </dev/null; cat /proc/self/comm; head -1 /etc/passwd
echo piped | cat /dev/stdin; cat <<END
here
END
id -u; ps >/dev/null 2>&1 || true
