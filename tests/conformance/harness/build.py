"""Builds the suites against one header and one library, and builds nothing twice.

A target (object, archive, binary) carries the hash of all that decides its content: sources,
headers, compiler, flags, and of the library only the names that it exports, because a rebuilt
library with the same names asks for no new link.
"""

import concurrent.futures
import dataclasses
import hashlib
import pathlib
import re
import shutil
import subprocess
import threading

from .catalogue import EXAMPLES, INCLUDES, SHARED, SHARED_FORTRAN, catalogue

C_FLAGS = ("-g", "-O1", "-D_GNU_SOURCE", "-pthread", "-w")
# do_loops.c asks for it in its first line; optimised, its loop of 20 million takes less than the
# 20 ms that `first` and `inherit` demand of a clock in nanoseconds.
UNOPTIMISED = ("testlib/do_loops.c",)
F_FLAGS = ("-g", "-O1", "-cpp", "-Dlinux", "-ffixed-line-length-132", "-fallow-argument-mismatch", "-w")
OURS = re.compile(r"^(?!papi_sde_)(PAPIF?|papif)_", re.I)  # papi_sde_* are libsde's


class BuildError(Exception):
    """A compiler or linker said no; the text is its output."""


@dataclasses.dataclass(frozen=True)
class Toolchain:
    """Compilers and what they are always given (a sysroot when the target is the guest)."""
    c: tuple = ("ccache", "gcc") if shutil.which("ccache") else ("gcc",)
    fortran: tuple = ("gfortran",)
    ar: str = "ar"
    nm: str = "nm"
    objcopy: str = "objcopy"

    def version(self):
        texts = []
        for command in (self.c, self.fortran):
            done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
            texts.append(" ".join(command) + done.stdout)
        return "".join(texts)


def run(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise BuildError(" ".join(map(str, command)) + "\n" + done.stdout + done.stderr)
    return done.stdout


def exported(library, nm="nm"):
    """The names that a shared library defines for others."""
    lines = run([nm, "-D", "--defined-only", library]).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.strip()}


def library_file(folder):
    """libpapi.so.7.0 of a build or installation folder."""
    for name in ("libpapi.so.7.0", "libpapi.so"):
        if (folder / name).exists():
            return folder / name
    raise BuildError(f"no libpapi.so.7.0 in {folder}")


