<?php

/*
 * A leaf: what a web server runs for each request to a shard. The folder of its index is POSTINGS_LEAF, a variable of the php-fpm
 * pool (`env[POSTINGS_LEAF] = /var/lib/postings/shard-0`) or of the web server. Whoever reaches it may read all that is stored there: let
 * only the coordinators in.
 */

declare(strict_types=1);

use Postings\Leaf;

$folder = getenv('POSTINGS_LEAF') ?: ($_SERVER['POSTINGS_LEAF'] ?? '');
try {
    $response = Leaf::open($folder)->handle((string) file_get_contents('php://input'), deadline: 10_000);
} catch (Throwable $error) {
    // Another replica may do better.
    error_log('leaf: ' . $error->getMessage());
    http_response_code(503);
    header('Retry-After: 1');
    exit;
}
header('Content-Type: application/octet-stream');
header('Content-Length: ' . strlen($response));
echo $response;
