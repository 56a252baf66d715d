<?php

/**
 * What PIE knows of the internet while scripts/test-pie.sh tests it: Packagist with one package, and GitHub with one release
 * of it. It is an HTTP proxy on the loopback interface that connects to nobody. It answers everything itself, by TLS with a
 * certificate of its own, so that PIE's own addresses and checks of certificates stay as they are.
 *
 *     php packaging/pie/internet.php FOLDER ARCHIVE [ASSET…]
 *
 * FOLDER gets `certificate.pem`, `port` when it listens, and `requests`, a line for each. ARCHIVE is the zip file of the
 * sources, with one folder at its top, as GitHub makes it. ASSETS are the files of the release.
 */

declare(strict_types=1);

const REPOSITORY = 'postings/postings';
const HOSTS = ['repo.packagist.org', 'api.github.com', 'codeload.github.com', 'github.com', 'release-assets.githubusercontent.com'];

[, $folder, $archive] = $argv;
$root = dirname(__DIR__, 2);
preg_match('/^version *= *"(.*)"/m', (string) file_get_contents("$root/Cargo.toml"), $found);
$version = $found[1];
$commit = sha1_file($archive);
// What Packagist says of a version is its composer.json, and where it lies.
$package = json_decode((string) file_get_contents("$root/composer.json"), true, flags: JSON_THROW_ON_ERROR) + [
    'version' => $version,
    'version_normalized' => "$version.0",
    'source' => ['type' => 'git', 'url' => 'https://github.com/' . REPOSITORY . '.git', 'reference' => $commit],
    'dist' => ['type' => 'zip', 'url' => 'https://api.github.com/repos/' . REPOSITORY . "/zipball/$commit", 'reference' => $commit, 'shasum' => ''],
];
$json = static fn (array $value): array => ['200 OK', 'application/json', json_encode($value, JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR)];
$file = static fn (string $path): array => ['200 OK', 'application/octet-stream', (string) file_get_contents($path)];
$redirect = static fn (string $to): array => ["302 Found\r\nLocation: $to", 'text/html', ''];

$assets = array_column(array_map(fn (string $path): array => [basename($path), $path], array_slice($argv, 3)), 1, 0);
$download = 'https://github.com/' . REPOSITORY . "/releases/download/$version/";
$answers = [
    'repo.packagist.org/packages.json' => $json(['packages' => [], 'metadata-url' => '/p2/%package%.json']),
    'repo.packagist.org/p2/' . REPOSITORY . '.json' => $json(['packages' => [REPOSITORY => [$package]]]),
    'repo.packagist.org/p2/' . REPOSITORY . '~dev.json' => $json(['packages' => [REPOSITORY => []]]),
    'api.github.com/repos/' . REPOSITORY . "/releases/tags/$version" => $json([
        'tag_name' => $version,
        'assets' => array_map(fn (string $name): array => ['name' => $name, 'browser_download_url' => $download . $name], array_keys($assets)),
    ]),
    'api.github.com/repos/' . REPOSITORY . "/zipball/$commit" => $redirect('https://codeload.github.com/' . REPOSITORY . "/legacy.zip/$commit"),
    'codeload.github.com/' . REPOSITORY . "/legacy.zip/$commit" => $file($archive),
];
foreach ($assets as $name => $path) {
    $answers[substr($download, strlen('https://')) . $name] = $redirect("https://release-assets.githubusercontent.com/$name");
    $answers["release-assets.githubusercontent.com/$name"] = $file($path);
}

file_put_contents("$folder/openssl.cnf", "[req]\ndistinguished_name=name\n[name]\n[own]\nbasicConstraints=critical,CA:TRUE\nsubjectAltName=DNS:" . implode(',DNS:', HOSTS) . "\n");
$options = ['config' => "$folder/openssl.cnf", 'digest_alg' => 'sha256', 'private_key_bits' => 2048, 'x509_extensions' => 'own'];
$key = openssl_pkey_new($options) or exit("no key: " . openssl_error_string() . "\n");
$signed = openssl_csr_sign(openssl_csr_new(['commonName' => 'test of PIE'], $key, $options), null, $key, 2, $options);
openssl_x509_export($signed, $certificate);
openssl_pkey_export($key, $private, null, $options);
file_put_contents("$folder/certificate.pem", $certificate);
file_put_contents("$folder/both.pem", $certificate . $private);

$listening = stream_socket_server('tcp://127.0.0.1:0', context: stream_context_create(['ssl' => ['local_cert' => "$folder/both.pem"]])) or exit(1);
file_put_contents("$folder/port.new", substr(strrchr(stream_socket_get_name($listening, false), ':'), 1));
rename("$folder/port.new", "$folder/port");

$read_head = static function ($stream): string {
    for ($head = ''; ($line = fgets($stream)) !== false && rtrim($line) !== ''; $head .= $line);
    return $head;
};
while (true) {
    if (!$client = @stream_socket_accept($listening, -1)) {
        continue;
    }
    stream_set_timeout($client, 10);
    $asked = '-';
    if (preg_match('/^CONNECT ([^:]+):443 /', $read_head($client), $found)) {
        fwrite($client, "HTTP/1.1 200 Connection established\r\n\r\n");
        if (@stream_socket_enable_crypto($client, true, STREAM_CRYPTO_METHOD_TLS_SERVER) && preg_match('/^GET (\S+) /', $read_head($client), $get)) {
            $asked = $found[1] . $get[1];
            [$status, $type, $body] = $answers[$asked] ?? ['404 Not Found', 'text/plain', ''];
            $answer = "HTTP/1.1 $status\r\nContent-Type: $type\r\nContent-Length: " . strlen($body) . "\r\nConnection: close\r\n\r\n$body";
            while ($answer !== '' && ($written = @fwrite($client, $answer)) > 0) {
                $answer = substr($answer, $written);
            }
        }
    }
    file_put_contents("$folder/requests", $asked . (isset($answers[$asked]) ? '' : ' (unknown)') . "\n", FILE_APPEND);
    fclose($client);
}