class Builder:
    """One build folder for one header and one library.

    Owns: `folder` (obj/, and bin/<suite>/ with the binaries under their own names).
    """

    def __init__(self, folder, header, library, names=None, toolchain=Toolchain(), loops="-O0",
                 fortran=None):
        """`names`: what the library offers that will be run, when that is not the one linked. `fortran`:
        folder with fpapi.h where that is not beside papi.h: our build makes it."""
        self.folder, self.header = pathlib.Path(folder), pathlib.Path(header)
        self.library = library_file(pathlib.Path(library))
        self.tools, self.loops = toolchain, loops
        self.exports = names or exported(self.library, toolchain.nm)
        self.built, self.helpers = 0, set()
        self.archived = {}  # name of an archive -> its objects
        self.fortran = pathlib.Path(fortran or header)
        folders = dict.fromkeys((self.header, self.fortran))
        headers = [p for f in folders for p in sorted(f.glob("*papi*.h"))] + [
            p for p in (self.header / "papiStdEventDefs.h",) if p.is_file()]
        local = [p for name in INCLUDES for p in sorted((EXAMPLES / name).glob("*.h"))]
        self.base = self._hash(toolchain.version(), *(p.read_bytes() for p in headers + local))
        self.fortran_header = (self.fortran / "fpapi.h").is_file()

    @staticmethod
    def _hash(*parts):
        digest = hashlib.sha256()
        for part in parts:
            part = part if isinstance(part, bytes) else str(part).encode()
            digest.update(len(part).to_bytes(8, "little") + part)
        return digest.hexdigest()

    def _fresh(self, target, key):
        stamp = target.with_name(target.name + ".key")
        return target.exists() and stamp.is_file() and stamp.read_text() == key

    def _make(self, target, key, command):
        if self._fresh(target, key):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        run(command)
        target.with_name(target.name + ".key").write_text(key)
        self.built += 1

    def _object(self, source, flags):
        fortran = source.endswith(".F")
        flags = (*(F_FLAGS if fortran else C_FLAGS), *flags)
        key = self._hash(self.base, source, (EXAMPLES / source).read_bytes(), flags)
        target = self.folder / "obj" / f"{source.replace('/', '.')}.{key[:12]}.o"
        includes = [f"-I{self.header}", f"-I{self.fortran}", *(f"-I{EXAMPLES / name}" for name in INCLUDES)]
        compiler = self.tools.fortran if fortran else self.tools.c
        self._make(target, key, [*compiler, *flags, *includes, "-c", EXAMPLES / source, "-o", target])
        return target, key

    def shared(self):
        """The archives that every test links; call it before binary()."""
        self.archived["shared"] = self._archive("shared", SHARED)
        text = run([self.tools.nm, "--defined-only", self.folder / "obj" / "libshared.a"])
        self.helpers = set(re.findall(r"^\S+ [A-Z] (\S+)$", text, re.M))
        if self.fortran_header:
            self.archived["shared_f"] = self._archive("shared_f", SHARED_FORTRAN)

    def _archive(self, name, sources):
        parts = [self._object(s, (self.loops,) if s in UNOPTIMISED else ()) for s in sources]
        target = self.folder / "obj" / f"lib{name}.a"
        key = self._hash(*(k for _, k in parts))
        if not self._fresh(target, key):
            target.unlink(missing_ok=True)
        self._make(target, key, [self.tools.ar, "rcs", target, *(o for o, _ in parts)])
        return [o for o, _ in parts]

    def missing(self, parts):
        """Names of libpapi that these objects need and the library does not have."""
        text = run([self.tools.nm, "--undefined-only", *parts])
        return sorted({name for name in re.findall(r"^\s+U (\S+)$", text, re.M)
                       if OURS.match(name) and name not in self.exports | self.helpers})

    def _objects(self, test):
        openmp = ("-fopenmp",) if test.openmp else ()
        return [self._object(source, (*test.flags, *openmp)) for source in test.sources]

    def code(self, test):
        """A hash of all that the header decides of one binary: its objects and those of the archives that it
        links, without debug information. Call shared() before."""
        archives = [self.archived[name] for name in (("shared_f", "shared") if test.fortran else ("shared",))]
        objects = [*(o for o, _ in self._objects(test)), *(o for archive in archives for o in archive)]
        return self._hash(*map(self._stripped, objects))

    def _stripped(self, target):
        """The hash of an object's sections and symbols; kept beside it."""
        kept = target.with_name(target.name + ".code")
        if not kept.is_file() or kept.stat().st_mtime < target.stat().st_mtime:
            bare = target.with_name(target.name + f".bare{threading.get_ident()}")
            run([self.tools.objcopy, "--strip-debug", target, bare])
            kept.write_text(self._hash(bare.read_bytes()))
            bare.unlink()
        return kept.read_text()

    def binary(self, test):
        """Builds one test. Gives (path, []), or (None, names that the library lacks)."""
        if test.fortran and not self.fortran_header:
            return None, ["fpapi.h"]
        openmp = ("-fopenmp",) if test.openmp else ()
        parts = self._objects(test)
        lacking = self.missing([o for o, _ in parts])
        if lacking:
            return None, lacking
        archives = [self.folder / "obj" / "libshared.a"]
        if test.fortran:
            archives.insert(0, self.folder / "obj" / "libshared_f.a")
        target = self.folder / "bin" / test.suite / test.name
        keys = [a.with_name(a.name + ".key").read_text() for a in archives]
        key = self._hash(*(k for _, k in parts), *keys, *sorted(self.exports), self.library.name, test.libraries)
        compiler = self.tools.fortran if test.fortran else self.tools.c
        self._make(target, key, [*compiler, "-pthread", *openmp, *(o for o, _ in parts), *archives,
                                 self.library, *test.libraries, "-lm", "-ldl", "-o", target])
        return target, []

    def all(self, tests=None, jobs=2):
        """{key: (path or None, missing names)}; a test that does not compile raises BuildError."""
        tests = tests or catalogue()
        self.shared()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return dict(zip((t.key for t in tests), pool.map(self.binary, tests)))
