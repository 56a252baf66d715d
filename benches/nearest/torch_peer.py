"""Compares generated vectors with queries by brute force on an NVIDIA GPU, as PyTorch's matrix products and topk() do it.

    python3 benches/nearest/torch_peer.py [rows] [dimensions] [queries]

A peer for the bench `nearest` on the same card: the ten nearest by cosine, in batches of 1,000. 16-bit floats are what is fast there,
and not exact; 32-bit floats are exact but for rounding. What is printed is the best of several sizes of parts.
"""

import sys
import time

import torch


def nearest(rows, queries, part):
    best = None
    for begin in range(0, len(rows), part):
        scores, places = torch.topk(queries @ rows[begin : begin + part].T, 10)
        of_part = (scores, places + begin)
        if best is not None:
            scores, which = torch.topk(torch.cat((best[0], scores), 1), 10)
            of_part = (scores, torch.cat((best[1], of_part[1]), 1).gather(1, which))
        best = of_part
    return best


def main(rows=10_000_000, dimensions=384, queries=1000):
    torch.manual_seed(7)
    torch.backends.cuda.matmul.allow_tf32 = False
    device = torch.cuda.get_device_name()
    for kind in (torch.float16, torch.float32):
        normal = lambda count: torch.nn.functional.normalize(torch.randn(count, dimensions, device="cuda"))
        all_rows = torch.cat([normal(1_000_000).to(kind) for _ in range(rows // 1_000_000)])
        asked = normal(queries).to(kind)
        times = {}
        for part in (100_000, 250_000, 500_000, 1_000_000):
            nearest(all_rows, asked, part)
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(3):
                nearest(all_rows, asked, part)
            torch.cuda.synchronize()
            times[part] = (time.perf_counter() - begin) / 3
        part, best = min(times.items(), key=lambda of: of[1])
        print(f"{device}, torch {torch.__version__}: {rows} x {dimensions}, {kind}: {queries / best:.0f} queries/s, in parts of {part}", flush=True)
        del all_rows


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
