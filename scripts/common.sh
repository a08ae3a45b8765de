# Sourced by the other scripts: messages, and the repository's root as the working directory.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'deps: %s\n' "$*" >&2; }

die() {
    printf 'deps: error: %s\n' "$1" >&2
    shift
    for hint in "$@"; do printf '      %s\n' "$hint" >&2; done
    exit 1
}

# Runs a command that needs root. Without a terminal sudo must not ask for a password.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        if [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
    else
        say "not root, and sudo is not installed"
        return 1
    fi
}

# Installs those of the named Debian packages that are missing; one dpkg query when none is.
ensure_debian() {
    local missing=() package
    command -v apt-get >/dev/null || die "this needs a Debian system (no apt-get found)" \
        "elsewhere, install the counterparts of scripts/debian-packages.txt by hand"
    local have
    have=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii *//p' || true)
    for package in "$@"; do
        grep -qxF -- "$package" <<<"$have" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    say "installing Debian packages: ${missing[*]}"
    as_root apt-get -q update >&2 || die "apt-get update failed" \
        "is the network up? as root (or with sudo), run: apt-get update"
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends "${missing[@]}" >&2 </dev/null ||
        die "could not install: ${missing[*]}" \
            "LLVM 22 is in the security suite of Debian 12: check that bookworm-security is among apt's sources" \
            "as root (or with sudo), run: apt-get install ${missing[*]}"
}

# ensure_venv DIR REQUIREMENTS: a virtual environment that holds exactly the pinned requirements.
# Its stamp is written last, so an interrupted run is taken up again by the next one.
ensure_venv() {
    local dir=$1 requirements=$2 stamp
    stamp="$(sha256sum "$requirements" | cut -d' ' -f1) $(/usr/bin/python3 --version)"
    [ -x "$dir/bin/python" ] && [ "$(cat "$dir/.deps-stamp" 2>/dev/null)" = "$stamp" ] && return
    say "filling $dir from $requirements"
    if ! "$dir/bin/python" -c 'import pip' 2>/dev/null; then
        /usr/bin/python3 -m venv --clear "$dir" || die "could not make the virtual environment $dir"
    fi
    "$dir/bin/python" -m pip install -q --no-input -r "$requirements" >&2 </dev/null ||
        die "could not install $requirements into $dir" "is the network up, and is there room on the disk?"
    printf '%s\n' "$stamp" >"$dir/.deps-stamp"
}

# eerie-sys watches a folder of its own build output, so that every cargo call would build IREE's runtime anew. Dating
# that folder back once after a build stops it.
settle_build() {
    find "${CARGO_TARGET_DIR:-target}" -path '*/eerie-sys-*/out/runtime_build/hosted/build/iree/runtime/src' \
        -prune -exec touch -h -d 2020-01-01 {} + 2>/dev/null || true
}
