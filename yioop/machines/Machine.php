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
namespace Postings\Machines;

/** A Yioop with a work directory and an address of its own, which PHP's own web server serves. */
final class Machine
{
    /** The time at which the crawl began, which is the name of the index on all machines. */
    const INDEX = '1700000000';
    /** Requests that a machine answers at a time: the coordinator asks itself, too. */
    private const WORKERS = 4;
    /** What Yioop uses and a PHP may have as modules. */
    private const EXTENSIONS =
        ['mbstring', 'curl', 'pdo', 'pdo_sqlite', 'ctype', 'iconv', 'posix', 'dom', 'xml', 'simplexml', 'fileinfo'];
    /** @var resource|null */
    private $server = null;

    public function __construct(
        private string $yioop,
        private string $address,
        private int $port,
        private string $work,
        string $coordinator,
    ) {
        foreach (['cache', 'data', 'schedules', 'temp', 'log', 'app/models'] as $folder) {
            mkdir("$work/$folder", 0777, true);
        }
        foreach (['public', 'private'] as $which) {
            copy("$yioop/src/data/{$which}_default.db", "$work/data/{$which}_default.db");
        }
        $settings = [
            'NAME_SERVER' => $coordinator, 'AUTH_KEY' => 'of all machines', 'USE_FILECACHE' => false, 'DEBUG_LEVEL' => 0,
            'WEB_ACCESS' => true, 'RSS_ACCESS' => true, 'API_ACCESS' => true, 'DEFAULT_LOCALE' => 'en-US',
            'DBMS' => 'Sqlite3', 'DB_NAME' => 'public_default', 'DB_HOST' => '', 'DB_USER' => '', 'DB_PASSWORD' => '',
            'AUTHENTICATION_MODE' => 1, 'RECOVERY_MODE' => 0, 'REGISTRATION_TYPE' => 'disable_registration',
            'MEDIA_MODE' => 'name_server',
            'USE_MAIL_PHP' => true, 'MAIL_SENDER' => '', 'MAIL_SERVER' => '', 'MAIL_PORT' => '', 'MAIL_USERNAME' => '',
            'MAIL_PASSWORD' => '', 'MAIL_SECURITY' => '', 'USER_AGENT_SHORT' => 'Bot', 'USE_PROXY' => false, 'TOR_PROXY' => '',
            'PROXY_SERVERS' => '', 'WORD_SUGGEST' => false, 'CACHE_LINK' => false, 'SIMILAR_LINK' => false, 'IN_LINK' => false,
            'IP_LINK' => false, 'RESULT_SCORE' => true, 'SIGNIN_LINK' => false, 'SUBSEARCH_LINK' => false, 'SUFFIX_PHRASES' => false,
            'TITLE_WEIGHT' => 4, 'DESCRIPTION_WEIGHT' => 1, 'LINK_WEIGHT' => 2, 'MIN_RESULTS_TO_GROUP' => 200, 'SERVER_ALPHA' => 1.6,
            'BACKGROUND_COLOR' => '', 'FOREGROUND_COLOR' => '', 'SIDEBAR_COLOR' => '', 'TOPBAR_COLOR' => '',
            'MONETIZATION_TYPE' => 'no_monetization', 'AD_LOCATION' => 'none', 'SEARCH_ANALYTICS_MODE' => 0,
            'GROUP_ANALYTICS_MODE' => 0, 'DIFFERENTIAL_PRIVACY' => false,
        ];
        $profile = "<?php\nnamespace seekquarry\\yioop\\configs;\n";
        foreach ($settings as $name => $value) {
            $profile .= "nsdefine('$name', " . var_export($value, true) . ");\n";
        }
        file_put_contents("$work/Profile.php", $profile);
        $this->database()->exec('INSERT INTO CURRENT_WEB_INDEX VALUES (' . self::INDEX . ')');
        // Yioop's own model under another name, so that ours can time it.
        $model = file_get_contents("$yioop/src/models/PhraseModel.php");
        file_put_contents("$work/app/models/UntimedPhraseModel.php",
            preg_replace('/^class PhraseModel /m', 'class UntimedPhraseModel ', $model));
        copy(__DIR__ . '/PhraseModel.php', "$work/app/models/PhraseModel.php");
    }

