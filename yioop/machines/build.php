<?php
/**
 * Part of Postings: Yioop on several machines.
 *
 * Copyright (C) 2026 the authors of Postings
 *
 * This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public
 * License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later
 * version. It is distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY; without even the implied
 * warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the GNU General Public License for more
 * details: <https://www.gnu.org/licenses/>.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/*
 * Indexes the documents of one leaf, as a fetcher and a queue server of Yioop would:
 *
 *     php yioop/machines/build.php YIOOP WORK_DIRECTORY LEAF LEAVES DOCUMENTS PER_GENERATION
 *
 * A document and a link belong to the leaf that Yioop chooses by their hosts.
 */
namespace Postings\Machines;

use seekquarry\yioop\library as L;
use seekquarry\yioop\library\CrawlConstants as Field;
use seekquarry\yioop\library\IndexArchiveBundle;
use seekquarry\yioop\library\IndexShard;
use seekquarry\yioop\library\PhraseParser;
use seekquarry\yioop\library\UrlParser;

[, $yioop, $work, $leaf, $leaves, $many, $perGeneration] = $argv;
require __DIR__ . '/Documents.php';
require __DIR__ . '/Machine.php';

// Under PHP 8 Yioop's error handler prints a page of warnings per document.
ob_start();
define('seekquarry\yioop\configs\WORK_DIRECTORY', $work);
$_SERVER['NO_LOGGING'] = true;
require "$yioop/src/library/Utility.php";
require "$yioop/src/library/LocaleFunctions.php";
L\setLocaleObject('en-US');
ini_set('memory_limit', '1G');

const LANGUAGE = 'en-US';

/** A document's fields, as a fetcher would have made them. */
function page(array $document): array
{
    return [Field::URL => $document['url'], Field::TITLE => $document['title'], Field::DESCRIPTION => $document['text'],
        Field::HASH => L\crawlHash($document['text'], true), Field::TYPE => 'text/html', Field::HTTP_CODE => 200,
        Field::LANG => LANGUAGE, Field::TIMESTAMP => 1700000000, Field::ENCODING => 'UTF-8', Field::SIZE => 5000,
        Field::LINKS => $document['links']];
}

/** A link's fields, and its key. */
function linkTo(string $url, string $text, string $from): array
{
    $reference = UrlParser::getHost($url) == UrlParser::getHost($from) ? 'i' : 'e';
    $id = "url|$url|text|" . urlencode($text) . "|{$reference}ref|$from";
    $key = L\crawlHash($url, true) . L\crawlHash($id, true) . $reference .
        substr(L\crawlHash(UrlParser::getHost($from) . '/', true), 1);
    return [$key, [Field::URL => $id, Field::TITLE => $url, Field::DESCRIPTION => $text, Field::HASH => $id, Field::TYPE => 'link',
        Field::HTTP_CODE => $key, Field::LANG => LANGUAGE, Field::TIMESTAMP => 1700000000, Field::ENCODING => 'UTF-8']];
}

$belongs = fn(string $url) => L\calculatePartition(UrlParser::getHost($url), (int) $leaves) == $leaf;
$entries = [];
foreach ((new Documents((int) $many))->all as $document) {
    $page = page($document);
    if ($belongs($page[Field::URL])) {
        $host = substr(L\crawlHash(UrlParser::getHost($page[Field::URL]) . '/', true), 1);
        $entries[] = [L\crawlHash($page[Field::URL], true) . $page[Field::HASH] . "d$host", $page,
            UrlParser::getWordsInHostUrl($page[Field::URL]) . ' .. ' . $page[Field::TITLE] . ' ..  ' .
                UrlParser::getWordsLastPathPartUrl($page[Field::URL]) . ' .. ' . $page[Field::DESCRIPTION],
            array_merge(PhraseParser::calculateMetas($page), ['safe:all', 'safe:true']), true];
    }
    foreach ($document['links'] as $url => $text) {
        if ($belongs($url)) {
            [$key, $link] = linkTo($url, $text, $document['url']);
            $entries[] = [$key, $link, $text,
                PhraseParser::calculateLinkMetas($url, UrlParser::getHost($url), $text, $document['url'], [Field::LANG => LANGUAGE]),
                false];
        }
    }
}
$folder = "$work/cache/IndexData" . Machine::INDEX;
$description = serialize(['DESCRIPTION' => "leaf $leaf of $leaves"]);
$index = new IndexArchiveBundle($folder, false, $description, (int) $perGeneration);
foreach (array_chunk($entries, 100) as $chunk) {
    $shard = new IndexShard('fetcher_shard');
    $generation = $index->initGenerationToAdd(count($chunk));
    $pages = [];
    foreach ($chunk as [$key, $page, $text, $metas, $isDocument]) {
        $words = PhraseParser::extractPhrasesInLists($text, LANGUAGE)['WORD_LIST'];
        $shard->addDocumentWords($key, Field::NEEDS_OFFSET_FLAG, $words, $metas, $isDocument);
        $pages[] = [...$page, Field::HASH_URL => substr($key, 0, 8), Field::IS_DOC => $isDocument];
    }
    $index->addPages($generation, Field::SUMMARY_OFFSET, $pages, count(array_filter(array_column($chunk, 4))));
    $shard->changeDocumentOffsets(array_combine(array_column($chunk, 0), array_column($pages, Field::SUMMARY_OFFSET)));
    $index->addIndexData($shard);
}
$index->stopIndexingBundle();
ob_end_clean();
echo count($entries), ' ', $index->generation_info['ACTIVE'], "\n";
