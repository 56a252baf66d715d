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
 * What PHP's web server runs for each request to a machine: Yioop, and a line in requests.txt of the work directory.
 */
define('seekquarry\yioop\configs\WORK_DIRECTORY', getenv('YIOOP_WORK'));
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
$native = fn() => function_exists('Postings\stats') ? Postings\stats()['cpu_calls'] : 0;
$before = $native();
register_shutdown_function(function () use ($native, $before) {
    $model = 'seekquarry\yioop\models\PhraseModel';
    $timed = class_exists($model, false);
    file_put_contents(getenv('YIOOP_WORK') . '/requests.txt', json_encode([
        'search' => ($_REQUEST['c'] ?? 'search') == 'search',
        'seconds' => microtime(true) - $_SERVER['REQUEST_TIME_FLOAT'],
        'look-ups' => $timed ? $model::$look_ups / 1e9 : 0,
        'postings' => $timed ? $model::$postings / 1e9 : 0,
        'native' => $native() - $before,
    ]) . "\n", FILE_APPEND | LOCK_EX);
});
require getenv('YIOOP') . '/src/index.php';
