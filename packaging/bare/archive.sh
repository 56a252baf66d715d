# Run as root in a bare Debian or an image of PHP, with the archive in /packages: unpacks it (with PHP, as there may be no
# unzip), enables the extension, and searches.
cd /packages || exit
sha256sum -c "$1.sha256"
php -r '(new PharData($argv[1]))->extractTo("/usr/local/share/postings");' "$1"
install -m 644 /usr/local/share/postings/postings.so "$(php -r 'echo ini_get("extension_dir");')/postings.so"
echo 'extension=postings.so' >"$(php -r 'echo PHP_CONFIG_FILE_SCAN_DIR;')/20-postings.ini"
php first-index.php | tee found
php -r 'exit(str_contains(file_get_contents("first-index.php"), "/* Prints:\n" . file_get_contents("found") . "*/") ? 0 : 1);'
