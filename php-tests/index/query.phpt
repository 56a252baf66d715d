--TEST--
What visitors type: syntax, and everything that is none, never throws
--FILE--
<?php
require __DIR__ . '/../index.inc';

$index = catalogue();
$queries = [
    'fast', 'FAST', 'posting lists', '"posting list"', '"list posting"', '“posting list”', 'fast -toy', '-toy', 'title:codec', 'title:fast',
    'body:fast', '-title:codec fast', 'comp*', 'serach~', 'serach~2', 'sear*', 'title:"a fast codec"', 'lists intersecting',
    '', ' ', '"', '""', '"posting', 'posting"', '-', '- toy', '--toy', '*', '**', '~', '~2', ':', 'title:', 'title: codec', 'nosuch:codec', 'lang:en',
    '*fast', 'fa*st', '(fast)', 'fast AND codec', 'fast OR codec', '+fast', 'fast~9999999999999', 'fast~0', '\\', "\0", "fast\0codec", "\xff\xfe fast",
    "\u{200b}", '🦊', 'wörter', 'Woerter', str_repeat('"', 1001), str_repeat('-', 1000) . 'fast', 'fast "', '"fast" "codec"', "fast\tcodec\n",
];
foreach ($queries as $query) {
    $shown = strlen($query) > 40 ? substr($query, 0, 5) . '…' : $query;
    echo json_encode($shown, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE), ' ', ids($index, $query), ' ', ids($index, $query, matching: 'any'), "\n";
}
// Long ones, of which the first 4,096 words times fields count, and any bytes.
mt_srand(1);
$long = implode(' ', array_map(fn ($i) => "w$i", range(1, 10000)));
outcome('10,000 words', fn () => [count($index->search($long)), count($index->search("$long fast", matching: 'any'))]);
$failures = 0;
for ($i = 0; $i < 2000; $i++) {
    $query = '';
    for ($j = mt_rand(0, 30); $j > 0; $j--) {
        $query .= mt_rand(0, 2) === 0 ? chr(mt_rand(0, 255)) : ['"', '-', ':', '*', '~', ' ', 'fast', 'title:', 'list', '2'][mt_rand(0, 9)];
    }
    foreach (['all', 'any', 'all-then-any'] as $matching) {
        $hits = $index->search($query, matching: $matching, total: true);
        $failures += $hits->total !== count($hits) || $hits->total !== $index->count($query, $matching);
    }
    $index->highlight($query, 'a fast text');
    $index->suggest($query);
}
outcome('any bytes', fn () => $failures);
?>
--EXPECT--
"fast" ["codec","toy"] ["codec","toy"]
"FAST" ["codec","toy"] ["codec","toy"]
"posting lists" ["list","codec","toy"] ["list","liste","codec","toy",7]
"\"posting list\"" ["list","codec"] ["list","codec"]
"\"list posting\"" [] []
"“posting list”" ["list","codec"] ["list","codec"]
"fast -toy" ["codec"] ["codec"]
"-toy" ["list","codec","liste",7,"7"] ["list","codec","liste",7,"7"]
"title:codec" ["toy","codec"] ["toy","codec"]
"title:fast" ["codec"] ["codec"]
"body:fast" ["toy"] ["toy"]
"-title:codec fast" [] []
"comp*" ["codec"] ["codec"]
"serach~" [7] [7]
"serach~2" [7] [7]
"sear*" [7] [7]
"title:\"a fast codec\"" ["codec"] ["codec"]
"lists intersecting" [7] ["list","liste",7,"codec","toy"]
"" ["list","codec","toy","liste",7,"7"] ["list","codec","toy","liste",7,"7"]
" " ["list","codec","toy","liste",7,"7"] ["list","codec","toy","liste",7,"7"]
"\"" [] []
"\"\"" [] []
"\"posting" ["list","codec","toy"] ["list","codec","toy"]
"posting\"" ["list","codec","toy"] ["list","codec","toy"]
"-" [] []
"- toy" ["toy"] ["toy"]
"--toy" ["list","codec","liste",7,"7"] ["list","codec","liste",7,"7"]
"*" [] []
"**" [] []
"~" [] []
"~2" [] []
":" [] []
"title:" [] []
"title: codec" [] ["toy","codec"]
"nosuch:codec" [] []
"lang:en" [] []
"*fast" ["codec","toy"] ["codec","toy"]
"fa*st" [] []
"(fast)" ["codec","toy"] ["codec","toy"]
"fast AND codec" [] ["codec","toy"]
"fast OR codec" [] ["codec","toy"]
"+fast" ["codec","toy"] ["codec","toy"]
"fast~9999999999999" ["codec","toy","7","list",7] ["codec","toy","7","list",7]
"fast~0" ["codec","toy"] ["codec","toy"]
"\\" [] []
"\u0000" [] []
"fast\u0000codec" ["codec"] ["codec"]
"�� fast" ["codec","toy"] ["codec","toy"]
"​" [] []
"🦊" [] []
"wörter" ["liste"] ["liste"]
"Woerter" [] []
"\"\"\"\"\"…" [] []
"-----…" ["list","liste",7,"7"] ["list","liste",7,"7"]
"fast \"" ["codec","toy"] ["codec","toy"]
"\"fast\" \"codec\"" ["codec","toy"] ["codec","toy"]
"fast\tcodec\n" ["codec","toy"] ["codec","toy"]
10,000 words: returned array (
  0 => 0,
  1 => 0,
)
any bytes: returned 0
