#!/usr/bin/env python3
"""ms per training step (f32, SGD, examples made up): cnnc against PyTorch and JAX, in alternating rounds, net by net."""

import argparse
import os
import pathlib
import platform
import sys

from peers import contest
from peers.nets import NETS

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "bench/peers"
OURS, SGEMM = "cnnc", "sgemm"
# Rows and columns of the matrices whose product is the peak that a step is compared with.
PRODUCT = 2048


def commands(name, steps, args):
    """Contestant -> its command."""
    net, python, threads = NETS[name], sys.executable, ["--threads", str(args.threads)]
    common = ["--steps", str(steps), *threads]
    file = f"examples/{name}.net"
    torch = {form: [python, str(PEERS / "torch_peer.py"), form, name, *common] for form in ("eager", "channels_last", "compile")}
    jax = {form: [python, str(PEERS / "jax_peer.py"), form, name, *common] for form in ("nhwc", "nchw")}
    everyone = {OURS: [args.cnnc, "bench", file, "--batch", str(net.batch), *common, "--serve"]}
    if name == "mlp":  # It has no images whose channels could come last.
        del torch["channels_last"], jax["nchw"]
    everyone |= {f"torch {form}": command for form, command in torch.items()}
    everyone |= {f"jax {form}": command for form, command in jax.items()}
    everyone[SGEMM] = [python, str(PEERS / "torch_peer.py"), "sgemm", str(PRODUCT), "--steps", "5", *threads]
    return everyone


def measure(name, args, cpus):
    """Runs the contest of one net; its results."""
    net = NETS[name]
    steps = args.steps or net.steps
    everyone = commands(name, steps, args)
    chosen = {n: c for n, c in everyone.items() if not args.only or n in args.only}
    threads = str(len(cpus))
    # One compile thread: helpers of torch.compile would stay alive beside the measured process.
    environment = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    contestants = []
    try:
        for who, command in chosen.items():
            contestants.append(contest.Contestant(who, command, cpus, environment))
        times = contest.compete(contestants, args.rounds, report=lambda text: print(text, file=sys.stderr))
        answers = {c.name: c.answer for c in contestants}
    finally:
        for contestant in contestants:
            contestant.close()
    product = times.pop(SGEMM, None)
    print(f"\n{name}, batch {net.batch}, f32, {len(cpus)} processors, {args.rounds} rounds of {steps} steps\n")
    print(contest.table(times, OURS), flush=True)
    verdict = contest.verdict(times, OURS)
    if verdict:
        verdict["batch"] = net.batch
        if product:
            multiply_adds = answers[OURS]["multiply_adds"]
            verdict["share"] = contest.share(verdict["ms"], multiply_adds, min(product), PRODUCT)
    return {"batch": net.batch, "steps": steps, "verdict": verdict, "results": contest.results(times), "sgemm_ms": product}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nets", nargs="*", help=f"of {', '.join(NETS)}; all by default")
    parser.add_argument("--cnnc", default="target/release/cnnc", help="the binary to measure")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, help="steps per round; by default as many as take about a second")
    parser.add_argument("--threads", type=int, default=2, help="processors each contestant may use")
    parser.add_argument("--only", action="append", help="contestants to run, may be repeated; all by default")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "runs/bench.json")
    args = parser.parse_args()
    if args.rounds < 1 or args.threads < 1 or (args.steps is not None and args.steps < 1):
        parser.error("needs at least 1 round, 1 step and 1 thread")
    args.cnnc = os.path.abspath(args.cnnc)
    unknown = [name for name in args.nets if name not in NETS]
    if unknown:
        parser.error(f"unknown net {unknown[0]!r}; there are {', '.join(NETS)}")
    everyone = {who for name in NETS for who in commands(name, 1, args)}
    unknown = [who for who in args.only or [] if who not in everyone]
    if unknown:
        parser.error(f"unknown contestant {unknown[0]!r}; there are {', '.join(sorted(everyone))}")
    cpus = sorted(os.sched_getaffinity(0))[: args.threads]

    os.chdir(ROOT)
    found = {}
    try:
        for name in args.nets or NETS:
            found[name] = measure(name, args, cpus)
    except contest.ContestError as error:
        return f"bench: {error}"
    verdicts = {name: f["verdict"] for name, f in found.items() if f["verdict"]}
    if verdicts:
        print(f"\n{contest.summary(verdicts)}\n")
    about = {"rounds": args.rounds, "threads": len(cpus), "machine": platform.processor() or platform.machine()}
    contest.record(args.out, {**about, "nets": found})
    print(f"written to {os.path.relpath(args.out, ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
