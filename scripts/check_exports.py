#!/usr/bin/env python3
"""Checks what libagent.so shows to the program that it is loaded into.

* Its dynamic exports are exactly the names in the `global:` block of its version script, which is
  the reviewed list (no wildcards there).
* NEEDED is libc alone (and the dynamic loader on aarch64, where the stack protector's guard lives):
  no libstdc++, and nothing that could load a second copy of something into the host.
* Its thread-local block is small: a preloaded library's block is part of every thread.
* No text relocations, no executable stack, no run path.
"""

import os
import pathlib
import re
import subprocess
import sys

from lib import checks

NEEDED = {"libc.so.6"}
LOADERS = {"ld-linux-aarch64.so.1"}
FOREIGN = re.compile(r"^(_ZSt|_ZNSt|_ZNKSt|__cxa_|__gxx_|_Unwind_|_Zn[wa]|_Zd[la])")
# libc's own registration of finalizers, whatever their prefix says.
HARMLESS = {"__cxa_finalize", "__cxa_atexit", "__cxa_at_quick_exit", "__cxa_thread_atexit_impl"}


def readelf(*args):
    return subprocess.run(["readelf", "-W", *map(str, args)], capture_output=True, text=True,
                          check=True).stdout


def reviewed_names(version_script):
    text = re.sub(r"/\*.*?\*/|#[^\n]*|//[^\n]*", "", version_script.read_text(), flags=re.DOTALL)
    block = re.search(r"global:(.*?)(local:|\})", text, re.DOTALL)
    return set(re.findall(r"[^\s;{}]+", block.group(1))) if block else set()


def dynamic_symbols(library):
    exported, imported = set(), set()
    for line in readelf("--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].endswith(":") or not fields[1].strip("0123456789abcdef") == "":
            continue
        name = fields[7].split("@")[0]
        if fields[6] == "UND":
            imported.add(name)
        elif fields[4] in ("GLOBAL", "WEAK", "UNIQUE") and fields[5] == "DEFAULT" and fields[6] != "ABS":
            exported.add(name)
    return exported, imported


def problems_of(library, version_script, max_tls_bytes):
    problems = []
    reviewed = reviewed_names(version_script)
    exported, imported = dynamic_symbols(library)
    wildcards = sorted(n for n in reviewed if re.search(r"[*?\[]", n))
    problems += [f"{version_script.name}: \"{n}\" is a wildcard; list every name" for n in wildcards]
    if not wildcards:
        problems += [f"exports {n}, which {version_script.name} does not list"
                     for n in sorted(exported - reviewed)]
        problems += [f"does not export {n}, which {version_script.name} lists"
                     for n in sorted(reviewed - exported)]
    problems += [f"uses {n} of the C++ runtime" for n in sorted(imported - HARMLESS) if FOREIGN.match(n)]

    dynamic = readelf("-d", library)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    problems += [f"NEEDS {n}" for n in sorted(needed - NEEDED - LOADERS)]
    if not NEEDED & needed:
        problems.append("does not need libc.so.6: linked in a way that was not meant")
    if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        problems.append("has a run path")
    if "TEXTREL" in dynamic:
        problems.append("has text relocations")

    headers = readelf("-l", library)
    tls = re.search(r"^\s+TLS\s+\S+ \S+ \S+ \S+ (0x[0-9a-f]+)", headers, re.MULTILINE)
    tls_bytes = int(tls.group(1), 16) if tls else 0
    if tls_bytes > max_tls_bytes:
        problems.append(f"thread-local block of {tls_bytes} bytes, more than {max_tls_bytes}")
    if re.search(r"GNU_STACK.*RWE", headers):
        problems.append("asks for an executable stack")
    return problems, len(exported)


def self_test(compiler):
    test = checks.SelfTest()
    script = "{\n  global:\n    /* reviewed */\n    alpha;\n    beta;\n  local: *;\n};\n"
    base = 'extern "C" int alpha() { return 1; }\nextern "C" int beta() { return 2; }\n'
    planted = {
        "an unlisted export": (base + 'extern "C" int extra() { return 3; }',
                               script.replace("local: *;", ""), [], ["exports extra"]),
        "a missing export": ('extern "C" int alpha() { return 1; }', script, [], ["export beta"]),
        "a wildcard": (base, script.replace("alpha;", "al*;"), [], ["wildcard"]),
        "another library": (base + "#include <math.h>\nvolatile double v; double f() { return pow(v, v); }\n"
                            'extern "C" int use() { return (int)f(); }',
                            script.replace("alpha;", "alpha; use;"), ["-lm"], ["NEEDS libm"]),
        "the heap of C++": (base + 'extern "C" void* use() { return new char[8]; }',
                            script.replace("alpha;", "alpha; use;"), [], ["C++ runtime"]),
        "a big TLS block": (base + "static __attribute__((tls_model(\"initial-exec\"))) __thread char t[4096];\n"
                            'extern "C" char* use() { return t; }',
                            script.replace("alpha;", "alpha; use;"), [], ["4096 bytes"]),
        "a run path": (base, script, ["-Wl,-rpath,/opt"], ["run path"]),
        "an executable stack": (base, script, ["-Wl,-z,execstack"], ["executable stack"]),
    }

    def build(source, text, flags):
        folder = test.tree({"x.cpp": source, "x.map": text})
        here = pathlib.Path(folder.name)
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-fvisibility=default", "-nostdlib",
                        str(here / "x.cpp"), "-o", str(here / "libx.so"),
                        f"-Wl,--version-script={here / 'x.map'}", *flags, "-lc", "-lgcc"], check=True)
        return problems_of(here / "libx.so", here / "x.map", 64)[0]

    test.expect("a clean library", build(base, script, ["-Wl,--no-as-needed"]))
    for what, (source, text, flags, words) in planted.items():
        test.expect(what, build(source, text, ["-Wl,--no-as-needed", *flags]), *words)
    test.exit()


def add_options(options):
    options.add_argument("--library", type=pathlib.Path, help="libagent.so of a build")
    options.add_argument("--map", type=pathlib.Path, default=checks.ROOT / "agent" / "libagent.map")
    options.add_argument("--max-tls", type=int, default=64, help="bytes (default 64)")
    options.add_argument("--compiler", default=os.environ.get("CXX", "c++"), help="for --self-test")


def check(args):
    if not args.library or not args.library.is_file():
        checks.skip(f"no agent library ({args.library or 'no --library given'})")
    if not args.map.is_file():
        print(f"{args.map.name} is missing: the export list must be a reviewed file")
        sys.exit(1)
    problems, checked = problems_of(args.library, args.map, args.max_tls)
    return [f"{args.library.name}: {p}" for p in problems], checked


if __name__ == "__main__":
    checks.main(__doc__, check, lambda args: self_test(args.compiler), add_options)
