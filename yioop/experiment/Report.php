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

    public function json(string $file): void
    {
        $points = array_map(fn($points) => array_map(fn($point) => [$point[0], round($point[1], 5)], $points), $this->points);
        file_put_contents($file, json_encode($this->setting + ['rows' => $this->rows, 'points' => $points],
            JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES) . "\n");
    }

    /** The time of a query by the length of its shortest list; both axes are logarithmic. */
    public function svg(string $file): void
    {
        [$width, $height, $left, $top, $right] = [740, 420, 70, 40, 40];
        $all = array_merge(...array_values($this->points ?: [[[1, 1]]]));
        $range = function (int $axis) use ($all) {
            $values = array_map(fn($point) => log10(max(1e-4, $point[$axis])), $all);
            $low = floor(min($values));
            return [$low, max($low + 1, ceil(max($values)))];
        };
        [[$x0, $x1], [$y0, $y1]] = [$range(0), $range(1)];
        $x = fn(float $log) => $left + ($log - $x0) / ($x1 - $x0) * ($width - $left - $right);
        $y = fn(float $log) => $height - 50 - ($log - $y0) / ($y1 - $y0) * ($height - 50 - $top);
        $svg = "<svg xmlns='http://www.w3.org/2000/svg' width='$width' height='$height' font-family='sans-serif' font-size='12'>\n"
            . "<rect width='100%' height='100%' fill='white'/>\n";
        for ($decade = $x0; $decade <= $x1; $decade++) {
            $svg .= sprintf("<path d='M%.1f %dV%d' stroke='#ddd'/><text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n",
                $x($decade), $top, $height - 50, $x($decade), $height - 32, number_format(10 ** $decade));
        }
        for ($decade = $y0; $decade <= $y1; $decade++) {
            $svg .= sprintf("<path d='M%d %.1fH%d' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>%s ms</text>\n",
                $left, $y($decade), $width - $right, $left - 6, $y($decade) + 4, rtrim(rtrim(sprintf('%.3f', 10 ** $decade), '0'), '.'));
        }
        $colours = ['#c0392b', '#2471a3', '#1e8449', '#8e44ad'];
        foreach (array_keys($this->points) as $i => $series) {
            $colour = $colours[$i % count($colours)];
            foreach ($this->points[$series] as [$documents, $milliseconds]) {
                $svg .= sprintf("<circle cx='%.1f' cy='%.1f' r='3' fill='%s' fill-opacity='.6'/>\n",
                    $x(log10($documents)), $y(log10(max(1e-4, $milliseconds))), $colour);
            }
            $svg .= sprintf("<circle cx='%d' cy='20' r='4' fill='%s'/><text x='%d' y='24'>%s</text>\n",
                $left + 160 * $i, $colour, $left + 8 + 160 * $i, htmlspecialchars($series));
        }
        $svg .= sprintf("<text x='%d' y='%d' text-anchor='middle'>documents in the query's shortest list</text>\n</svg>\n",
            intdiv($left + $width, 2), $height - 12);
        file_put_contents($file, $svg);
    }
}
