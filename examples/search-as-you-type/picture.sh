#!/bin/sh
# Makes docs/search-as-you-type.png of the page as `make serve` shows it. Needs the demo's index and Chromium.
#     sh examples/search-as-you-type/picture.sh path/to/postings.so target/demo/index
set -eu
here=$(dirname "$0")
address=localhost:8899
DEMO_INDEX=$(realpath "$2") php -n -d extension="$(realpath "$1")" -S $address "$here/index.php" >/dev/null 2>&1 &
server=$!
trap 'kill $server' EXIT
until php -n -r "exit(@file_get_contents('http://$address/') === false ? 1 : 0);"; do sleep 0.1; done
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=800,820 --virtual-time-budget=4000 \
    --screenshot="$here/../../docs/search-as-you-type.png" "http://$address/?q=fast+comression" 2>/dev/null
