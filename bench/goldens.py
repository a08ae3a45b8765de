#!/usr/bin/env python3
"""Recomputes the committed goldens of compiler/tests with PyTorch and JAX, which must agree with each other where both can."""

import argparse
import pathlib
import sys

import jax

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

from golden import gradients, layers, mnist, ops, optimizers, write  # noqa: E402  (after the configuration of JAX)

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data/mnist", help="folder of the MNIST files")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "compiler/tests", help="where goldens/ and fixtures/ are")
    parser.add_argument("--only", choices=["layers", "mnist", "ops", "optimizers"], help="recompute a part")
    args = parser.parse_args()
    goldens, fixtures = args.out / "goldens", args.out / "fixtures"
    goldens.mkdir(parents=True, exist_ok=True)
    fixtures.mkdir(parents=True, exist_ok=True)

    if args.only in (None, "ops"):
        cases = ops.all_cases()
        write.write_json(goldens / "ops.json", {"schema": ops.SCHEMA, "cases": cases})
        print(f"ops.json: {len(cases)} cases")
    if args.only in (None, "layers"):
        cases = layers.all_cases()
        write.write_json(goldens / "layers.json", {"schema": layers.SCHEMA, "cases": cases})
        print(f"layers.json: {len(cases)} cases")
        cases = layers.tails.cases()
        write.write_json(goldens / "tails.json", {"cases": cases})
        print(f"tails.json: {len(cases)} functions")
    if args.only in (None, "optimizers"):
        cases = optimizers.all_cases()
        write.write_json(goldens / "optimizers.json", {"schema": optimizers.SCHEMA, "cases": cases})
        print(f"optimizers.json: {len(cases)} cases")
    if args.only in (None, "mnist"):
        images, labels = mnist.write_fixture(args.data, fixtures)
        for name, make in [("gradients", gradients.real), ("ties", gradients.ties)]:
            golden = make(images, labels)
            write.write_json(goldens / f"mnist_cnn_{name}.json", golden)
            worst = max(max(v) for v in golden["relative_error_to_f64"].values())
            print(f"mnist_cnn_{name}.json: loss {golden['results'][0]['loss']:.6f}, f32 within {worst:.1e} of f64", golden.get("ties", ""))


if __name__ == "__main__":
    sys.exit(main())
