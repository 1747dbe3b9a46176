"""How the programs of this folder are built: compilers, their options, and tools that rewrite what they wrote."""

import dataclasses
import os
import pathlib
import shutil
import subprocess

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
CXX_SOURCES = (str(PROGRAMS / "program.cpp"), str(PROGRAMS / "part.cpp"))


@dataclasses.dataclass(frozen=True)
class Build:
    """`commands` run one after the other in an empty folder and leave `file` there. The first that exists of each
    group of `tools` stands for its name in the commands."""

    name: str
    commands: tuple
    tools: tuple = ()
    file: str = "program"

    def missing(self):
        """Tools that this machine lacks."""
        return [" or ".join(group) for group in self.tools if not any(map(shutil.which, group))]

    def make(self, folder):
        """The path of the file. Raises CalledProcessError with the compiler's words in `output`."""
        found = {group[0]: next(filter(shutil.which, group)) for group in self.tools}
        for command in self.commands:
            words = [found.get(word, word) for word in command]
            subprocess.run(words, cwd=folder, check=True, text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, env={**os.environ, "LC_ALL": "C"})
        return str(pathlib.Path(folder, self.file))


CLANG = ("clang++-22", "clang++-19", "clang++-16", "clang++-14", "clang++")
LLD = ("ld.lld-22", "ld.lld-19", "ld.lld-16", "ld.lld-14", "ld.lld")
BOLT = ("llvm-bolt-22", "llvm-bolt-19", "llvm-bolt-16", "llvm-bolt")


def gcc(name, *options, after=(), tools=(), file="program"):
    command = ("g++", "-std=c++17", "-O2", "-g", *options, *CXX_SOURCES, "-o", "program")
    return Build("g++ " + name, (command, *after), (("g++",), *tools), file)


def clang(name, *options, after=(), tools=(), file="program"):
    command = (CLANG[0], "-std=c++17", "-O2", "-g", *options, *CXX_SOURCES, "-o", "program")
    return Build("clang++ " + name, (command, *after), (CLANG, *tools), file)


def rust(name, *options):
    command = ("rustc", "-O", "-g", *options, str(PROGRAMS / "program.rs"), "-o", "program")
    return Build("rustc " + name, (command,), (("rustc",),))


DWARF = [gcc(f"-gdwarf-{version}{strict}", f"-gdwarf-{version}", *strict.split())
         for version in (2, 3, 4, 5) for strict in ("", " -gstrict-dwarf")]

BUILDS = [
    *DWARF,
    gcc("-flto", "-flto"),
    gcc("-gsplit-dwarf", "-gsplit-dwarf"),
    # The dwp of Debian 12's binutils crashes on DWARF 5.
    gcc("-gdwarf-4 -gsplit-dwarf, dwp", "-gdwarf-4", "-gsplit-dwarf", after=(("dwp", "-e", "program"),),
        tools=(("dwp",),)),
    gcc("dwz", after=(("dwz", "program"),), tools=(("dwz",),)),
    gcc("dwz -m", after=(("cp", "program", "other"), ("dwz", "-m", "common", "program", "other")), tools=(("dwz",),)),
    gcc("compressed", "-gz"),
    gcc("BOLT", "-Wl,--emit-relocs", "-fno-reorder-blocks-and-partition",
        after=((BOLT[0], "program", "-o", "rewritten", "--update-debug-sections", "--reorder-blocks=reverse",
                "--split-functions", "--split-strategy=randomN", "--reorder-functions=none"),),
        tools=(BOLT,), file="rewritten"),
    gcc("BOLT, old debug sections", "-Wl,--emit-relocs", "-fno-reorder-blocks-and-partition",
        after=((BOLT[0], "program", "-o", "rewritten", "--reorder-blocks=reverse"),),
        tools=(BOLT,), file="rewritten"),
    clang("-gdwarf-4", "-gdwarf-4"),
    clang("-gdwarf-5", "-gdwarf-5"),
    clang("-flto", "-flto", "-fuse-ld=lld", tools=(LLD,)),
    clang("-flto=thin", "-flto=thin", "-fuse-ld=lld", tools=(LLD,)),
    clang("-gsimple-template-names", "-gsimple-template-names"),
    clang("-gsplit-dwarf", "-gsplit-dwarf"),
    clang("-gsplit-dwarf, dwp", "-gsplit-dwarf", after=(("llvm-dwp-22", "-e", "program", "-o", "program.dwp"),),
          tools=(("llvm-dwp-22", "llvm-dwp-19", "llvm-dwp-16", "llvm-dwp-14"),)),
    clang("-fbasic-block-sections=all", "-fbasic-block-sections=all"),
    rust("release, legacy names"),
    rust("v0 names", "-C", "symbol-mangling-version=v0"),
    rust("fat LTO", "-C", "lto=fat"),
    Build("gfortran", (("gfortran", "-O2", "-g", str(PROGRAMS / "program.f90"), "-o", "program"),), (("gfortran",),)),
    Build("gfortran -gdwarf-4", (("gfortran", "-O2", "-gdwarf-4", str(PROGRAMS / "program.f90"), "-o", "program"),),
          (("gfortran",),)),
    Build("gnat", (("gnatmake", "-q", "-O2", "-g", "-gnatn", str(PROGRAMS / "program.adb"), "-o", "program"),),
          (("gnatmake",),)),
    Build("gdc", (("gdc", "-O2", "-g", str(PROGRAMS / "program.d"), "-o", "program"),), (("gdc",),)),
]
