# shellcheck shell=bash
# Sourced: a Debian or Ubuntu of its own in a folder, made by debootstrap. APT's settings, sources and keys of this machine are used
# inside of it.
#
#   in_namespace "$0" "$@"        first: mounts are gone when the test ends, however it ends
#   make_scratch                  makes `scratch`
#   make_system SUITE FOLDER      uses what is in the folder already, else makes it; exits with 77 where that cannot be done
#   inside COMMAND...             runs a command in it
#   close_system                  ends its mounts
#   traces                        prints the paths that a package may not leave
#   needs_of PACKAGE.deb...       prints what they depend on
#   no_trace                      whether they are as in $scratch/before
#
#   check WHAT COMMAND...         counts and prints whether the command succeeds, in `passed` and `failed`
#
# `scratch` is a folder for logs; it is removed at the end, when nothing is mounted in it any more.

skip() { echo "skipped: $*"; exit 77; }

in_namespace() {
    if [ "${CSINK_IN_NAMESPACE:-}" != 1 ]; then
        [ "$(id -u)" = 0 ] || skip "debootstrap needs root"
        command -v debootstrap >/dev/null || skip "no debootstrap"
        unshare --mount true 2>/dev/null || skip "mount namespaces are refused here"
        CSINK_IN_NAMESPACE=1 exec unshare --mount --propagation private "$@"
    fi
    unset CSINK_IN_NAMESPACE
}

inside() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root TERM=dumb DEBIAN_FRONTEND=noninteractive "$@"; }

scratch=
clean_up() {
    close_system
    # -x: what could not be unmounted is not walked into.
    [ -z "$(findmnt -rno TARGET | grep -F "$scratch")" ] && rm -rf --one-file-system "$scratch"
}
make_scratch() {
    scratch=$(mktemp -d /var/tmp/csink-release.XXXXXX)
    trap clean_up EXIT
}

failed=0 passed=0
check() {
    local what=$1
    shift
    if "$@"; then passed=$((passed + 1)); echo "ok - $what"; else failed=$((failed + 1)); echo "FAILED - $what"; fi
}

system=
close_system() { [ -z "$system" ] || umount -R "$system/proc" "$system/sys" "$system/dev" 2>/dev/null; }

# The mirror of this machine that has the suite, else its mirror of Debian; of Ubuntu's suites that of debootstrap.
mirror_of() {
    case $1 in
    jammy | noble) awk '$1 == "default_mirror" && $2 !~ /old-releases/ { print $2; exit }' /usr/share/debootstrap/scripts/jammy ;;
    *)
        apt-get indextargets --format '$(SITE) $(CODENAME)' "Created-By: Packages" 2>/dev/null |
            awk -v suite="$1" '$2 == suite { found = $1 } NR == 1 { first = $1 } END { print found ? found : first }'
        ;;
    esac
}

make_system() {
    local suite=$1 options=() mirror script=
    system=$2
    mirror=$(mirror_of "$suite")
    case $suite in
    jammy | noble)
        # Debian has these keys from 13 on: package ubuntu-keyring.
        [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || skip "no keys of Ubuntu's archive (package ubuntu-keyring)"
        options=(--components=main,universe --keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg)
        # An older debootstrap does not know the newer suites; all are made the same way.
        [ -e "/usr/share/debootstrap/scripts/$suite" ] || script=/usr/share/debootstrap/scripts/jammy
        ;;
    esac
    if [ ! -x "$system/usr/bin/dpkg" ]; then
        mkdir -p "$system"
        debootstrap --variant=minbase "${options[@]}" "$suite" "$system" ${mirror:+"$mirror"} $script >"$scratch/log" 2>&1 ||
            skip "debootstrap cannot make $suite: $(grep -m1 '^E:' "$scratch/log" || tail -n 1 "$scratch/log")"
    fi
    mount -t proc proc "$system/proc" && mount -t sysfs sysfs "$system/sys" && mount --rbind /dev "$system/dev" ||
        skip "proc, sys and dev cannot be mounted"
    mount --make-rslave "$system/dev"

    # Names of hosts and sources: those of this machine, where they are of this system.
    cp -L /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null
    cp -L /etc/hosts "$system/etc/hosts" 2>/dev/null
    cp -r /etc/apt/apt.conf.d "$system/etc/apt/" 2>/dev/null
    . /etc/os-release
    if [ "${VERSION_CODENAME:-}" = "$suite" ]; then
        rm -f "$system/etc/apt/sources.list"
        cp -r /etc/apt/sources.list* "$system/etc/apt/" 2>/dev/null
        mkdir -p "$system/usr/share/keyrings"
        cp /usr/share/keyrings/* "$system/usr/share/keyrings/" 2>/dev/null
    fi
    # With its updates: without them jammy has a version of g++ 12 from before the release of g++ 12.
    case $suite in
    jammy | noble)
        grep -q -- "$suite-updates" "$system/etc/apt/sources.list" ||
            sed -n "s/^\(deb .*\) $suite /\1 $suite-updates /p" "$system/etc/apt/sources.list" >>"$system/etc/apt/sources.list"
        ;;
    esac
    # A minimal image's rule that no package brings pages or documents would hide what is tested.
    rm -f "$system"/etc/dpkg/dpkg.cfg.d/*
    mkdir -p "$system/etc/ssl/certs"
    cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/" 2>/dev/null
    inside apt-get -q update >"$scratch/log" 2>&1 || skip "apt-get update fails in $suite: $(grep -m1 '^E:' "$scratch/log")"
}

# What a package may leave: APT's own records, and caches that other packages write (man-db, ldconfig).
traces() {
    (cd "$system" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./run \
        -o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/lib/rpm -o -path ./var/log \) \
        -prune -o -print | sort)
}
no_trace() { # since `traces` wrote $scratch/before
    traces | diff "$scratch/before" - | grep '^[<>]' | head -n 20 >"$scratch/traces"
    [ ! -s "$scratch/traces" ] || { cat "$scratch/traces"; false; }
}

# The packages that these ones depend on, by Debian's names and without themselves.
needs_of() {
    local package
    for package in "$@"; do dpkg-deb -f "$package" Depends; done | tr ',' '\n' | awk '$1 !~ /countersink|libapapi/ { print $1 }' | sort -u
}
