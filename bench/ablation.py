#!/usr/bin/env python3
"""What each pass of the tuning is worth: ms per training step without it, over that with all, in alternating rounds."""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

from peers import contest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALL = "all passes"


def optional_passes(cnnc):
    """The names that --without-pass takes, from what it says to one that it does not."""
    refused = subprocess.run([cnnc, "bench", "-", "--without-pass=?"], capture_output=True, text=True)
    found = re.search(r"possible values: ([^\]]*)", refused.stderr)
    if not found:
        raise contest.ContestError(f"{cnnc} does not tell its passes: {refused.stderr.strip()}")
    return found[1].split(", ")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("net", help="a file, such as examples/mnist_cnn.net")
    parser.add_argument("passes", nargs="*", help="to leave out, one at a time; each that can be by default")
    parser.add_argument("--cnnc", default=str(ROOT / "target/release/cnnc"), help="the binary to measure")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=5, help="steps per round")
    args = parser.parse_args()
    cpus = os.sched_getaffinity(0)
    common = ["bench", args.net, "--batch", str(args.batch), "--steps", str(args.steps), "--serve"]
    contestants = []
    try:
        for name in [ALL, *(args.passes or optional_passes(args.cnnc))]:
            without = [] if name == ALL else ["--without-pass", name]
            contestants.append(contest.Contestant(name, [args.cnnc, *common, *without], cpus, {}))
        times = contest.compete(contestants, args.rounds, report=lambda text: print(text, file=sys.stderr))
    except contest.ContestError as error:
        return f"ablation: {error}"
    finally:
        for contestant in contestants:
            contestant.close()
    medians = {name: statistics.median(found) for name, found in times.items()}
    print(f"| without | ms per step | times that of {ALL} |\n|---|--:|--:|")
    for name in sorted(medians, key=medians.get, reverse=True):
        print(f"| `{name}` | {medians[name]:.1f} | {medians[name] / medians[ALL]:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
