#!/usr/bin/env python3
"""Checks the arrows between the rooms: who may include whom.

Reads every `#include "..."` of the tracked sources against the table ALLOWED below, which is the
table of ARCHITECTURE.md in a form that a program can read. Every such include must also be written
from the repository's root and name a file that exists, so that the reading is sound.
"""

import re

from lib import checks

# A room is the longest prefix that fits. "profil/" is divided: what is linked into the host
# program (lean) and what only the csink tool runs.
TOOL_SIDE = ["profil/model", "profil/statistics", "profil/hypothesis", "profil/spool/reader",
             "profil/spool/small_reader"]
LEAN = ["core/", "profil/"]

# room -> prefixes it may include, besides itself. None: anything (tests).
ALLOWED = {
    "core/util/": [],
    "core/": ["core/"],
    "profil/": ["profil/", "core/"],
    "profil/spool/format.h": [],
    "profil/model": ["profil/spool/format.h", *TOOL_SIDE, "core/util/"],
    "profil/statistics": ["profil/spool/format.h", *TOOL_SIDE, "core/util/"],
    "profil/hypothesis": ["profil/spool/format.h", *TOOL_SIDE, "core/util/"],
    "profil/spool/reader": ["profil/spool/", *TOOL_SIDE, "core/util/"],
    "profil/spool/small_reader": ["profil/spool/", *TOOL_SIDE, "core/util/"],
    "symbolizer/": ["symbolizer/", "core/util/"],
    # core/topdown/topdown_shares.h: names and arithmetic that the agent and libpapi use as well.
    "symbolizer/report/": ["symbolizer/", *TOOL_SIDE, "profil/spool/format.h", "core/util/",
                           "core/topdown/topdown_shares.h"],
    "symbolizer/annotate/": ["symbolizer/", *TOOL_SIDE, "profil/spool/format.h", "core/util/"],
    "symbolizer/tool/": ["symbolizer/", *TOOL_SIDE, "profil/spool/", "core/util/"],
    "agent/": ["agent/", "profil/", "core/"],
    "compat/": ["compat/", "profil/", "core/"],
    "compat/utils/": ["compat/utils/"],  # public C headers alone
    "tests/": None,
}
# Exceptions to a prefix above, by room: never these.
FORBIDDEN = {
    "symbolizer/": ["symbolizer/report/", "symbolizer/annotate/", "symbolizer/tool/"],
    "symbolizer/report/": ["symbolizer/annotate/", "symbolizer/tool/"],
    "symbolizer/annotate/": ["symbolizer/tool/"],
    "profil/": TOOL_SIDE,
    "agent/": TOOL_SIDE,
    "compat/": TOOL_SIDE,
}

# Installed as they are, into one folder and one below it for each later version of PAPI: they cannot name
# each other from our root.
PUBLIC = re.compile(r"compat/\w+/include/(papi-\d\.\d/)?[^/]+\.h$")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SUFFIXES = {".h", ".cpp", ".c", ".cc", ".hpp"}


def room_of(path):
    fitting = [room for room in ALLOWED if path.startswith(room)]
    return max(fitting, key=len) if fitting else None


def problems_in(root):
    problems, checked = [], 0
    for path in checks.tracked_files(root, SUFFIXES):
        name = str(path)
        room = room_of(name)
        if room is None:
            if name.startswith("scripts/"):
                continue  # stand-alone programs of the scripts
            problems.append(f"{name}: belongs to no room of check_layers.py")
            continue
        checked += 1
        text = (root / path).read_text(errors="replace")
        for target in INCLUDE.findall(text):
            problem = judge(root, name, room, target)
            if problem:
                line = text[:text.index(f'"{target}"')].count("\n") + 1
                problems.append(f"{name}:{line}: {problem}")
    return problems, checked


def judge(root, name, room, target):
    if not (root / target).is_file():
        beside = ((root / name).parent / target).is_file()
        if beside and (room == "tests/" or PUBLIC.match(name)):
            return None  # a test program with a private header beside it; headers installed together
        return f'"{target}" is not a file of the tree; includes are written from the root'
    if ALLOWED[room] is None:
        return None
    if target.startswith(tuple(FORBIDDEN.get(room, []))):
        return f'{room} must not include "{target}"'
    same_room = room_of(target) == room
    if not same_room and not target.startswith(tuple(ALLOWED[room])):
        allowed = ", ".join([room, *ALLOWED[room]])
        return f'{room} must not include "{target}" (it may include {allowed})'
    return None


def self_test():
    test = checks.SelfTest()
    good = {
        "core/util/a.h": "#pragma once\n",
        "core/perf/b.h": '#include "core/util/a.h"\n',
        "profil/spool/format.h": "",
        "profil/model/profile.h": '#include "profil/spool/format.h"\n',
        "symbolizer/report/text.cpp": '#include "profil/model/profile.h"\n#include <elf.h>\n',
        "agent/start.cpp": '#include "core/perf/b.h"\n',
        "compat/papi/include/papi.h": '#include "papiStdEventDefs.h"\n',
        "compat/papi/include/papiStdEventDefs.h": "",
        "compat/papi/include/papi-7.2/papi.h": '#include "../papi.h"\n',
        "tests/core/b_test.cpp": '#include "core/perf/b.h"\n#include "agent/start.cpp"\n',
    }
    planted = {
        "core knows no profil": ("core/perf/x.cpp", "profil/spool/format.h", "core/ must not"),
        "util knows util alone": ("core/util/x.h", "core/perf/b.h", "core/util/ must not"),
        "symbolizer knows no counter": ("symbolizer/x.cpp", "core/perf/b.h", "symbolizer/ must"),
        "resolver knows no report": ("symbolizer/x.cpp", "symbolizer/report/text.cpp", "must not"),
        "resolver knows no profile": ("symbolizer/x.cpp", "profil/model/profile.h", "must not"),
        "nobody includes agent": ("profil/x.cpp", "agent/start.cpp", "profil/ must not"),
        "the agent is lean": ("agent/x.cpp", "profil/model/profile.h", "agent/ must not"),
        "the model reads no events": ("profil/model/x.cpp", "core/perf/b.h", "must not"),
        "includes start at the root": ("core/perf/x.cpp", "b.h", "written from the root"),
        "nobody includes compat": ("profil/x.cpp", "compat/papi/include/papi.h", "profil/ must not"),
        "only public headers stand together": ("compat/papi/x.cpp", "papi.h", "written from the root"),
        "every file has a room": ("attic/x.cpp", "core/util/a.h", "no room"),
    }
    folder = test.tree(good)
    root = checks.pathlib.Path(folder.name)
    test.expect("a clean tree", problems_in(root)[0])
    for what, (name, target, word) in planted.items():
        folder = test.tree({**good, name: f'// planted\n#include "{target}"\n'})
        test.expect(what, problems_in(checks.pathlib.Path(folder.name))[0], word)
    test.exit()


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root), lambda args: self_test())
