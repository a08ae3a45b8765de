#!/usr/bin/env bash
# Installs what building, testing and training need. Safe to repeat: what is there is left alone.
set -euo pipefail
. "$(dirname "$0")/common.sh"

command -v cargo >/dev/null || die "cargo is missing" "install Rust 1.90 or newer: https://rustup.rs"

mapfile -t packages <scripts/debian-packages.txt
ensure_debian "${packages[@]}"
ensure_venv .venv scripts/requirements.txt
scripts/mnist.sh
