--TEST--
snapshot() makes a folder an index as of a commit while a writer goes on; files() says of what it consists
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../index.inc';
require __DIR__ . '/../child.inc';
use Postings\{Index, IndexWriter};

// A process commits and merges without a pause; each commit replaces all documents.
$folder = new_folder();
$writer = <<<'PHP'
    $writer = Postings\IndexWriter::open($folder, ['text' => []]);
    for ($round = 0; !feof(STDIN); $round++) {
        for ($i = 0; $i < 50; $i++) {
            $writer->add($i, "round r$round");
        }
        $round % 10 === 9 ? $writer->optimize() : $writer->commit();
        if ($round === 0) {
            echo "ready\n";
        }
        $ready = [STDIN];
        $none = [];
        if (stream_select($ready, $none, $none, 0)) {
            fgets(STDIN);
        }
    }
    PHP;
$command = [PHP_BINARY, '-n', '-d', 'extension=' . getenv('POSTINGS_LIBRARY'), '-r', '$folder = ' . var_export($folder, true) . ';' . $writer];
$process = proc_open($command, [0 => ['pipe', 'r'], 1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
echo fgets($pipes[1]);
$copy = new_folder();
$source = Index::open($folder);
$late = Index::open($folder);
$first = $late->generation() - 2;
for ($i = 0; $i < 60; $i++) {
    $source->reload();
    if ($i % 3 === 0) {
        usleep(5_000);                          // the writer may have removed its files by now
    }
    $generation = $source->snapshot($copy);
    $reader ??= Index::open($copy);
    $reader->reload();
    $round = $source->generation() - 2;
    if ([$generation, $reader->generation(), count($reader), $reader->count("r$round")] !== [$round + 2, $round + 2, 50, 50]) {
        exit("not the commit: $generation, {$reader->generation()}, " . count($reader));
    }
}
fclose($pipes[0]);
echo stream_get_contents($pipes[1]), proc_close($process), "\n";
echo $source->generation() > 10 ? "many commits, all whole\n" : "only {$source->generation()} commits\n";
$other = new_folder();
$late->snapshot($other);
var_dump(Index::open($other)->count("r$first"));

// Hit for hit; by the writer, without what was not committed.
catalogue($folder = new_folder());
$index = Index::open($folder);
$writer = IndexWriter::open($folder);
$writer->delete('toy');
$writer->commit();
$writer->add('later', ['title' => 'A codec that is not committed']);
var_dump($writer->snapshot($copy = new_folder()) === $writer->generation(), $writer->hasChanges());
$index->reload();
$there = Index::open($copy);
foreach (['codec', 'posting lists', 'list -fast', '"posting lists"', 'searching', ''] as $query) {
    $found = fn (Index $index) => array_map(
        fn ($hit) => [$hit->id, $hit->score, $hit->fields],
        iterator_to_array($index->search($query, sort: $query === '' ? ['price' => 'asc'] : [])),
    );
    if ($found($index) !== $found($there) || $found($there) === []) {
        echo "other hits of $query\n";
    }
}

// Files as rsync or an object store would take them: one after the other, the manifest last.
$files = $there->files();
echo json_encode(array_column($files, 'name')), "\n";
var_dump($files === $index->files());
mkdir($by_hand = new_folder());
foreach ($files as ['name' => $name, 'bytes' => $bytes, 'crc32' => $crc]) {
    $content = file_get_contents("$copy/$name");
    $end = str_ends_with($name, '.segment') ? substr($content, -16, 4) : substr($content, -4);
    if ([strlen($content), sprintf('%08x', unpack('V', $end)[1])] !== [$bytes, $crc]) {
        echo "$name: not its length or checksum\n";
    }
    if (!str_ends_with($name, '.segment') && hash('crc32b', substr($content, 0, -4)) !== $crc) {
        echo "$name: not the checksum of its bytes\n";
    }
    copy("$copy/$name", "$by_hand/$name");
}
echo ids(Index::open($by_hand), 'codec'), "\n";
?>
--EXPECT--
ready
0
many commits, all whole
int(50)
bool(true)
bool(true)
["1.segment","1-3.deleted","manifest"]
bool(true)
["codec"]
