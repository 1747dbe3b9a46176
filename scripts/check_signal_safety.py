#!/usr/bin/env python3
"""Checks that signal-safe code calls only what is safe in a signal handler.

Signal-safe code lives in *_signal.cpp files and nowhere else. This takes the objects that a build
made of them (an uninstrumented one), and of each the symbols it needs and does not define (nm). Every
one of those must be defined by another *_signal object or stand in signal_safe_names.txt. Further
rejected: guarded function statics, thread-local variables that are reached by a call
(__tls_get_addr, TLS descriptors), exceptions.

It cannot see calls through pointers: user callbacks are the edge of the promise.
"""

import fnmatch
import os
import pathlib
import re
import subprocess
import sys

from lib import checks

NAMES = checks.ROOT / "scripts" / "signal_safe_names.txt"
WHY = [
    (r"^(malloc|calloc|realloc|free|_Zn[wa]|_Zd[la])", "the heap"),
    (r"^__cxa_guard_", "a guarded function static"),
    (r"^(__cxa_(throw|rethrow|begin_catch|allocate_exception)|_Unwind_|__gxx_personality)", "exceptions"),
    (r"printf|^(puts|fputs|fwrite|putchar)$", "stdio"),
    (r"^(__tls_get_addr|_ZTW|__tls_init)", "thread-local storage by a call"),
    (r"^__errno_location$", "libc's errno; use RawSyscall, which does not touch it"),
    (r"^__(asan|tsan|ubsan|sanitizer|gcov|llvm_prof)", "an instrumented build; check a plain one"),
]
TLS_CALL = re.compile(r"R_X86_64_(TLSGD|TLSLD|GOTPC32_TLSDESC|TLSDESC_CALL)|R_AARCH64_TLS(GD|LD|DESC)")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def allowed_names(path):
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def source_of(obj, build):
    """ROOM/CMakeFiles/TARGET.dir/FILE.cpp.o -> ROOM/FILE.cpp"""
    parts = obj.relative_to(build).parts
    at = parts.index("CMakeFiles")
    return pathlib.PurePosixPath(*parts[:at], *parts[at + 2:]).with_suffix("")


def signal_objects(build, root):
    """Those whose source is still there: a build folder keeps the objects of renamed files."""
    found = (p for p in build.rglob("*_signal.cpp.o") if "CMakeFiles" in p.parts)
    return sorted(p for p in found if (root / source_of(p, build)).is_file())


def symbols(nm, obj):
    needed, defined = set(), set()
    for line in run(nm, str(obj)).splitlines():
        fields = line.split()
        kind, name = fields[-2], fields[-1]
        (needed if kind in "Uw" else defined).add(name)
    return needed, defined


def problems_in(objects, allowed, base, nm="nm", readelf="readelf"):
    tables = {obj: symbols(nm, obj) for obj in objects}
    ours = set().union(*(defined for _, defined in tables.values()))
    problems = []
    for obj, (needed, defined) in tables.items():
        label = str(obj.relative_to(base)).replace("CMakeFiles/", "")
        for name in sorted(needed - ours):
            if not any(fnmatch.fnmatchcase(name, pattern) for pattern in allowed):
                problems.append(f"{label}: needs {describe(name)}")
        for name in sorted(n for n in defined if n.startswith("_ZGV")):
            problems.append(f"{label}: has a guarded function static ({demangle(name)})")
        for kind in sorted({m.group(0) for m in TLS_CALL.finditer(run(readelf, "-rW", str(obj)))}):
            problems.append(f"{label}: reaches thread-local storage by a call ({kind})")
    return problems


def demangle(name):
    return run("c++filt", name).strip()


def describe(name):
    why = next((text for pattern, text in WHY if re.search(pattern, name)), None)
    return demangle(name) + (f" ({why})" if why else " (not a *_signal object's, not on the list)")


def self_test(compiler):
    test = checks.SelfTest()
    good = """
        #include <atomic>
        #include <cstring>
        int Other(int) noexcept;
        static std::atomic<int> hits;
        int Good(char* to, const char* from, int n) noexcept {
          hits.fetch_add(1); memmove(to, from, static_cast<unsigned>(n)); return Other(n); }"""
    other = "int Other(int n) noexcept { return n + 1; }"
    planted = {
        "malloc": ("#include <cstdlib>\nvoid* F() { return malloc(8); }", "the heap"),
        "new": ("int* F() { return new int(1); }", "the heap"),
        "printf": ("#include <cstdio>\nint F(int n) { return printf(\"%d\", n); }", "stdio"),
        "a static": ("int G(); int Other(int); int F() { static int v = Other(2); return v; }", "guarded"),
        "errno": ("#include <cerrno>\nint F() { return errno; }", "errno"),
        "a stranger": ("extern \"C\" int getpid(); int F() { return getpid(); }", "getpid"),
        "tls": ("extern thread_local int t; int F() { return ++t; }", "thread-local"),
        "throw": ("int F() { throw 1; }", "exceptions"),
    }
    allowed = allowed_names(NAMES)

    def build(text):
        folder = test.tree({"other_signal.cpp": other, "x_signal.cpp": text})
        base = pathlib.Path(folder.name)
        objects = []
        for source in sorted(base.glob("*.cpp")):
            obj = source.with_suffix(".cpp.o")
            # Not optimised for guards to stay; global-dynamic TLS as a shared object has it.
            run(compiler, "-std=c++20", "-O1", "-fPIC", "-c", str(source), "-o", str(obj))
            objects.append(obj)
        return problems_in(objects, allowed, base), folder

    test.expect("safe code", build(good)[0])
    for what, (text, word) in planted.items():
        found = build(text)[0]
        # One mistake may need several symbols (throw needs three): one reason is enough.
        test.expect(what, [p for p in found if word in p][:1] or found, word)
    test.exit()


def add_options(options):
    options.add_argument("--build", type=pathlib.Path, default=checks.ROOT / "build" / "dev",
                         help="a build folder, without sanitizers or coverage")
    options.add_argument("--without", action="append", default=[], metavar="FOLDER",
                         help="a room that this build leaves out")
    options.add_argument("--list", action="store_true", help="print the objects that are checked")
    options.add_argument("--compiler", default=os.environ.get("CXX", "c++"), help="for --self-test")


def check(args):
    objects = signal_objects(args.build, args.root)
    if args.list:
        print("\n".join(str(o) for o in objects))
        sys.exit()
    sources = [p for p in checks.tracked_files(args.root, {".cpp"}) if p.name.endswith("_signal.cpp")
               and not str(p).startswith(("tests/", *args.without))]
    # A source that no target builds would pass unchecked.
    built = {source_of(o, args.build) for o in objects}
    unbuilt = [f"{p}: no object of it in {args.build.name}" for p in sources if p not in built]
    return unbuilt + problems_in(objects, allowed_names(NAMES), args.build), len(objects)


if __name__ == "__main__":
    checks.main(__doc__, check, lambda args: self_test(args.compiler), add_options)
