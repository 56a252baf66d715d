#!/bin/sh
# The time of the last commit, in seconds since 1970: the time of every file in a package, so that packages do not depend
# on when they are made. Without git, that of the newest entry's file.
cd "$(dirname "$0")/.." || exit 1
git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md
