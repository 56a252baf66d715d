#!/bin/sh
# Writes the descriptions of all Debian packages to a file, a line each: name, tab, text. They come from apt's Translation
# files (`apt-get -o Acquire::Languages=en update` gets them), in the order of names; without them, the short descriptions
# of `apt-cache dumpavail`.
set -eu
to=${1:?usage: descriptions.sh FILE}
records() {
    set -- /var/lib/apt/lists/*_i18n_Translation-en*
    if [ -e "$1" ]; then
        for file; do
            /usr/lib/apt/apt-helper cat-file "$file"
            echo
        done
    else
        apt-cache dumpavail
    fi
}
LC_ALL=C
export LC_ALL
records | awk '
    function done() { if (name != "" && text != "") print name "\t" text; name = text = ""; within = 0 }
    /^$/ { done(); next }
    /^Package:/ { name = $2; next }
    /^Description(-en)?:/ { sub(/^[^:]*: */, ""); text = $0; within = 1; next }
    /^ / { if (within) { sub(/^ \.?/, ""); text = text " " $0 }; next }
    { within = 0 }
    END { done() }' | sort -u -t "$(printf '\t')" -k 1,1 >"$to.new"
[ -s "$to.new" ] || { echo "$to: no descriptions; run apt-get update first" >&2; exit 1; }
mv "$to.new" "$to"
