<?php

/** A search service: one process, many clients, and queries that are answered in the background meanwhile. */

declare(strict_types=1);

use Postings\{Index, IndexWriter, StreamFullException};

$folder = sys_get_temp_dir() . '/service-' . getmypid();
register_shutdown_function(static function () use ($folder): void {
    array_map('unlink', glob("$folder/*"));
    rmdir($folder);
});

$writer = IndexWriter::open($folder, ['text' => ['stored' => true]]);
foreach (['whale' => 'a white whale', 'ship' => 'a ship and its captain', 'boat' => 'a boat for the whale'] as $id => $text) {
    $writer->add($id, ['text' => $text]);
}
$writer->commit();

$stream = Index::open($folder)->stream(limit: 10, deadline: 500);
$ready = fopen('php://fd/' . $stream->descriptor(), 'r');      // readable while there are answers
$server = stream_socket_server('tcp://127.0.0.1:0');
$clients = $waiting = [];
$answered = 0;

/** What can be done now: new clients, their queries, answers. A client sends a query per line, and gets a line for each. */
$turn = static function (int $seconds) use ($stream, $ready, $server, &$clients, &$waiting, &$answered): void {
    [$read, $none] = [[$server, $ready, ...$clients], null];
    stream_select($read, $none, $none, $seconds);
    foreach ($read as $socket) {
        if ($socket === $server) {
            $client = stream_socket_accept($server);
            $clients[(int) $client] = $client;
        } elseif ($socket === $ready) {
            foreach ($stream->take() as $ticket => $hits) {
                $answer = $hits->expired ? ['error' => 'too busy'] : ['ids' => $hits->ids()];
                fwrite($waiting[$ticket], json_encode($answer) . "\n");
                unset($waiting[$ticket]);
                $answered++;
            }
        } elseif (($query = fgets($socket)) === false) {
            unset($clients[(int) $socket]);
        } else {
            try {
                $waiting[$stream->push(trim($query))] = $socket;
            } catch (StreamFullException) {
                fwrite($socket, json_encode(['error' => 'too busy']) . "\n");
            }
        }
    }
};

// Three clients, for the example in the same process. A service would have a loop here: while (true) $turn(60);
$queries = ['whale', 'captain ship', 'submarine'];
$own = array_map(static fn () => stream_socket_client('tcp://' . stream_socket_get_name($server, false)), $queries);
array_map(static fn ($client, string $query) => fwrite($client, "$query\n"), $own, $queries);
while ($answered < 3) {
    $turn(1);
}
foreach ($own as $at => $client) {
    echo "$queries[$at]: ", fgets($client);
}
/* Prints:
whale: {"ids":["whale","boat"]}
captain ship: {"ids":["ship"]}
submarine: {"ids":[]}
*/
