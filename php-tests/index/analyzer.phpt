--TEST--
Analyzer: terms, languages, stop words; equality; immutable
--FILE--
<?php
require __DIR__ . '/../helpers.inc';
use Postings\Analyzer;

$show = fn (array $terms) => json_encode($terms, JSON_UNESCAPED_UNICODE);
$text = "The Quick foxes' jumping, déjà-vu! e-mail don't 3.14 検索語 \xff x_y sentence.Another";
foreach ([new Analyzer(), new Analyzer('english'), new Analyzer('en', true), new Analyzer(language: 'english', stopWords: true), new Analyzer(null, false, 'english'), new Analyzer(stopWords: ['QUICK', 'x']), new Analyzer('german'), new Analyzer('french', fold: true), new Analyzer(parts: true)] as $analyzer) {
    $options = $analyzer->options();
    $options['stopWords'] = count($options['stopWords']);
    echo json_encode($options), ' ', $show($analyzer->tokens($text)), "\n";
}
outcome('nothing', fn () => [(new Analyzer())->tokens(''), (new Analyzer())->tokens(" \n.,"), (new Analyzer())->tokens(str_repeat('x', 256)), count((new Analyzer())->tokens(str_repeat('wort ', 100000)))]);
outcome('detect', fn () => [Analyzer::detect('It was the best of times, it was the worst of times.'), Analyzer::detect('Wer immer strebend sich bemüht, den können wir erlösen.'), Analyzer::detect('x'), Analyzer::detect('')]);
outcome('numbers of', fn () => [count(Analyzer::languages()) > 20, in_array('english', Analyzer::languages(), true), count(Analyzer::stopWords('german')) > 50, in_array('the', Analyzer::stopWords('english'), true)]);
foreach (Analyzer::languages() as $language) {
    if ((new Analyzer($language))->tokens('word') === []) {
        echo "$language\n";
    }
}
foreach ([fn () => new Analyzer('klingon'), fn () => new Analyzer(''), fn () => new Analyzer("\xff"), fn () => new Analyzer('finnish', stopWords: true), fn () => new Analyzer(stopWords: true), fn () => new Analyzer(stopWords: 'finnish'), fn () => new Analyzer(stopWords: [1]), fn () => new Analyzer(stopWords: ["\xff"]), fn () => new Analyzer(stopWords: null), fn () => new Analyzer(stopWords: 1), fn () => new Analyzer([]), fn () => new Analyzer('english', false, [], true, [], 1), fn () => Analyzer::stopWords('finnish')] as $wrong) {
    try {
        $wrong();
        echo "worked\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', preg_replace('/there are .*/', 'there are …', $e->getMessage()), "\n";
    }
}
$english = new Analyzer('english');
outcome('equal', fn () => [$english == new Analyzer('en'), $english == new Analyzer('german'), new Analyzer(stopWords: ['b', 'A']) == new Analyzer(stopWords: ['a', 'B', 'b']), $english == 'english', $english < new Analyzer('german')]);
outcome('constructed again', fn () => $english->__construct('german'));
outcome('clone', fn () => clone $english);
outcome('serialize', fn () => serialize($english));
outcome('property', function () use ($english) { $english->language = 'german'; });
outcome('a failed one', function () { try { $a = (new ReflectionClass(Analyzer::class))->newInstanceWithoutConstructor(); } finally { echo isset($a) ? "made\n" : "not made\n"; } });
?>
--EXPECT--
{"language":null,"fold":false,"stopWords":0,"parts":false,"compounds":[]} ["the","quick","foxes","jumping","déjà","vu","e","mail","don't","3.14","検索","索語","x_y","sentence.another"]
{"language":"english","fold":false,"stopWords":0,"parts":false,"compounds":[]} ["the","quick","fox","jump","déjà","vu","e","mail","don't","3.14","検索","索語","x_i","sentence.anoth"]
{"language":"english","fold":true,"stopWords":0,"parts":false,"compounds":[]} ["the","quick","fox","jump","deja","vu","e","mail","don't","3.14","検索","索語","x_i","sentence.anoth"]
{"language":"english","fold":false,"stopWords":123,"parts":false,"compounds":[]} ["quick","fox","jump","déjà","vu","e","mail","don't","3.14","検索","索語","x_i","sentence.anoth"]
{"language":null,"fold":false,"stopWords":123,"parts":false,"compounds":[]} ["quick","foxes","jumping","déjà","vu","e","mail","don't","3.14","検索","索語","x_y","sentence.another"]
{"language":null,"fold":false,"stopWords":2,"parts":false,"compounds":[]} ["the","foxes","jumping","déjà","vu","e","mail","don't","3.14","検索","索語","x_y","sentence.another"]
{"language":"german","fold":false,"stopWords":0,"parts":false,"compounds":[]} ["the","quick","fox","jumping","déjà","vu","e","mail","don't","3.14","検索","索語","x_y","sentence.anoth"]
{"language":"french","fold":true,"stopWords":0,"parts":false,"compounds":[]} ["the","quick","fox","jumping","dej","vu","e","mail","don't","3.14","検索","索語","x_y","sentence.anoth"]
{"language":null,"fold":false,"stopWords":0,"parts":true,"compounds":[]} ["the","quick","foxes","jumping","déjà","vu","e","mail","don't","3.14","検索","索語","x_y","sentence","another"]
nothing: returned array (
  0 => 
  array (
  ),
  1 => 
  array (
  ),
  2 => 
  array (
  ),
  3 => 100000,
)
detect: returned array (
  0 => NULL,
  1 => 'german',
  2 => NULL,
  3 => NULL,
)
numbers of: returned array (
  0 => true,
  1 => true,
  2 => true,
  3 => true,
)
ValueError: Postings\Analyzer::__construct(): Argument #1 ($language) cannot be used: no stemmer for the language "klingon"; there are …
ValueError: Postings\Analyzer::__construct(): Argument #1 ($language) cannot be used: no stemmer for the language ""; there are …
ValueError: Postings\Analyzer::__construct(): Argument #1 ($language) must be UTF-8
ValueError: Postings\Analyzer::__construct(): Argument #3 ($stopWords) must be a language with a list of stop words: dutch, english, french, german, italian, portuguese, spanish; 'finnish' given
ValueError: Postings\Analyzer::__construct(): Argument #3 ($stopWords) must be a list of words, or the name of a list: no language is given
ValueError: Postings\Analyzer::__construct(): Argument #3 ($stopWords) must be a language with a list of stop words: dutch, english, french, german, italian, portuguese, spanish; 'finnish' given
TypeError: Postings\Analyzer::__construct(): Argument #3 ($stopWords) must contain only string, int given
ValueError: Postings\Analyzer::__construct(): Argument #3 ($stopWords) must be UTF-8
TypeError: Postings\Analyzer::__construct(): Argument #3 ($stopWords) must be of type array|string|bool, null given
TypeError: Postings\Analyzer::__construct(): Argument #3 ($stopWords) must be of type array|string|bool, int given
TypeError: Postings\Analyzer::__construct(): Argument #1 ($language) must be of type ?string, array given
ArgumentCountError: Postings\Analyzer::__construct() expects at most 5 arguments, 6 given
ValueError: Postings\Analyzer::stopWords(): Argument #1 ($language) must be a language with a list of stop words: dutch, english, french, german, italian, portuguese, spanish; 'finnish' given
equal: returned array (
  0 => true,
  1 => false,
  2 => true,
  3 => false,
  4 => false,
)
constructed again: Error: Postings\Analyzer objects cannot be changed
clone: Error: Trying to clone an uncloneable object of class Postings\Analyzer
serialize: Exception: Serialization of 'Postings\Analyzer' is not allowed
property: Error: Cannot create dynamic property Postings\Analyzer::$language
not made
a failed one: ReflectionException: Class Postings\Analyzer is an internal class marked as final that cannot be instantiated without invoking its constructor
