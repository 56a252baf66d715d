--TEST--
Compounds: found by their parts, marked, in phrases, with typos, kept by the index, and what is refused
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
require __DIR__ . '/../index.inc';
use Postings\{Analyzer, Index, IndexWriter};

$words = ['Handy', 'Hülle', 'Schutz', 'Glas', 'panzer', 'x', 'und'];
$german = new Analyzer('german', stopWords: ['und'], compounds: $words);
echo json_encode($german->options()['compounds'], JSON_UNESCAPED_UNICODE), ' ', json_encode($german->tokens('Die Handyhülle und Schutzgläser, PANZERSCHUTZGLAS'), JSON_UNESCAPED_UNICODE), "\n";
echo json_encode([$german == new Analyzer('german', false, ['und'], false, array_reverse($words)), $german == new Analyzer('german', stopWords: ['und'])]), "\n";
$folder = new_folder();
$writer = IndexWriter::open($folder, ['title' => ['stored' => true], 'en' => ['analyzer' => new Analyzer('english')]], $german);
$writer->add(1, ['title' => 'Rote Handyhülle aus Leder']);
$writer->add(2, ['title' => 'Hülle für das Handy']);
$writer->add(3, ['title' => 'Handy', 'en' => 'Hülle']);
$writer->commit();
$writer->add(4, ['title' => 'Panzerschutzglas, 3 Stück', 'en' => 'Handyhülle']);
$writer->commit();
unset($writer);
$index = Index::open($folder);
echo json_encode($index->analyzer()->options()['compounds'] === $german->options()['compounds']), "\n";
foreach (['handyhülle', 'Hülle', 'handy hülle', '"handyhülle"', '-handyhülle handy', 'glas', '"schutz glas"', '"handy hülle"', '"handyhülle leder"~1', '"rote handyhülle aus"', 'title:handyhülle', 'handyhü*', 'Schutzglas'] as $query) {
    echo $query, ' ', json_encode($index->search($query)->ids()), json_encode($index->search($query, matching: 'any')->ids()), $index->count($query), "\n";
}
echo json_encode([$index->search('handyhüle', typos: 'auto')->ids(), $index->search('rote handyhül', prefix: true)->ids(), $index->search('smartphone', synonyms: ['smartphone' => ['handyhülle']])->ids()]), "\n";
echo $index->highlight('hülle', 'Rote Handyhülle, Hülle'), ' ', $index->highlight('handyhülle', 'HANDYHÜLLE oder Hülle'), ' ', $index->highlight('handyhülle', 'Handyhülle oder Hülle', field: 'en'), "\n";
echo json_encode(array_map(fn ($part) => $part['clause'] . ' ' . $part['term'], $index->explain('handyhülle', 2)['parts'])), ' ', json_encode($index->suggest('h'), JSON_UNESCAPED_UNICODE), "\n";
foreach ([fn () => new Analyzer(compounds: 'handy'), fn () => new Analyzer(compounds: [1]), fn () => new Analyzer(compounds: ["\xff"]), fn () => new Analyzer(compounds: array_fill(0, 100_001, 'ab')), fn () => new Analyzer('klingon', compounds: ['ab']), fn () => IndexWriter::open($folder, null, new Analyzer('german', stopWords: ['und']))] as $wrong) {
    outcome('wrong', $wrong);
}
?>
--EXPECT--
["glas","handy","hülle","panzer","schutz"] ["die","handyhull","handy","hull","schutzglas","schutz","glas","panzerschutzglas","panz","schutz","glas"]
[true,false]
true
handyhülle [1,2,4][1,2,4]3
Hülle [3,2,1][3,2,1]3
handy hülle [3,2,1][3,2,1]3
"handyhülle" [1,4][1,4]2
-handyhülle handy [3,2][3,2]2
glas [4][4]1
"schutz glas" [4][4]1
"handy hülle" [1][1]1
"handyhülle leder"~1 [1][1]1
"rote handyhülle aus" [1][1]1
title:handyhülle [1,2][1,2]2
handyhü* [1,4][1,4]2
Schutzglas [4][4]1
[[1,4],[1],[1,4]]
Rote Handy<mark>hülle</mark>, <mark>Hülle</mark> <mark>HANDYHÜLLE</mark> oder <mark>Hülle</mark> <mark>Handyhülle</mark> oder Hülle
["\"handy hull\" handy hull"] {"handy":3,"hülle":3,"handyhülle":2}
wrong: TypeError: Postings\Analyzer::__construct(): Argument #5 ($compounds) must be of type array, string given
wrong: TypeError: Postings\Analyzer::__construct(): Argument #5 ($compounds) must contain only string, int given
wrong: ValueError: Postings\Analyzer::__construct(): Argument #5 ($compounds) must be UTF-8
wrong: ValueError: Postings\Analyzer::__construct(): Argument #5 ($compounds) cannot be used: compounds have at most 100000 words, of 1048576 bytes in all; these are 100001, of 200002
wrong: ValueError: Postings\Analyzer::__construct(): Argument #1 ($language) cannot be used: no stemmer for the language "klingon"; there are arabic, armenian, basque, catalan, czech, danish, dutch, dutch_porter, earlymodernenglish, english, esperanto, estonian, finnish, french, german, greek, hindi, hungarian, indonesian, irish, italian, lithuanian, lovins, nepali, norwegian, persian, polish, porter, portuguese, romanian, russian, serbian, sesotho, spanish, swedish, tamil, turkish, ukrainian, yiddish
wrong: ValueError: Postings\IndexWriter::open(): Argument #3 ($analyzer) cannot be used: the analyzer of this index is version 1, language german, 1 stop word, compounds of 5 words, not version 1, language german, 1 stop word. Open it without analyzer to go on with its own, or create a new index in another folder and add the documents again
