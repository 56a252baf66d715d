"""Searches the collection that `--peers DIR` of the bench `weights` wrote with BMP (Mallia, Suel, Tonellotto 2024), on one thread.

    python3 -m venv VENV && VENV/bin/pip install bmp
    VENV/bin/python benches/weights/peers.py DIR

Compares the scores of each query's hits with what was found there, and prints times of both.
"""

import os
import sys
import time

import bmp


def main(folder):
    with open(f"{folder}/queries.txt") as file:
        lines = (dict(term.split(" ") for term in line.rstrip("\n").split("\t")) for line in file)
        queries = [{term: float(weight) for term, weight in line.items()} for line in lines]
    for size in (8, 16, 32, 64):
        index = f"{folder}/{size}.bmp"
        if not os.path.exists(index):
            bmp.ciff2bmp(ciff_file=f"{folder}/collection.ciff", output=index, bsize=size, compress_range=True)
        searcher = bmp.Searcher(index)
        for limit in (10, 1000):
            with open(f"{folder}/found-{limit}.txt") as file:
                ours = [line.rstrip("\n").split("\t") for line in file]
            times, differing = [], 0
            # The first round reads the index from the disk.
            for _ in range(2):
                times = []
                differing = 0
                for query, (_, wanted) in zip(queries, ours):
                    begin = time.perf_counter()
                    _, scores = searcher.search(query, k=limit, alpha=1.0, beta=1.0)
                    times.append(1e3 * (time.perf_counter() - begin))
                    differing += [float(score) for score in scores] != [float(score) for score in wanted.split(" ")]
            own = sorted(float(time) for time, _ in ours)
            times.sort()
            mean, theirs = sum(own) / len(own), sum(times) / len(times)
            print(
                f"blocks of {size}, top {limit}: bmp {theirs:.3f} ms, p99 {times[int(0.99 * (len(times) - 1))]:.3f}; Postings {mean:.3f}, "
                f"p99 {own[int(0.99 * (len(own) - 1))]:.3f}; bmp / Postings {theirs / mean:.2f}; {differing} of {len(times)} queries with other scores"
            )


if __name__ == "__main__":
    main(sys.argv[1])
