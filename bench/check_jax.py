#!/usr/bin/env python3
"""Parses and verifies portable modules (step.mlir) with the StableHLO of JAX's own MLIR."""

import argparse
import pathlib
import sys

import jax
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func

EXPECTED = ["init", "forward", "loss", "gradients", "pullback", "train_step", "evaluate"]


def check(path):
    """Names of the functions in the file; raises ir.MLIRError where JAX refuses it."""
    with mlir.make_ir_context():
        module = ir.Module.parse(path.read_text())
        module.operation.verify()
        return [op.sym_name.value for op in module.body.operations if isinstance(op, func.FuncOp)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=pathlib.Path, nargs="+", metavar="FILE")
    parser.add_argument("--all", action="store_true", help="each file must hold every function of the ABI")
    args = parser.parse_args()
    failed = False
    for path in args.files:
        try:
            names = check(path)
        except (OSError, ir.MLIRError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed = True
            continue
        missing = [name for name in EXPECTED if args.all and name not in names]
        if missing:
            print(f"{path}: no @{', @'.join(missing)}", file=sys.stderr)
            failed = True
        print(f"{path}: jax {jax.__version__} accepts {', '.join(names)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
