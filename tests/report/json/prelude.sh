# part KEY: of a document, the value of this key, each object in a line. announced OPTION…: `-n --json`.
part() { awk -v start="  \"$1\": " 'index($0, start) == 1 { show = 1 } show { ends = /^  []}],?$/ || /[^[{]$/ && index($0, start) == 1; gsub(/^ +/, ""); printf "%s%s", $0, (/^},?$/ || /\[$/ || ends) ? "\n" : " " } ends { show = 0; ends = 0 }'; }
announced() { hermes-exec -n --json -p builder "$@"; }
