#!/usr/bin/env python3
"""The zoo as a table: parameters and forward GFLOP of each net at full size, processor seconds to compile it, and its certificate.

What is compiled is what `cnnc train` compiles: initial values, the training step and the evaluation. A certificate interprets the module, which takes long for a large net: it is made of the small instance whose
hyper-parameters stand in compiler/tests/goldens/zoo. The operations and their derivatives are the same.

With --targets the nets are compiled for these instead, and nothing is certified.
"""

import argparse
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def files():
    """The file of every net of examples/."""
    found = {}
    for path in sorted((ROOT / "examples").glob("*.net")):
        for name in re.findall(r"^net\s+(\w+)", path.read_text(), re.MULTILINE):
            found[name] = path
    return found


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, limit):
    """Output, processor seconds, and what went wrong, if anything did."""
    start = processor_seconds()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return "", limit, f"more than {limit} s"
    seconds = processor_seconds() - start
    lines = done.stderr.strip().splitlines()
    return done.stdout, seconds, None if done.returncode == 0 else (lines or [f"exit code {done.returncode}"])[0]


def certificate(output, problem):
    """What the report of `cnnc certify --json` comes to, and whether every statement holds.

    Where the audit leaves a decision open, the point may be on a kink for all that is known: the derivative is
    certified for the piece that was taken.
    """
    try:
        report = json.loads(output)
    except json.JSONDecodeError:
        return problem or "no report", False
    parts = [report["certificate"]["gradients"], *(report[part]["checks"] for part in ("certificate", "network", "tuning"))]
    verdicts = [entry["verdict"] for part in parts for entry in part]
    cells = [verdicts.count(kind) for kind in ("exact", "numeric")]
    texts = [f"{count} {kind}" for count, kind in zip(cells, ("exact", "numeric")) if count]
    if sum(cells) < len(verdicts):
        texts.append(f"{len(verdicts) - sum(cells)} FAILED")
    tallies = [tally for site in report["audit"]["sites"] for tally in site["examples"]]
    total = sum(sum(tally[key] for key in ("apart", "dead", "same", "tied", "undecided")) for tally in tallies)
    for key, name in (("tied", "on a kink"), ("undecided", "undecided")):
        count = sum(tally[key] for tally in tallies)
        if count:
            texts.append(f"{count:,} of {total:,} decisions {name}")
    return ", ".join(texts), sum(cells) == len(verdicts)


def compiled(cnnc, net, choice, target, args):
    """Processor seconds, or what went wrong, and whether all is well."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(pathlib.Path(folder) / f"{net}.vmfb")
        command = [cnnc, *choice, "--emit=init,step,evaluate", "--batch", str(args.batch), f"--target={target}", "--no-cache", "-o", out]
        _, seconds, problem = run(command, args.limit)
    return problem or f"{seconds:.1f}", not problem


def targets_row(cnnc, net, path, args):
    """The cells of a net that is compiled for several targets, and whether all is well."""
    found = [compiled(cnnc, net, [str(path), "--net", net], target, args) for target in args.targets]
    return [net, *(cell for cell, _ in found)], all(good for _, good in found)


def row(cnnc, net, path, args):
    """The cells of a net, and whether all is well."""
    choice = [str(path), "--net", net]
    output, _, problem = run([cnnc, "summary", *choice, "--json"], args.limit)
    if problem:
        return [net, problem, "", "", ""], False
    summary = json.loads(output)
    cells = [net, f"{summary['parameters']:,}", f"{2 * summary['multiply_adds'] / 1e9:.3f}"]
    cell, compiles = compiled(cnnc, net, choice, "cpu", args)
    cells.append(cell)
    golden = json.loads((ROOT / f"compiler/tests/goldens/zoo/{net}.json").read_text())
    small = [f"--set={key}={value}" for key, value in golden["hyper"].items()]
    command = [cnnc, "certify", *choice, *small, "--examples", "2", "--directions", "1", "--tuning", "--json"]
    output, _, problem = run(command, args.limit)
    text, good = certificate(output, problem)
    return [*cells, text], good and compiles


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nets", nargs="*", metavar="NET", help="all by default")
    parser.add_argument("--cnnc", default=str(ROOT / "target/release/cnnc"))
    parser.add_argument("--batch", type=int, default=16, help="what is compiled for")
    parser.add_argument("--limit", type=int, default=3600, metavar="SECONDS", help="for each command")
    parser.add_argument("--targets", type=lambda text: text.split(","), metavar="LIST", help="such as cuda,rocm")
    args = parser.parse_args()
    known = files()
    unknown = [net for net in args.nets if net not in known]
    if unknown:
        parser.error(f"unknown net {unknown[0]!r}; there are {', '.join(known)}")
    if args.targets:
        print("| net | " + " | ".join(f"{target}, processor s" for target in args.targets) + " |")
        print("|---|" + "--:|" * len(args.targets), flush=True)
    else:
        print("| net | parameters | forward GFLOP | compile, processor s | certificate of the small instance |")
        print("|---|--:|--:|--:|---|", flush=True)
    well = True
    for net in args.nets or known:
        cells, good = (targets_row if args.targets else row)(args.cnnc, net, known[net], args)
        print("| " + " | ".join(cells) + " |", flush=True)
        well &= good
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
