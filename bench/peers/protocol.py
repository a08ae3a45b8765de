"""What every contestant speaks: a line on stdin asks for K training steps, a JSON line answers with ms per step."""

import argparse
import json
import math
import sys
import time


def arguments(forms):
    """The form, the name of the net, and how it is run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("form", choices=forms)
    parser.add_argument("net")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    return parser.parse_args()


def serve(run, steps):
    """`run(k)` takes k training steps and returns the last loss; it must not return before they are done."""
    for _ in sys.stdin:
        start = time.perf_counter()
        loss = run(steps)
        ms = (time.perf_counter() - start) * 1e3 / steps
        if not math.isfinite(loss):
            sys.exit(f"loss is {loss}")
        print(json.dumps({"ms_per_step": ms, "loss": loss}), flush=True)
