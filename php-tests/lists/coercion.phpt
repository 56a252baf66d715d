--TEST--
String parameters, variadic ones too, take what PHP's own functions take, and blame the right argument
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\{PostingList, Yioop};

final class Text
{
    public function __construct(private string $text)
    {
    }

    public function __toString(): string
    {
        return $this->text;
    }
}
final class Refusal
{
    public function __toString(): string
    {
        throw new LogicException('no');
    }
}
$posting = Yioop\pack_posting(5, [1]);
// The same for the one parameter of doc_indexes, and for the first and a further one of intersect.
$calls = [
    'doc_indexes' => fn ($x) => Yioop\doc_indexes($x),
    'intersect, #1' => fn ($x) => array_keys(Yioop\intersect($x)),
    'intersect, #2' => fn ($x) => array_keys(Yioop\intersect($x, $x)),
];
foreach ($calls as $what => $call) {
    outcome($what, fn () => json_encode($call($posting)));
    outcome("$what, Stringable", fn () => json_encode($call(new Text($posting))));
    outcome("$what, int", fn () => $call(5));
    outcome("$what, float", fn () => $call(1.5));
    outcome("$what, true", fn () => $call(true));
    outcome("$what, null", fn () => json_encode(@$call(null)));
    outcome("$what, object", fn () => $call(new stdClass));
    outcome("$what, throws", fn () => $call(new Refusal));
}
outcome('the second', fn () => Yioop\intersect($posting, []));
outcome('the third', fn () => Yioop\intersect($posting, $posting, 5, []));
// What was passed stays what it was.
$number = 5;
outcome('reference', fn () => call_user_func_array('Postings\Yioop\intersect', ['', &$number]));
var_dump($number);
outcome('doc index too large', fn () => Yioop\pack_posting(1 << 27, [1]));
outcome('doc index negative', fn () => Yioop\pack_posting(-1, [1]));
outcome('positions', fn () => Yioop\pack_posting(1, [2, 1]));
outcome('position', fn () => Yioop\pack_posting(1, [1, 1 << 30]));
?>
--EXPECT--
doc_indexes: returned '[5]'
doc_indexes, Stringable: returned '[5]'
doc_indexes, int: Postings\CorruptDataException: modified9: word 0 at byte 0: 3 of its 4 bytes are missing
doc_indexes, float: Postings\CorruptDataException: modified9: word 0 at byte 0: 1 of its 4 bytes are missing
doc_indexes, true: Postings\CorruptDataException: modified9: word 0 at byte 0: 3 of its 4 bytes are missing
doc_indexes, null: returned '[]'
doc_indexes, object: TypeError: Postings\Yioop\doc_indexes(): Argument #1 ($postings) must be of type string, stdClass given
doc_indexes, throws: LogicException: no
intersect, #1: returned '[5]'
intersect, #1, Stringable: returned '[5]'
intersect, #1, int: Postings\CorruptDataException: modified9: word 0 at byte 0: 3 of its 4 bytes are missing
intersect, #1, float: Postings\CorruptDataException: modified9: word 0 at byte 0: 1 of its 4 bytes are missing
intersect, #1, true: Postings\CorruptDataException: modified9: word 0 at byte 0: 3 of its 4 bytes are missing
intersect, #1, null: returned '[]'
intersect, #1, object: TypeError: Postings\Yioop\intersect(): Argument #1 ($first) must be of type string, stdClass given
intersect, #1, throws: LogicException: no
intersect, #2: returned '[5]'
intersect, #2, Stringable: returned '[5]'
intersect, #2, int: Postings\CorruptDataException: modified9: word 0 at byte 0: 3 of its 4 bytes are missing
intersect, #2, float: Postings\CorruptDataException: modified9: word 0 at byte 0: 1 of its 4 bytes are missing
intersect, #2, true: Postings\CorruptDataException: modified9: word 0 at byte 0: 3 of its 4 bytes are missing
intersect, #2, null: returned '[]'
intersect, #2, object: TypeError: Postings\Yioop\intersect(): Argument #1 ($first) must be of type string, stdClass given
intersect, #2, throws: LogicException: no
the second: TypeError: Postings\Yioop\intersect(): Argument #2 must be of type string, array given
the third: TypeError: Postings\Yioop\intersect(): Argument #4 must be of type string, array given
reference: Postings\CorruptDataException: modified9: word 0 at byte 0: 3 of its 4 bytes are missing
int(5)
doc index too large: ValueError: Postings\Yioop\pack_posting(): Argument #1 ($docIndex) cannot be used: modified9 cannot code the doc index 134217728: doc indexes are 0 to 2^27 - 2
doc index negative: ValueError: Postings\Yioop\pack_posting(): Argument #1 ($docIndex) must be from 0 to 4294967295, -1 given
positions: ValueError: Postings\Yioop\pack_posting(): Argument #2 ($positions) must be strictly increasing, position 1 at index 1 is not greater than 2 before it
position: ValueError: Postings\Yioop\pack_posting(): Argument #2 ($positions) cannot be used: modified9 cannot code 1073741823 at index 1: values are 1 to 2^28 - 1
