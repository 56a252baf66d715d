<?php

declare(strict_types=1);

/*
 * Writes documents of random words, as lines of JSON and as lines of id, tab and text: php documents.php COUNT FOLDER
 *
 * Some ids are integers and some strings. One document in fifty comes again later with another text.
 */

[, $count, $folder] = $argv;
mt_srand(21);
$word = static fn (): string => 'w' . (int) (2000 * (mt_rand() / mt_getrandmax()) ** 3);
$words = static fn (int $count): string => implode(' ', array_map($word, range(1, $count)));
mkdir("$folder/json");
mkdir("$folder/text");
for ($i = 0; $i < $count; $i++) {
    $number = $i > 50 && $i % 50 === 0 ? mt_rand(0, $i - 1) : $i;
    $document = [
        'id' => $number % 3 === 0 ? $number : "p-$number",
        'title' => $words(4),
        'text' => $words(mt_rand(5, 60)) . ($i % 7 === 0 ? " é\u{2028}\"\\ \u{1F98A}" : ''),
        'brand' => ['Acme', "O'Neil", 'Ünlü'][$i % 3],
        'price' => mt_rand(1, 9999) + 0.25,
        'ignored' => true,
    ];
    if ($i % 11 === 0) {
        unset($document['title'], $document['price']);
    }
    // Two files, whose order is that of their names.
    $file = $i < $count / 4 ? 'a' : 'b';
    $flags = $i % 2 === 0 ? JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS : 0;
    file_put_contents("$folder/json/$file.json", json_encode($document, $flags | JSON_THROW_ON_ERROR) . "\n", FILE_APPEND);
    file_put_contents("$folder/text/$file.txt", "{$document['id']}\t{$document['text']}\n", FILE_APPEND);
}
