"""The symbolizers measured beside ours: finding or building them, and how each is asked.

Every one reads hexadecimal addresses of a file's own from standard input, one a line, and
answers with demangled functions, lines and inlined functions.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

PACKAGES = ("binutils", "elfutils", "dpkg-dev", "make", "g++", "libc6-dbg", "rustc", "cargo",
            "librust-addr2line-dev", "librust-object-dev", "librust-gimli-dev", "librust-flate2-dev",
            "librust-memmap2-dev", "librust-cpp-demangle-dev", "librust-rustc-demangle-dev",
            "librust-fallible-iterator-dev")
REGISTRY = "/usr/share/cargo/registry"


def newest_llvm(listing):
    """The newest "llvm-NN" of what apt-cache search prints, or None."""
    found = [int(n) for n in re.findall(r"^llvm-(\d+) ", listing, re.M)]
    return f"llvm-{max(found)}" if found else None


def llvm_package():
    done = subprocess.run(["apt-cache", "search", "^llvm-[0-9]+$"], capture_output=True, text=True,
                          check=False)
    return newest_llvm(done.stdout)


def llvm_symbolizer():
    """The newest one that is installed, or None."""
    found = glob.glob("/usr/bin/llvm-symbolizer-*")
    return max(found, key=lambda p: int(p.rsplit("-", 1)[1]), default=None)


def build_gimli(source, folder):
    """Builds tests/bench/gimli from Debian's crates: (program, None) or (None, why not)."""
    program = os.path.join(folder, "target", "release", "gimli_addr2line")
    if os.path.exists(program):
        return program, None
    if not os.path.exists("/usr/bin/cargo") or not os.path.isdir(REGISTRY):
        return None, "no cargo or no librust packages"
    shutil.copytree(source, folder, dirs_exist_ok=True)
    os.makedirs(os.path.join(folder, ".cargo"), exist_ok=True)
    with open(os.path.join(folder, ".cargo", "config.toml"), "w") as f:
        f.write('[source.crates-io]\nreplace-with = "debian"\n'
                f'[source.debian]\ndirectory = "{REGISTRY}"\n')
    done = subprocess.run(["/usr/bin/cargo", "build", "--release", "--offline"], cwd=folder,
                          env={**os.environ, "RUSTC": "/usr/bin/rustc",
                               "CARGO_HOME": os.path.join(folder, "home")},
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        return None, "Debian's crates do not build: " + done.stderr.strip().splitlines()[-1][:100]
    return program, None


def knows_symbolize(csink):
    """Whether this csink has the command."""
    return csink is not None and subprocess.run(
        [csink, "symbolize", "--help"], capture_output=True, check=False,
        stdin=subprocess.DEVNULL).returncode == 0


def commands(csink, gimli, module):
    """name -> argv, for one file."""
    out = {}
    if csink:
        out["csink, inlines"] = [csink, "symbolize", "--module", module, "--inlines"]
        out["csink, lines"] = [csink, "symbolize", "--module", module]
    if gimli:
        out["gimli addr2line"] = [gimli, module]
    llvm = llvm_symbolizer()
    if llvm:
        out["llvm-symbolizer"] = [llvm, f"--obj={module}"]
    if shutil.which("eu-addr2line"):
        out["eu-addr2line"] = ["eu-addr2line", "-f", "-i", "-C", "-e", module]
    if shutil.which("addr2line"):
        out["addr2line"] = ["addr2line", "-f", "-i", "-C", "-e", module]
    return out
