"""The files whose addresses are looked up, made once and kept in the build folder.

A  cppcheck 2.10 of Debian's source, g++ -O2 -g
B  ceph-osd with its ceph-osd-dbg put together, raw and as shipped (zlib)
C  libc.so.6 with libc6-dbg put together (zlib)
D  libstdc++.so.6 as it is: stripped
"""

import glob
import os
import random
import re
import subprocess
import sys

HOT_FUNCTIONS, PER_FUNCTION, RANDOM = 40, 5, 10_000
SEED = 20


class NotHere(RuntimeError):
    """Why a subject cannot be had."""


def _run(argv, **options):
    done = subprocess.run(argv, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise NotHere(f"{' '.join(argv[:3])}: {last[:160]}")
    return done.stdout


def _build_id(path):
    found = re.search(r"Build ID: (\w+)", _run(["readelf", "-n", path]))
    return found.group(1) if found else None


def _debug_of(path, root=""):
    identity = _build_id(path)
    found = f"{root}/usr/lib/debug/.build-id/{identity[:2]}/{identity[2:]}.debug"
    if not os.path.exists(found):
        raise NotHere(f"no debug file of {os.path.basename(path)}")
    return found


def _unstrip(stripped, debug, to):
    _run(["eu-unstrip", "-o", to, stripped, debug])
    return to


def _own_mirror():
    """Address and release of the first archive that apt asks for packages here."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(CODENAME)",
                             "Created-By: Packages", "Component: main"], capture_output=True, text=True)
    if not listed.stdout.strip():
        raise NotHere("apt knows no archive")
    return listed.stdout.splitlines()[0]


def cppcheck(folder, jobs):
    """A, from a source archive asked for beside the machine's own lists."""
    program = os.path.join(folder, "cppcheck")
    if os.path.exists(program):
        return program
    print("building cppcheck (minutes, once)", file=sys.stderr)
    os.makedirs(os.path.join(folder, "lists", "partial"), exist_ok=True)
    source = os.path.join(folder, "sources.list")
    with open(source, "w") as f:
        f.write(f"deb-src {_own_mirror()} main\n")
    apt = ["apt-get", "-qq", "-o", f"Dir::Etc::sourcelist={source}", "-o", "Dir::Etc::sourceparts=-",
           "-o", f"Dir::State::lists={folder}/lists", "-o", "Debug::NoLocking=1"]
    _run([*apt, "update"])
    _run([*apt, "source", "--download-only", "cppcheck"], cwd=folder)
    archives = glob.glob(os.path.join(folder, "cppcheck_*.orig.tar.*"))
    if not archives:
        raise NotHere("no source archive of cppcheck")
    _run(["tar", "xf", archives[0]], cwd=folder)
    tree = glob.glob(os.path.join(folder, "cppcheck-*", ""))[0]
    _run(["make", f"-j{jobs}", "CXXFLAGS=-O2 -g", "cppcheck"], cwd=tree)
    os.rename(os.path.join(tree, "cppcheck"), program)
    return program


def ceph(folder):
    """B: (raw, zlib). Hundreds of megabytes."""
    raw, packed = (os.path.join(folder, f"ceph-osd.{kind}") for kind in ("raw", "zlib"))
    if not os.path.exists(raw):
        print("fetching ceph-osd and ceph-osd-dbg (once)", file=sys.stderr)
        tree = os.path.join(folder, "ceph")
        os.makedirs(tree, exist_ok=True)
        _run(["apt-get", "-qq", "download", "ceph-osd", "ceph-osd-dbg"], cwd=folder)
        for package in glob.glob(os.path.join(folder, "ceph-osd*.deb")):
            _run(["dpkg-deb", "-x", package, tree])
            os.unlink(package)
        program = os.path.join(tree, "usr", "bin", "ceph-osd")
        _unstrip(program, _debug_of(program, tree), packed)
        _run(["objcopy", "--decompress-debug-sections", packed, raw + ".new"])
        os.rename(raw + ".new", raw)
    return raw, packed


def libc(folder):
    """C."""
    path = os.path.join(folder, "libc.so.6")
    if not os.path.exists(path):
        own = next(iter(glob.glob("/lib/*-linux-gnu/libc.so.6")), None)
        if own is None:
            raise NotHere("no libc.so.6")
        _unstrip(own, _debug_of(own), path + ".new")
        os.rename(path + ".new", path)
    return path


def libstdcxx():
    """D."""
    found = glob.glob("/usr/lib/*-linux-gnu/libstdc++.so.6")
    if not found:
        raise NotHere("no libstdc++.so.6")
    return os.path.realpath(found[0])


def text_section(readelf):
    """(address, bytes) of .text in what readelf -SW prints."""
    found = re.search(r"\.text\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", readelf)
    if not found:
        raise NotHere("no .text")
    return int(found.group(1), 16), int(found.group(2), 16)


def functions(nm, start, size):
    """[(address, bytes)] of sized functions in .text, from nm -S; each address once."""
    found = {}
    for line in nm.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwWiu":
            address, length = int(words[0], 16), int(words[1], 16)
            if start <= address < start + size and length >= 64:
                found[address] = length
    return sorted(found.items())


def hot(all_functions, rng):
    """A profile of a program with 40 hot functions: a few addresses in each."""
    chosen = rng.sample(all_functions, min(HOT_FUNCTIONS, len(all_functions)))
    return [address + rng.randrange(length) for address, length in chosen
            for _ in range(PER_FUNCTION)]


def addresses(path, folder):
    """Writes the two lists of a subject: {"200 hot": file, "10,000 random": file}."""
    start, size = text_section(_run(["readelf", "-SW", path]))
    listed = functions(_run(["nm", "-S", path], env={**os.environ, "LC_ALL": "C"})
                       or "", start, size)
    if not listed:
        listed = functions(_run(["nm", "-D", "-S", path]), start, size)
    lists = {"200 hot": hot(listed, random.Random(SEED)),
             "10,000 random": [start + random.Random(SEED + i).randrange(size)
                               for i in range(RANDOM)]}
    out = {}
    for name, values in lists.items():
        out[name] = os.path.join(folder, "addresses-" + name.split()[0].replace(",", ""))
        with open(out[name], "w") as f:
            f.writelines(f"0x{value:x}\n" for value in values)
    return out
