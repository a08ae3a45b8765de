#!/usr/bin/env bash
# The programs, in release.
set -euo pipefail
. "$(dirname "$0")/common.sh"

cargo build --release --workspace --locked
settle_build
