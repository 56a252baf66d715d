"""Makes vectors and queries, and searches them with faiss (IndexFlatIP), usearch (exact) and sqlite-vec, on one thread.

    python3 -m venv VENV && VENV/bin/pip install -r benches/vectors/requirements.txt
    VENV/bin/python benches/vectors/peers.py --data DIR --passages FILE

Three sets, each of a million vectors of length 1 and a thousand queries:
- generated: 384 dimensions, each vector one of 1,000 directions plus noise that is as long;
- clustered: the same with 10,000 directions, for vectors.php alone, which looks at some clusters of it;
- passages: 256 dimensions, those of FILE: the mean of the vectors that wordllama's table (in its package) has for their tokens.
  Queries are a few words of one of them.
Writes DIR/peers.json for vectors.php: times, and the ten nearest of 200 queries by faiss.
"""

import argparse
import json
import os
import time

import numpy as np

COUNT, QUERIES, LIMIT = 1_000_000, 1_000, 10


def generated(path, name, count, seed):
    random = np.random.default_rng(seed)
    directions = unit(random.standard_normal((count, 384)).astype(np.float32))

    def some(rows):
        noise = random.standard_normal((rows, 384)).astype(np.float32) / np.sqrt(np.float32(384))
        return unit(directions[random.integers(0, count, rows)] + noise)

    with open(f"{path}/{name}.f32", "wb") as file:
        for _ in range(10):
            file.write(some(COUNT // 10).astype("<f4").tobytes())
    some(QUERIES).astype("<f4").tofile(f"{path}/{name}.queries.f32")


def passages(path, source):
    import wordllama
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    package = os.path.dirname(wordllama.__file__)
    table = next(iter(load_file(f"{package}/weights/l2_supercat_256.safetensors").values())).astype(np.float32)
    tokenizer = Tokenizer.from_file(f"{package}/tokenizers/l2_supercat_tokenizer_config.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)

    def embed(texts):
        vectors = np.zeros((len(texts), table.shape[1]), np.float32)
        for at, encoded in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
            vectors[at] = table[encoded.ids or [0]].mean(0)
        return unit(vectors)

    with open(source, errors="replace") as file:
        lines = [line.strip()[:1200] for line, _ in zip(file, range(COUNT))]
    with open(f"{path}/passages.f32", "wb") as file:
        for at in range(0, len(lines), 5000):
            file.write(embed(lines[at : at + 5000]).astype("<f4").tobytes())
    random = np.random.default_rng(3)
    words = (lines[at].split() for at in random.integers(0, len(lines), 4 * QUERIES))
    typed = [" ".join(some[3 : 3 + random.integers(2, 9)]) for some in words if len(some) > 12][:QUERIES]
    embed(typed).astype("<f4").tofile(f"{path}/passages.queries.f32")
    with open(f"{path}/passages.queries.txt", "w") as file:
        file.write("\n".join(typed))


def unit(vectors):
    return vectors / np.maximum(1e-9, np.linalg.norm(vectors, axis=1, keepdims=True))


def milliseconds(queries, search):
    times = []
    for query in queries:
        began = time.perf_counter()
        search(query)
        times.append(1000 * (time.perf_counter() - began))
    return float(np.mean(times))


def measured(path, name, dimensions):
    vectors = np.fromfile(f"{path}/{name}.f32", "<f4").reshape(-1, dimensions)
    queries = np.fromfile(f"{path}/{name}.queries.f32", "<f4").reshape(-1, dimensions)
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(dimensions)
    index.add(vectors)
    result = {"faiss": milliseconds(queries[:50], lambda query: index.search(query[None], LIMIT))}
    faiss.omp_set_num_threads(os.cpu_count())
    began = time.perf_counter()
    scores, ids = index.search(queries[:200], LIMIT)
    result["faiss, batch"] = 200 / (time.perf_counter() - began)
    result["ids"], result["scores"] = ids.tolist(), scores.tolist()
    del index
    from usearch.index import MetricKind, search

    exact = lambda query: search(vectors, query, LIMIT, MetricKind.Cos, exact=True, threads=1)
    result["usearch"] = milliseconds(queries[:20], exact)
    import apsw
    import sqlite_vec

    base = apsw.Connection(":memory:")
    base.enable_load_extension(True)
    base.load_extension(sqlite_vec.loadable_path())
    base.execute(f"create virtual table v using vec0(e float[{dimensions}] distance_metric=cosine)")
    with base:
        base.executemany("insert into v(rowid, e) values (?, ?)", ((at, row.tobytes()) for at, row in enumerate(vectors)))
    nearest = f"select rowid, distance from v where e match ? and k = {LIMIT}"
    result["sqlite-vec"] = milliseconds(queries[:10], lambda query: base.execute(nearest, (query.tobytes(),)).fetchall())
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--passages", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.data, exist_ok=True)
    for name, count, seed in [("generated", 1_000, 5), ("clustered", 10_000, 6)]:
        if not os.path.exists(f"{arguments.data}/{name}.queries.f32"):
            generated(arguments.data, name, count, seed)
    if not os.path.exists(f"{arguments.data}/passages.queries.txt"):
        passages(arguments.data, arguments.passages)
    sets = {"generated": 384, "passages": 256}
    with open(f"{arguments.data}/peers.json", "w") as file:
        json.dump({name: measured(arguments.data, name, dimensions) for name, dimensions in sets.items()}, file)
