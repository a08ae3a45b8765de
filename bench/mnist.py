#!/usr/bin/env python3
"""ms per training step of mnist_cnn (batch 128, f32, SGD): cnnc against PyTorch and JAX, in alternating rounds."""

import argparse
import os
import pathlib
import platform
import sys

from peers import contest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "bench/peers"
OURS = "cnnc"


def commands(args):
    python, steps, data = sys.executable, ["--steps", str(args.steps)], ["--data", str(args.data)]
    torch = [*steps, *data, "--threads", str(args.threads)]
    return {
        OURS: [args.cnnc, "bench-step", "examples/mnist_cnn.net", *steps, "--json"],
        "torch eager": [python, str(PEERS / "torch_peer.py"), "eager", *torch],
        "torch channels_last": [python, str(PEERS / "torch_peer.py"), "channels_last", *torch],
        "torch compile": [python, str(PEERS / "torch_peer.py"), "compile", *torch],
        "jax": [python, str(PEERS / "jax_peer.py"), *steps, *data],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cnnc", default="target/release/cnnc", help="the binary to measure")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data/mnist")
    parser.add_argument("--rounds", type=int, default=7, help="at least 5")
    parser.add_argument("--steps", type=int, default=20, help="steps per round")
    parser.add_argument("--threads", type=int, default=2, help="processors each contestant may use")
    parser.add_argument("--only", action="append", help="contestants to run, may be repeated; all by default")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "runs/bench-mnist.json")
    args = parser.parse_args()
    if args.rounds < 5 or args.steps < 1 or args.threads < 1:
        parser.error("needs at least 5 rounds, 1 step and 1 thread")
    everyone = commands(args)
    chosen = args.only or list(everyone)
    unknown = [name for name in chosen if name not in everyone]
    if unknown:
        parser.error(f"unknown contestant {unknown[0]!r}; there are {', '.join(everyone)}")
    cpus = sorted(os.sched_getaffinity(0))[: args.threads]
    threads = str(len(cpus))
    # One compile thread: helpers of torch.compile would stay alive beside the measured process.
    environment = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "TORCHINDUCTOR_COMPILE_THREADS": "1"}

    os.chdir(ROOT)
    contestants = []
    try:
        for name in chosen:
            contestants.append(contest.Contestant(name, everyone[name], cpus, environment))
        times = contest.compete(contestants, args.rounds, report=lambda text: print(text, file=sys.stderr))
    except contest.ContestError as error:
        return f"bench: {error}"
    finally:
        for contestant in contestants:
            contestant.close()
    print(f"\nmnist_cnn, batch 128, f32, {len(cpus)} processors, {args.rounds} rounds of {args.steps} steps\n")
    print(contest.table(times, OURS))
    peers = {n: sorted(t)[len(t) // 2] for n, t in times.items() if n != OURS}
    if OURS in times and peers:
        best = min(peers, key=peers.get)
        print(f"\nours / best peer ({best}): {sorted(times[OURS])[len(times[OURS]) // 2] / peers[best]:.2f}")
    contest.record(args.out, times, net="mnist_cnn", batch=128, steps=args.steps, threads=len(cpus), machine=platform.processor() or platform.machine())
    print(f"written to {os.path.relpath(args.out, ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
