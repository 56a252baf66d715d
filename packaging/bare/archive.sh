# Run in a bare Debian: unpacks the archive (with PHP, as there is no unzip), enables the extension, searches.
cd /packages
sha256sum --quiet -c "$1.sha256"
php -r '(new PharData($argv[1]))->extractTo("/opt/postings");' "$1"
install -m 644 /opt/postings/postings.so "$(php -r 'echo ini_get("extension_dir");')/postings.so"
version=$(php -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
printf '; priority=20\nextension=postings.so\n' >"/etc/php/$version/mods-available/postings.ini"
phpenmod postings
php first-index.php | tee found
php -r 'exit(str_contains(file_get_contents("first-index.php"), "/* Prints:\n" . file_get_contents("found") . "*/") ? 0 : 1);'
