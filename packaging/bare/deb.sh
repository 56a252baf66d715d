# Run in a bare Debian: installs the package, searches, removes and purges it; then every file is as before.
cd /packages || exit
state() {
    find / -xdev \( -path /proc -o -path /packages -o -path /var/log -o -path /var/cache -o -path '/var/lib/dpkg/*-old' \
        -o -path /tmp -o -path /target -o -path '/var/lib/php/modules/*' -type d \) -prune -o -printf '%y %m %p %l\n' | sort >"/packages/$1"
}
state before
dpkg -i "$1"
php -m | grep -x postings
php first-index.php | tee found
php -r 'exit(str_contains(file_get_contents("first-index.php"), "/* Prints:\n" . file_get_contents("found") . "*/") ? 0 : 1);'
name=$(dpkg-deb -f "$1" Package)
if dpkg -V "$name" | grep .; then exit 1; fi
dpkg -r "$name"
if php -m 2>&1 | grep -i postings; then exit 1; fi
# Configuration outlives a removal, and comes into use again.
dpkg -i "$1"
php -m | grep -x postings
dpkg -P "$name"
state after
diff before after
