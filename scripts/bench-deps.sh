#!/usr/bin/env bash
# The environment of the peer comparisons and goldens (several GB: PyTorch brings its CUDA libraries).
set -euo pipefail
. "$(dirname "$0")/common.sh"

ensure_debian g++ python3 python3-dev python3-venv
ensure_venv bench/.venv bench/requirements.txt
scripts/mnist.sh
