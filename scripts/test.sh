#!/usr/bin/env bash
# Every check of the project, in one profile so that nothing is built twice. Stops at the first failure.
set -euo pipefail
. "$(dirname "$0")/common.sh"

export INSTA_UPDATE=no  # a changed snapshot fails; nothing is rewritten
started=$SECONDS
step=start
trap '[ $? -eq 0 ] || printf "\nmake test: FAILED in %s after %d s\n" "$step" $((SECONDS - started))' EXIT
run() {
    step=$1
    shift
    printf '\n== %s\n' "$step"
    "$@"
}

run "format" cargo fmt --all --check
run "clippy" cargo clippy --release --workspace --all-targets --locked -- -D warnings
settle_build
RUSTDOCFLAGS="-D warnings" run "documentation" cargo doc --release --workspace --no-deps --locked
if cargo nextest --version >/dev/null 2>&1; then
    run "tests" cargo nextest run --release --workspace --locked --no-fail-fast
    run "documentation tests" cargo test --release --workspace --doc --locked
else
    run "tests" cargo test --release --workspace --locked --no-fail-fast
fi
run "build" cargo build --release --workspace --locked
run "arithmetic of bench/" python3 bench/check_contest.py
run "lit" lit --verbose -Dtools="${CARGO_TARGET_DIR:-$PWD/target}/release" lit-tests

printf '\nmake test: all checks passed in %d s\n' $((SECONDS - started))
