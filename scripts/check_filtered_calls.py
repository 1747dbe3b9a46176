#!/usr/bin/env python3
"""Checks that a program's seccomp filter is asked about every system call of the agent's.

kOurCalls of agent/signals/seccomp_filter_signal.cpp is what the agent holds against a filter before the
program installs it: a call that is missing there may be the program's death. Looked through are
agent/ without its programs and plug-ins, and the headers and *_signal.cpp of core/ and profil/,
for calls that are made without libc, by name or through a constant of the file; and BY_LIBC below
is what libc does for us when a thread is made.
"""

import re

from lib import checks

LIST = "agent/signals/seccomp_filter_signal.cpp"
BLOCK = re.compile(r"constexpr long kOurCalls\[\] = \{(.*?)^\};", re.M | re.S)
ENTRY = re.compile(r"\b(?:SYS_(\w+)|(\d+))\s*,")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
# The first argument of our own ways to the kernel; how the assembly names its number.
CALL = re.compile(r'\bRawSyscall3?\(\s*(\w+)\s*[,)]|"a"\((\w+)\)|\bx8 __asm__\("x8"\) = (\w+)')
CONSTANT = re.compile(r"constexpr long (k\w+) = (\w+);")
NOT_OURS = ("agent/meter/", "agent/unwind/")
BY_LIBC = ("brk", "clone3", "mprotect", "rseq", "set_robust_list")
# Made in the library's constructor alone, before the program can install anything.
AT_THE_START = ("memfd_create", "ftruncate", "renameat")


def is_agents(path):
    name = str(path)
    if name.startswith("agent/"):
        return not name.startswith(NOT_OURS)
    return name.startswith(("core/", "profil/")) and (path.suffix == ".h" or name.endswith("_signal.cpp"))


def calls_in(text):
    """Names without SYS_, and numbers as text. The wrappers' own parameters are left out."""
    code = COMMENT.sub("", text)
    constants = dict(CONSTANT.findall(code))
    for groups in CALL.findall(code):
        word = "".join(groups)
        word = constants.get(word, word)
        if word.startswith("SYS_"):
            yield word.removeprefix("SYS_")
        elif word.isdigit():
            yield word


def problems_in(root):
    block = BLOCK.search((root / LIST).read_text())
    listed = {name or number for name, number in ENTRY.findall(COMMENT.sub("", block.group(1)))} if block else set()
    if not listed:
        return [f"{LIST}: no list kOurCalls found"], 0
    problems = []
    for path in checks.tracked_files(root, {".h", ".cpp"}):
        if not is_agents(path):
            continue
        made = set(calls_in((root / path).read_text())) - listed - set(AT_THE_START)
        problems += [f"{path}: makes {name}, which is not in kOurCalls of {LIST}" for name in sorted(made)]
    problems += [f"{LIST}: libc makes {name} for a new thread, and kOurCalls lacks it"
                 for name in BY_LIBC if name not in listed]
    return problems, len(listed)


def self_test():
    test = checks.SelfTest()
    libc = "".join(f"    SYS_{name},\n" for name in BY_LIBC)
    good = {
        LIST: f"constexpr long kOurCalls[] = {{\n    SYS_read,\n    SYS_clone,\n    436,  // close_range\n{libc}}};\n"
              "RawSyscall(SYS_read, fd);\n",
        "core/a_signal.cpp": 'asm("syscall" : : "a"(SYS_clone));\nRawSyscall(SYS_read);\n',
        "core/tool.cpp": "RawSyscall(SYS_ptrace);\n",
        "agent/meter/main.cpp": "RawSyscall(SYS_ptrace);\n",
        "agent/b.cpp": "constexpr long kCloseRange = 436;\n// RawSyscall(SYS_ptrace)\nRawSyscall(kCloseRange, 0);\n",
        "core/raw.h": "long RawSyscall(long n, long a);\n",
    }
    planted = {
        "a call by name": ("core/a_signal.cpp", "SYS_read", "SYS_write", ("a_signal.cpp: makes write",)),
        "a call in assembly": ("core/a_signal.cpp", "SYS_clone", "SYS_vfork", ("a_signal.cpp: makes vfork",)),
        "a call by number": ("agent/b.cpp", "= 436", "= 437", ("b.cpp: makes 437",)),
        "a call of libc's": (LIST, "    SYS_rseq,\n", "", ("libc makes rseq",)),
        "a list that moved": (LIST, "kOurCalls", "kCalls", ("no list kOurCalls",)),
    }
    test.expect_each(lambda root: problems_in(root)[0], good, planted)
    test.exit()


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root), lambda args: self_test())
