--TEST--
addAll(): arrays, generators, other Traversables; progress; exceptions pass through; the writer can be used meanwhile
--FILE--
<?php
require __DIR__ . '/../index.inc';
use Postings\{Index, IndexWriter};

$writer = IndexWriter::open($folder = new_folder(), ['text' => [], 'tag' => ['keyword' => true]]);
$texts = fn (int $from, int $to) => (function () use ($from, $to) {
    for ($i = $from; $i < $to; $i++) {
        yield "g$i" => ['text' => "text $i", 'tag' => [$i % 2, 'x']];
    }
})();
$calls = [];
$progress = function (...$arguments) use (&$calls) { $calls[] = $arguments; };
foreach ([0, 1, 999, 1000, 1001, 3500] as $count) {
    $calls = [];
    $added = $writer->addAll($texts(0, $count), $progress);
    echo $added, ' ', json_encode($calls), "\n";
}
outcome('array', fn () => $writer->addAll(['a' => 'text', 5 => ['text' => 'text']]));
outcome('list', fn () => $writer->addAll(['first', 'second']));
outcome('iterator', fn () => $writer->addAll(new ArrayIterator(['i' => 'text'])));
outcome('aggregate', fn () => $writer->addAll(new ArrayObject(['o' => 'text'])));
outcome('without keys', fn () => $writer->addAll((function () { yield 'text'; yield 'text'; })(), progress: null));
outcome('method as callback', fn () => $writer->addAll(['m' => 'text'], (new ArrayObject())->append(...)));
outcome('commit', fn () => [$writer->commit(), count(Index::open($folder))]);

outcome('exception in the generator', fn () => $writer->addAll((function () { yield 'p1' => 'pending'; throw new DomainException('mine'); })()));
outcome('exception in the callback', fn () => $writer->addAll(['p2' => 'pending'], fn () => throw new LogicException('mine')));
class Bad
{
    public function __toString(): string
    {
        throw new RangeException('mine');
    }
}
outcome('exception in __toString', fn () => $writer->addAll(['p3' => 'pending', 'p4' => ['text' => new Bad()]]));
outcome('wrong document', fn () => $writer->addAll(['p5' => 'pending', 'p6' => ['text' => [[]]]]));
outcome('wrong generator', fn () => $writer->addAll((function () { yield from [1, 2]; })()));
class BadAggregate implements IteratorAggregate
{
    public function getIterator(): Iterator
    {
        throw new RangeException('mine');
    }
}
outcome('wrong aggregate', fn () => $writer->addAll(new BadAggregate()));
$used = $texts(0, 1);
foreach ($used as $_) {
}
outcome('used generator', fn () => $writer->addAll($used));
$writer->commit();
outcome('pending stayed', fn () => json_decode(ids(Index::open($folder), 'pending')));

// The generator uses the writer, and so does __toString.
class Adds
{
    public function __construct(private IndexWriter $writer)
    {
    }

    public function __toString(): string
    {
        $this->writer->add('inner', 'nested');
        return 'nested';
    }
}
$writer->addAll((function () use ($writer) {
    yield 'n1' => 'nested';
    $writer->commit();
    yield 'n2' => 'nested';
    $writer->delete('n1');
    $writer->addAll(['n3' => 'nested']);
    yield 'n4' => ['text' => new Adds($writer)];
})());
$writer->commit();
outcome('nested', fn () => json_decode(ids(Index::open($folder), 'nested')));
// Documents that change while they are read.
class Vanishes
{
    public function __construct(private mixed &$variable)
    {
    }

    public function __toString(): string
    {
        $this->variable = null;
        return 'vanishes ' . str_repeat('x', 100);
    }
}
$document = [];
$document = ['text' => new Vanishes($document), 'tag' => str_repeat('tag', 10)];
$all = ['v' => &$document];
outcome('vanishing', fn () => $writer->addAll($all));
var_dump($document, $all['v']);
outcome('closed meanwhile', fn () => $writer->addAll((function () use ($writer) { yield 1 => 'x'; $writer->close(); yield 2 => 'x'; })()));
?>
--EXPECT--
0 [[0]]
1 [[1]]
999 [[999]]
1000 [[1000]]
1001 [[1000],[1001]]
3500 [[1000],[2000],[3000],[3500]]
array: returned 2
list: returned 2
iterator: returned 1
aggregate: returned 1
without keys: returned 2
method as callback: returned 1
commit: returned array (
  0 => 2,
  1 => 3507,
)
exception in the generator: DomainException: mine
exception in the callback: LogicException: mine
exception in __toString: RangeException: mine
wrong document: TypeError: Postings\IndexWriter::addAll(): Argument #1 ($documents) document 'p6': field 'text' must be string|Stringable|int|float|DateTimeInterface|null, or a list of string|int|float, array given
wrong generator: TypeError: Postings\IndexWriter::addAll(): Argument #1 ($documents) document 0: must be of type array|string, int given
wrong aggregate: RangeException: mine
used generator: Exception: Cannot traverse an already closed generator
pending stayed: returned array (
  0 => 'p1',
  1 => 'p2',
  2 => 'p3',
  3 => 'p5',
)
nested: returned array (
  0 => 'n2',
  1 => 'n3',
  2 => 'inner',
  3 => 'n4',
)
vanishing: returned 1
NULL
NULL
closed meanwhile: Error: the Postings\IndexWriter is closed
