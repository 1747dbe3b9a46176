# Sourced by the scripts: installs Debian packages by purpose.
#
#   . scripts/lib/packages.sh
#   install_packages build test      0: all there; 1: said why not, on stderr
#   missing_packages build test      prints the packages that are not installed
#   packages_for build               prints a purpose's packages
#
# Quick and silent when nothing is missing (one dpkg-query, no network).
# `apt-get update` runs at most once a shell, sudo only when not root.

_packages_list=$(dirname "${BASH_SOURCE[0]}")/packages.list
_packages_updated=

packages_for() {
    local purpose found all=
    for purpose in "$@"; do
        found=$(awk -v want="$purpose" '$1 == want { print $2 }' "$_packages_list")
        if [ -z "$found" ]; then
            echo "packages: no purpose \"$purpose\" in $_packages_list" >&2
            return 1
        fi
        all+=$found$'\n'
    done
    sort -u <<<"${all%$'\n'}"
}

missing_packages() {
    local wanted have
    wanted=$(packages_for "$@") || return 1
    have=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null |
        awk '$1 == "ii" || $1 == "hi" { print $2 }' | sort -u)
    comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$have")
}

_as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@" 2>/dev/null || sudo "$@"; fi
}

install_packages() {
    local missing log
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "packages: this is not a Debian system; install by hand what scripts/lib/packages.list" \
            "says for: $*" >&2
        return 0 # the configure step names what is really missing
    fi
    missing=$(missing_packages "$@") || return 1
    [ -n "$missing" ] || return 0
    missing=$(echo $missing)
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
            echo "packages: missing: $missing" >&2
            echo "packages: they need root and there is no usable sudo here; have somebody run:" >&2
            echo "    apt-get install -y $missing" >&2
            return 1
        fi
    fi
    echo "packages: installing $missing" >&2
    log=$(mktemp)
    if [ -z "$_packages_updated" ]; then
        # A failing source is no reason to stop yet: the lists there are may do.
        _as_root apt-get -q update >"$log" 2>&1 ||
            echo "packages: apt-get update had errors, going on with the lists there are" >&2
        _packages_updated=1
    fi
    if ! _as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends $missing >>"$log" 2>&1 </dev/null; then
        echo "packages: apt-get install failed; its last lines:" >&2
        tail -n 15 "$log" | sed 's/^/    /' >&2
        echo "packages: still missing: $(echo $(missing_packages "$@"))" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}
