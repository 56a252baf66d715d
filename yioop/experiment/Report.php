<?php
/**
 * Part of Postings: the experiment with Yioop.
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
namespace Postings\Experiment;

/** What was measured: as a table, as JSON, and as a plot. */
final class Report
{
    /** @var list<array<string, mixed>> */
    private array $rows = [];
    /** @var array<string, list<array{float, float}>> series => points of (documents in the shortest list, ms) */
    private array $points = [];

    public function __construct(private array $setting)
    {
    }

    /**
     * @param array<string, ?float> $times way => seconds; the first is what the others are compared with
     */
    public function row(string $what, string $on, array $times, array $more = []): void
    {
        $this->rows[] = ['what' => $what, 'on' => $on, 'seconds' => $times] + $more;
        $base = reset($times);
        printf("%-36s %-26s", $what, $on);
        foreach ($times as $way => $seconds) {
            if ($seconds === null) {
                printf(' %12s %8s', '-', '');
            } else {
                printf(' %9.3f ms %7s', 1e3 * $seconds, $seconds === $base ? '' : sprintf('x%.1f', $base / $seconds));
            }
        }
        echo isset($more['note']) ? "  $more[note]" : '', "\n";
    }

    public function head(array $ways): void
    {
        printf("%-36s %-26s", '', '');
        foreach ($ways as $way) {
            printf(' %12s %7s', $way, '');
        }
        echo "\n";
    }

    public function point(string $series, float $documents, float $seconds): void
    {
        $this->points[$series][] = [max(1, $documents), 1e3 * $seconds];
    }

    /** The figures, and the plot: the time of a query by the length of its shortest list, as benches/report.rs draws it. */
    public function json(string $file): void
    {
        $curves = [];
        foreach ($this->points as $name => $points) {
            $curves[] = ['name' => $name, 'points' => array_map(fn($point) => [$point[0], round($point[1], 5)], $points)];
        }
        $plot = [
            'file' => pathinfo($file, PATHINFO_FILENAME), 'title' => 'Time of a query against the length of its shortest list',
            'x' => "documents in the query's shortest list", 'y' => 'milliseconds',
            'x_scale' => 'log10', 'y_scale' => 'log10', 'lines' => false, 'curves' => $curves,
        ];
        file_put_contents($file, json_encode($this->setting + ['rows' => $this->rows, 'plots' => [$plot]],
            JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES) . "\n");
    }
}
