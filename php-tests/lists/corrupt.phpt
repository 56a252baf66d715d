--TEST--
Damaged bytes: CorruptDataException with codec, part and byte offset; never another outcome
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{Codec, CorruptDataException, PostingList};

$docIds = doc_ids(1000, 20);
$readers = [];
foreach (codecs() as $codec) {
    $readers["list, $codec->value"] = [PostingList::encode($docIds, $codec)->toBytes(), fn ($b) => PostingList::fromBytes($b)->toArray()];
}
$names = implode('|', ['posting list', ...array_column(codecs(), 'value')]);
$readers += [
    'simple9' => [Postings\simple9_encode($docIds), Postings\simple9_decode(...)],
    'qs' => [Postings\qs_encode($docIds), Postings\qs_decode(...)],
];
mt_srand(7);
$rises = function (array $docIds) {
    for ($i = 1; $i < count($docIds); $i++) {
        if ($docIds[$i] <= $docIds[$i - 1]) {
            return false;
        }
    }
    return true;
};
foreach ($readers as $what => [$bytes, $read]) {
    $inputs = [$bytes . "\0", $bytes . "\0\0\0\0", 'x', 'xxxx', str_repeat("\xFF", 4000), str_repeat("\0", 4000)];
    for ($cut = 0; $cut < strlen($bytes); $cut += $cut < 64 ? 1 : 37) {
        $inputs[] = substr($bytes, 0, $cut);
    }
    for ($i = 0; $i < 400; $i++) {
        $damaged = $bytes;
        $at = mt_rand(0, strlen($bytes) - 1);
        $damaged[$at] = chr(ord($damaged[$at]) ^ 1 << mt_rand(0, 7));
        $inputs[] = $damaged;
        $inputs[] = random_bytes(mt_rand(1, 200));
    }
    $threw = 0;
    foreach ($inputs as $input) {
        try {
            // Raw formats carry no checksum: other docIDs are possible, docIDs that do not rise are not.
            if (!$rises($read($input)) || str_starts_with($what, 'list')) {
                echo "$what: accepted ", bin2hex($input), "\n";
            }
        } catch (CorruptDataException $e) {
            $threw++;
            if (!preg_match("/^($names): .+ at byte \\d+: .+/", $e->getMessage())) {
                echo $e->getMessage(), "\n";
            }
        }
    }
    if ($threw <= 100) {
        echo "$what: only $threw refused\n";
    }
}
outcome('selector', fn () => Postings\simple9_decode("\x10\0\0\1\xB0\0\0\0"));
outcome('half a word', fn () => Postings\simple9_decode("\x10\0\0\1\x10"));
outcome('Yioop', fn () => Postings\Yioop\doc_indexes("\x80\0\0"));

// The classes, and that PHP code can make and extend them.
final class Mine extends CorruptDataException
{
}
$e = new Mine('made in PHP', 5, new Exception);
var_dump($e instanceof RuntimeException, $e instanceof Postings\Exception, $e->getCode(), interface_exists(Postings\Exception::class));
?>
--EXPECTF--
selector: Postings\CorruptDataException: simple9: word 1 at byte 4: selector 11 is not defined
half a word: Postings\CorruptDataException: simple9: %s at byte 4: %s
Yioop: Postings\CorruptDataException: modified9: %s at byte 0: %s
bool(true)
bool(true)
int(5)
bool(true)
