--TEST--
An index whose frequencies and positions have a codec of choice: the same results, remembered and changed; others are refused by name
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Codec, Index, IndexWriter, PostingList};

/** Texts whose common words have lists of several blocks. */
function texts(): Generator
{
    mt_srand(5);
    $words = ['sea', 'ship', 'sail', 'white', 'whale', 'harpoon'];
    for ($id = 0; $id < 1500; $id++) {
        $text = [];
        for ($i = mt_rand(1, 25); $i > 0; $i--) {
            $text[] = $words[min(mt_rand(0, 9), 5)];
        }
        yield $id => ['text' => implode(' ', $id % 90 === 0 ? array_merge($text, array_fill(0, 300, 'whale')) : $text)];
    }
}

/** All that is found, with scores. */
function found(string $folder): array
{
    $index = Index::open($folder);
    $found = [];
    foreach (['sea', 'white whale', '"white whale"', '"whale whale whale"', '"sea ship" -harpoon', 'harpoon sail'] as $query) {
        foreach (['all', 'any'] as $matching) {
            $hits = $index->search($query, limit: 2000, matching: $matching, total: true);
            $found[] = [$hits->total, array_map(fn ($hit) => [$hit->id, $hit->score], iterator_to_array($hits))];
        }
    }
    return $found;
}

function names(IndexWriter $writer): string
{
    return implode(' ', array_map(fn ($of, $codec) => "$of=$codec->value", array_keys($writer->codecs()), $writer->codecs()));
}

$plain = new_folder();
$writer = IndexWriter::open($plain, ['text' => []]);
echo names($writer), "\n";
$writer->addAll(texts());
$writer->commit();
$expected = found($plain);
outcome('found', fn () => array_sum(array_column($expected, 0)) > 5000);

$possible = [];
foreach (Codec::cases() as $codec) {
    try {
        $folder = new_folder();
        $writer = IndexWriter::open($folder, ['text' => []], frequencyCodec: $codec, positionCodec: $codec);
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
        outcome('nothing was created', fn () => is_dir($folder));
        continue;
    }
    $possible[] = $codec->name;
    $writer->addAll(texts());
    $writer->commit();
    $writer->close();
    $same = found($folder) === $expected && filesize("$folder/1.segment") !== filesize("$plain/1.segment");
    if ($codec === Codec::BP128 ? found($folder) !== $expected : !$same) {
        echo "$codec->name: other results, or of the same size\n";
    }
}
echo implode(' ', $possible), "\n";

// The index remembers its codecs, and a writer may change them.
$folder = new_folder();
$writer = IndexWriter::open($folder, ['text' => []], frequencyCodec: Codec::OptPFD);
$writer->addAll(texts());
$writer->commit();
$writer->close();
$writer = IndexWriter::open($folder, ['text' => []]);
outcome('remembered', fn () => [names($writer), $writer->hasChanges()]);
$writer->close();
$writer = IndexWriter::open($folder, positionCodec: Codec::Simple16);
outcome('changed', fn () => [names($writer), $writer->hasChanges(), $writer->commit(), $writer->hasChanges()]);
$size = array_sum(array_map(filesize(...), glob("$folder/*.segment")));
$writer->optimize();
clearstatcache();
outcome('rewritten', fn () => [array_sum(array_map(filesize(...), glob("$folder/*.segment"))) < $size, found($folder) === $expected]);
$writer->close();
outcome('still', fn () => names(IndexWriter::open($folder)));

outcome('type', fn () => IndexWriter::open($folder, frequencyCodec: 'optpfd'));
outcome('position', fn () => IndexWriter::open($folder, positionCodec: Codec::Raw));
// BP128 is a codec of lists, too.
outcome('lists', fn () => PostingList::encode([1, 2], Codec::BP128)->toArray() === [1, 2]);

// A value that no encoder wrote: an error, no crash. The checksum finds it.
$file = glob("$folder/*.segment")[0];
$bytes = file_get_contents($file);
$bytes[20000] = chr(ord($bytes[20000]) ^ 0xFF);
$damaged = new_folder();
mkdir($damaged);
array_map(fn ($from) => copy($from, "$damaged/" . basename($from)), glob("$folder/*"));
file_put_contents("$damaged/" . basename($file), $bytes);
try {
    found($damaged);
    echo "nothing\n";
} catch (Postings\CorruptDataException $e) {
    echo get_class($e), "\n";
}
?>
--EXPECT--
frequencies=bp128 positions=bp128
found: returned true
Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) cannot be used: simple9 codes values up to 268435455 only; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
nothing was created: returned false
Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) cannot be used: qs codes increasing docIDs only; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
nothing was created: returned false
Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) cannot be used: lrc codes increasing docIDs only; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
nothing was created: returned false
Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) cannot be used: lrcseg codes increasing docIDs only; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
nothing was created: returned false
Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) cannot be used: seglrc codes increasing docIDs only; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
nothing was created: returned false
Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) cannot be used: hs_lrc codes increasing docIDs only; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
nothing was created: returned false
Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) cannot be used: pef codes increasing docIDs only; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
nothing was created: returned false
Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) cannot be used: raw codes increasing docIDs only; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
nothing was created: returned false
Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) cannot be used: auto chooses between codecs of posting lists; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
nothing was created: returned false
VariableByte Rice PForDelta PForDeltaSegments NewPFD OptPFD ParaPFor Simple16 BP128
remembered: returned array (
  0 => 'frequencies=optpfd positions=bp128',
  1 => false,
)
changed: returned array (
  0 => 'frequencies=optpfd positions=simple16',
  1 => true,
  2 => 3,
  3 => false,
)
rewritten: returned array (
  0 => true,
  1 => true,
)
still: returned 'frequencies=optpfd positions=simple16'
type: TypeError: Postings\IndexWriter::open(): Argument #7 ($frequencyCodec) must be of type ?Postings\Codec, string given
position: ValueError: Postings\IndexWriter::open(): Argument #8 ($positionCodec) cannot be used: raw codes increasing docIDs only; frequencies and positions can have bp128, variablebyte, rice, pfordelta, pfordelta-segments, newpfd, optpfd, parapfor, simple16
lists: returned true
Postings\CorruptDataException
