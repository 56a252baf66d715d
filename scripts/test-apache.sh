#!/bin/sh
# Tests the extension in Apache's event MPM, whose children serve requests in many threads, by php-tests/apache/apache.inc.
#
#   MINUTES=10 THREADS=64 scripts/test-apache.sh
#
# Apache and wrk, which makes the load, come from Debian; the package apache2-bin starts no server. mod_php is built from Debian's
# sources, as scripts/zts.sh says, and Apache listens on the loopback interface only.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/env.sh
what=apache
. scripts/packages.sh
. scripts/zts.sh

threads=${THREADS:-64}
need_packages apache2-bin apache2-dev wrk

build_php "$home/apache" true --disable-cli --with-apxs2=/usr/bin/apxs2
zts_extension

folder=$(mktemp -d) && chmod 755 "$folder" || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
port=$("$PHP" -n -r '$free = stream_socket_server("tcp://127.0.0.1:0"); echo substr(strrchr(stream_socket_get_name($free, false), ":"), 1);')
modules=$(/usr/bin/apxs2 -q LIBEXECDIR)
# With more connections than half of the threads, a child that has no thread left would close some that are kept alive. As
# root, Apache's children become another user, who may not be able to read this folder.
cp -r php-tests/apache php-tests/soak "$folder" && touch "$folder/php.log" && chmod 666 "$folder/php.log" || exit 1
cat >"$folder/apache.conf" <<CONF
ServerRoot "$folder"
ServerName localhost
PidFile apache.pid
ErrorLog error.log
DefaultRuntimeDir "$folder"
Listen 127.0.0.1:$port
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule php_module $home/apache/libs/libphp.so
$([ "$(id -u)" != 0 ] || printf 'User www-data\nGroup www-data\n')
StartServers 2
ServerLimit 2
ThreadsPerChild $((threads / 2))
MaxRequestWorkers $threads
MinSpareThreads 1
MaxSpareThreads $threads
MaxConnectionsPerChild 0
MaxKeepAliveRequests 0
PHPIniDir "$folder"
DocumentRoot "$folder/apache"
<FilesMatch "^request\.inc$">
    SetHandler application/x-httpd-php
</FilesMatch>
CONF
cat >"$folder/php.ini" <<CONF
extension=$extension
memory_limit=128M
display_errors=0
log_errors=1
error_log=$folder/php.log
CONF
"$PHP" -n -d "extension=$extension" php-tests/apache/apache.inc "$folder" "$port" $((${MINUTES:-10} * 60)) $((threads / 2)) \
    "$(command -v apache2 || echo /usr/sbin/apache2)" "$(command -v wrk)"
