"""Searches the collection that `--peers DIR` of the bench `weights` wrote with BMP (Mallia, Suel, Tonellotto 2024) and with PISA's
MaxScore and block-max MaxScore, on one thread.

    python3 -m venv VENV && VENV/bin/pip install bmp numpy 'tbb<2021' && VENV/bin/pip install --no-deps pyterrier_pisa
    VENV/bin/python benches/weights/peers.py DIR [bmp] [pisa]

Compares the scores of each query's hits with what was found there, and prints times of both.
"""

import ctypes
import importlib.util
import os
import sys
import time

import bmp
import numpy

LIMITS = (10, 1000)


def measure(name, folder, queries, limit, search):
    """`search` returns the scores of the hits of a query, the greatest first."""
    with open(f"{folder}/found-{limit}.txt") as file:
        ours = [line.rstrip("\n").split("\t") for line in file]
    # The first round reads the index from the disk.
    for _ in range(2):
        times, differing = [], 0
        for query, (_, wanted) in zip(queries, ours):
            begin = time.perf_counter()
            scores = search(query, limit)
            times.append(1e3 * (time.perf_counter() - begin))
            differing += [float(score) for score in scores] != [float(score) for score in wanted.split(" ")]
    own = sorted(float(time) for time, _ in ours)
    times.sort()
    mean, theirs = sum(own) / len(own), sum(times) / len(times)
    print(
        f"{name}, top {limit}: {theirs:.3f} ms, p99 {times[int(0.99 * (len(times) - 1))]:.3f}; Postings {mean:.3f}, "
        f"p99 {own[int(0.99 * (len(own) - 1))]:.3f}; {theirs / mean:.2f} times as long; {differing} of {len(times)} queries with other scores",
        flush=True,
    )


def with_bmp(folder, queries):
    for size in (8, 16, 32, 64):
        index = f"{folder}/{size}.bmp"
        if not os.path.exists(index):
            bmp.ciff2bmp(ciff_file=f"{folder}/collection.ciff", output=index, bsize=size, compress_range=True)
        searcher = bmp.Searcher(index)
        for limit in LIMITS:
            measure(f"bmp, blocks of {size}", folder, queries, limit, lambda query, k: searcher.search(query, k=k, alpha=1.0, beta=1.0)[1])


def pisathon():
    """PISA's functions. The package around them wants Java, and is not loaded."""
    libraries = (f"{folder}/lib/libtbb.so.2" for folder in [sys.prefix, *sys.path])
    ctypes.CDLL(next(filter(os.path.exists, libraries)), mode=ctypes.RTLD_GLOBAL)
    [folder] = importlib.util.find_spec("pyterrier_pisa").submodule_search_locations
    [library] = [name for name in os.listdir(folder) if name.startswith("_pisathon") and name.endswith(".so")]
    spec = importlib.util.spec_from_file_location("_pisathon", f"{folder}/{library}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_pisa(folder, queries):
    pisa, index = pisathon(), f"{folder}/pisa"
    for name, lexicon in (("documents", "doclex"), ("terms", "termlex")):
        if not os.path.exists(f"{index}/fwd.{lexicon}"):
            pisa.build_binlex(f"{index}/fwd.{name}", f"{index}/fwd.{lexicon}")
    pisa.log_level(0)
    context = pisa.RetrievalContext()
    pisa.prepare_index(context, index, "block_simdbp", "quantized", "", quantize=0, stop_fname="")

    def search(algorithm, query, limit):
        columns = [numpy.empty(limit, dtype=kind) for kind in (numpy.int32, object, numpy.int32, numpy.float32)]
        numbers, names, ranks, scores = columns
        count = pisa.retrieve(
            context, algorithm, [(0, query)], k=limit, threads=1, query_weighted=1, pretokenised=True,
            result_qidxs=numbers, result_docnos=names, result_ranks=ranks, result_scores=scores,
        )
        return scores[:count]

    for algorithm in ("maxscore", "block_max_maxscore"):
        for limit in LIMITS:
            measure(f"PISA, {algorithm}", folder, queries, limit, lambda query, k: search(algorithm, query, k))


def main(folder, *peers):
    with open(f"{folder}/queries.txt") as file:
        lines = (dict(term.split(" ") for term in line.rstrip("\n").split("\t")) for line in file)
        queries = [{term: float(weight) for term, weight in line.items()} for line in lines]
    for name, measure_it in {"bmp": with_bmp, "pisa": with_pisa}.items():
        if name in (peers or (name,)):
            measure_it(folder, queries)


if __name__ == "__main__":
    main(*sys.argv[1:])
