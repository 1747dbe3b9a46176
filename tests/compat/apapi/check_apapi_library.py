#!/usr/bin/env python3
"""Checks what libapapi.so shows and needs: exports are those of libapapi.map, among them every function
of apapi.h and apapi_csink.h; NEEDED is libpapi.so.7.0 and the C library, and no libstdc++; no text
relocations; the soname is its name.

usage: check_apapi_library.py LIBRARY | --self-test
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
NEEDED = {"libpapi.so.7.0", "libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def listed(text):
    """The names of a version script."""
    return set(re.findall(r"^\s+(\w+);", text.split("local:")[0], re.M))


def declared(text):
    """The functions and objects of a header."""
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"\b((?:APAPI|csink_apapi)_[a-z_0-9]+)(?=\(|\[)", code))


def problems(exported, reviewed, public, needed, dynamic):
    found = [f"{n} is exported, and libapapi.map does not list it" for n in sorted(exported - reviewed)]
    found += [f"{n} is in libapapi.map, and not exported" for n in sorted(reviewed - exported)]
    found += [f"{n} is declared, and not in libapapi.map" for n in sorted(public - reviewed)]
    found += [f"needs {n}" for n in sorted(needed - NEEDED)]
    if "libpapi.so.7.0" not in needed:
        found.append("does not need libpapi.so.7.0, whose handles it hands out")
    if "(TEXTREL)" in dynamic:
        found.append("has text relocations")
    if "Library soname: [libapapi.so.1]" not in dynamic:
        found.append("its soname is not libapapi.so.1")
    return found


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check(library):
    folder = ROOT / "compat" / "apapi"
    dynamic = output("readelf", "-dW", library)
    exported = {line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()}
    public = set()
    for header in ("apapi.h", "apapi_csink.h"):
        public |= declared((folder / "include" / header).read_text())
    return problems(exported, listed((folder / "libapapi.map").read_text()), public,
                    set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)), dynamic)


def self_test():
    good = ({"APAPI_init"}, {"APAPI_init"}, {"APAPI_init"}, {"libpapi.so.7.0"},
            "Library soname: [libapapi.so.1]")
    planted = {
        "clean": (good, ""),
        "one too many": (({"APAPI_init", "x"}, *good[1:]), "x is exported"),
        "one missing": ((set(), *good[1:]), "not exported"),
        "undeclared": ((*good[:2], {"APAPI_init", "APAPI_new"}, *good[3:]), "APAPI_new is declared"),
        "libstdc++": ((*good[:3], {"libpapi.so.7.0", "libstdc++.so.6"}, good[4]), "needs libstdc++"),
        "no libpapi": ((*good[:3], {"libc.so.6"}, good[4]), "does not need libpapi"),
        "relocations": ((*good[:4], good[4] + "(TEXTREL)"), "text relocations"),
        "soname": ((*good[:4], ""), "soname"),
    }
    wrong = [what for what, (given, word) in planted.items()
             if bool(word) != bool(problems(*given)) or word not in " ".join(problems(*given))]
    if listed("{\n global:\n  a;\n  b_1;\n local: *;\n};") != {"a", "b_1"}:
        wrong.append("a version script is read wrong")
    if declared("/* APAPI_no(x) */ int APAPI_a(void); extern char* APAPI_b[];") != {"APAPI_a", "APAPI_b"}:
        wrong.append("a header is read wrong")
    return wrong


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    bad = self_test() if sys.argv[1] == "--self-test" else check(sys.argv[1])
    print("\n".join(bad) if bad else "ok")
    sys.exit(1 if bad else 0)