    /** Options of PHP: what Yioop needs, and neither php.ini nor what it loads. */
    private static function php(): array
    {
        $options = ['-n'];
        foreach (['opcache', ...self::EXTENSIONS] as $extension) {
            if (is_file(ini_get('extension_dir') . "/$extension.so")) {
                array_push($options, '-d', ($extension == 'opcache' ? 'zend_extension=' : 'extension=') . $extension);
            }
        }
        return $options;
    }

    private function database(): \PDO
    {
        return new \PDO("sqlite:$this->work/data/public_default.db");
    }

    public function url(): string
    {
        return "http://$this->address:$this->port/";
    }

    /** Has a machine ask others: the list of machines that an administrator fills in. */
    public function ask(Machine ...$leaves): void
    {
        $database = $this->database();
        $database->exec('DELETE FROM MACHINE');
        foreach ($leaves as $i => $leaf) {
            $database->prepare('INSERT INTO MACHINE VALUES (?, ?, 0, 1, "")')->execute(["LEAF $i", $leaf->url()]);
        }
    }

    /** Indexes this leaf's part of the documents; the number of its documents and links, and of its generations. */
    public function build(int $leaf, int $leaves, int $documents, int $perGeneration): array
    {
        $command = [PHP_BINARY, ...self::php(), __DIR__ . '/build.php', $this->yioop, $this->work, $leaf, $leaves, $documents,
            $perGeneration];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $status);
        if ($status != 0 || !preg_match('/^(\d+) (\d+)$/', end($lines), $counts)) {
            throw new \RuntimeException("Yioop could not build the index of a leaf:\n" . implode("\n", $lines));
        }
        return [(int) $counts[1], (int) $counts[2]];
    }

    /** Starts the server, with the drop-in as docs/with-yioop.md says, or without it. */
    public function start(?string $dropIn): void
    {
        $folder = "$this->work/app/library/index_bundle_iterators";
        exec('rm -rf ' . escapeshellarg("$this->work/app/library"));
        $options = self::php();
        if ($dropIn !== null) {
            mkdir($folder, 0777, true);
            foreach (glob(dirname(__DIR__) . '/app/library/index_bundle_iterators/*.php') as $file) {
                copy($file, "$folder/" . basename($file));
            }
            array_push($options, '-d', "extension=$dropIn", '-d', 'postings.yioop=1');
        }
        $log = ['file', "$this->work/server.log", 'a'];
        $this->server = proc_open([PHP_BINARY, ...$options, '-S', "$this->address:$this->port", __DIR__ . '/front.php'],
            [['file', '/dev/null', 'r'], $log, $log], $pipes, $this->work,
            ['PHP_CLI_SERVER_WORKERS' => self::WORKERS, 'YIOOP' => $this->yioop, 'YIOOP_WORK' => $this->work] + getenv());
        for ($i = 0; $i < 200; $i++) {
            usleep(25000);
            if ($socket = @fsockopen($this->address, $this->port)) {
                fclose($socket);
                return;
            }
        }
        throw new \RuntimeException("no server at {$this->url()}:\n" . file_get_contents("$this->work/server.log"));
    }

    public function stop(): void
    {
        if ($this->server !== null) {
            // The workers are children of the server, which outlive it.
            $id = proc_get_status($this->server)['pid'];
            foreach (explode("\n", trim((string) @file_get_contents("/proc/$id/task/$id/children"))) as $children) {
                foreach (array_filter(explode(' ', $children)) as $child) {
                    posix_kill((int) $child, SIGTERM);
                }
            }
            proc_terminate($this->server);
            proc_close($this->server);
            $this->server = null;
        }
    }

    /** What a query finds, by the answer that programs get. */
    public function search(string $query, int $from, int $many): array
    {
        $url = $this->url() . '?' . http_build_query(['q' => $query, 'f' => 'serial', 'limit' => $from, 'num' => $many]);
        $answer = (string) @file_get_contents($url);
        $data = @unserialize($answer);
        if (!is_array($data)) {
            throw new \RuntimeException("no answer to $url:\n" . substr($answer, 0, 2000) . "\n" .
                substr((string) @file_get_contents("$this->work/server.log"), -2000));
        }
        return $data;
    }

    /** The requests that were answered since the last call, as front.php describes them. */
    public function requests(): array
    {
        usleep(20000);
        $file = "$this->work/requests.txt";
        $lines = is_file($file) ? file($file) : [];
        file_put_contents($file, '');
        return array_map(fn($line) => json_decode($line, true), $lines);
    }
}
