#!/usr/bin/env python3
"""Checks the arrows between the folders: who may include whom.

Reads every `#include "..."` of the tracked sources against the table FOLDERS below, in which each folder
with sources stands with its promise and the folders that it may include. The table itself is checked: no
folder that is not there, no circles, and no arrow from a promise to a weaker one.
Every such include must also be written from the repository's root and name a file that exists, so that the
reading is sound.

Promises (ARCHITECTURE.md):
  lean  inside the profiled program: libc alone, no heap, no exceptions; *_signal.cpp also in signal handlers
  host  inside a program that asked for it (libpapi, libapapi): heap and standard library allowed
  tool  a process of its own
  c     public C headers and what is written over them alone
"""

import re

from lib import checks

FOLDERS = """
lean core/util:
lean core/version:
host core/counting/presets: core/util
lean core/machine: core/util
lean core/settings: core/util
lean core/topdown: core/util
host core/counting/system: core/machine core/util
lean core/events: core/topdown core/util
lean core/perf: core/machine core/util
host core/counting/catalogue: core/counting/system core/events core/util
lean core/counting/signals: core/perf core/util
lean core/sampling: core/events core/machine core/perf core/util
lean core/counting/counters: core/counting/signals core/perf core/util
host core/counting/counter_sets: core/counting/counters core/perf core/util
lean core/counting/overflow: core/counting/counters core/counting/signals core/machine core/perf core/sampling core/util
host core/counting/components: core/counting/counters core/counting/overflow core/events core/util
host core/counting/components/device: core/counting/components core/counting/counters core/counting/system core/machine core/perf core/util core/version
host core/counting/components/perf_event: core/counting/catalogue core/counting/components core/counting/counter_sets core/counting/counters core/counting/system core/events core/machine core/perf core/util core/version
host core/counting/components/appio: core/counting/components core/counting/counters core/machine core/util core/version
host core/counting/components/sde: core/counting/components core/counting/counters core/counting/overflow core/machine core/util core/version
host core/counting/components/topdown: core/counting/components core/counting/counter_sets core/perf core/topdown core/util core/version
host core/counting/components/sensors: core/counting/components/device core/counting/system core/machine core/perf core/util
host core/counting/components/vendor: core/counting/components/device core/machine core/util
host core/counting/components/ipmi: core/counting/components/device core/counting/components/vendor core/counting/system core/machine core/util
host core/counting/components/sysdetect: core/counting/components core/counting/components/vendor core/counting/system core/util core/version
host core/counting/components/registry: core/counting/components core/counting/components/appio core/counting/components/device core/counting/components/perf_event core/counting/components/sde core/counting/components/sysdetect core/counting/components/topdown core/counting/components/vendor core/util core/version

tool profil/statistics:
lean profil/format: core/util
tool profil/reading/reader: profil/format core/util
lean profil/inside/spool: profil/format core/machine core/perf core/util
tool profil/reading/model: profil/format profil/reading/reader
lean profil/inside/regions: profil/inside/spool core/machine core/perf core/util
tool profil/critical: profil/format profil/reading/model/flat_index.h profil/statistics
tool profil/reading/merge: profil/format profil/reading/model profil/reading/reader core/util
lean profil/inside/chains: profil/format profil/inside/regions profil/inside/spool core/machine core/perf core/util
lean profil/inside/python: profil/format profil/inside/chains profil/inside/regions profil/inside/spool core/machine core/perf core/util
lean profil/inside/collector: profil/format profil/inside/chains profil/inside/python profil/inside/regions profil/inside/spool core/machine core/perf core/sampling core/util

lean agent/include:
lean agent/libc:
lean agent/unwind:
lean agent/settings: core/events core/machine core/settings core/util
lean agent/process: agent/settings core/machine core/sampling core/util profil/format
lean agent/waiting: agent/process core/machine core/perf core/sampling core/util profil/format profil/inside/chains profil/inside/collector profil/inside/regions profil/inside/spool
tool agent/attach: agent/process agent/waiting core/events core/machine core/perf core/sampling core/util core/version profil/inside/chains profil/inside/python profil/inside/regions profil/inside/spool
host agent/meter: core/counting/components/registry core/counting/counters core/machine core/util core/version profil/format
lean agent/devices: agent/meter core/machine core/util profil/inside/spool
lean agent/start: agent/devices agent/process agent/settings core/events core/machine core/perf core/sampling core/util core/version profil/format profil/inside/collector
lean agent/results: agent/process agent/settings agent/start core/events core/machine core/sampling core/util profil/format profil/inside/collector profil/inside/spool
lean agent/threads: agent/process agent/settings agent/start agent/unwind core/machine core/perf core/sampling core/util profil/inside/chains profil/inside/collector profil/inside/python
lean agent/control: agent/devices agent/process agent/results agent/settings agent/start agent/threads agent/waiting core/machine core/sampling core/util profil/format profil/inside/collector profil/inside/spool
lean agent/drain: agent/devices agent/libc agent/process agent/settings agent/start agent/threads core/machine core/perf core/sampling core/util profil/inside/collector profil/inside/spool
lean agent/critical: agent/process core/machine core/util profil/format profil/inside/collector
lean agent/critical/hooks: agent/critical
lean agent/mpi: agent/control/rank_calls.h core/util
lean agent/signals: agent/control agent/process agent/threads core/util
lean agent/lifecycle: agent/control agent/devices agent/drain agent/process agent/results agent/settings agent/signals agent/start agent/threads core/machine core/sampling core/util profil/format profil/inside/collector profil/inside/spool
lean agent: agent/control agent/critical agent/devices agent/drain agent/lifecycle agent/process agent/results agent/settings agent/signals agent/start agent/threads agent/waiting core/machine core/perf core/sampling core/util profil/inside/collector profil/inside/spool
lean agent/hooks: agent/libc agent/lifecycle agent/process agent/signals core/util

tool symbolizer/names/bytes: core/util
tool symbolizer/names/elf: symbolizer/names/bytes core/util
tool symbolizer/names/query: symbolizer/names/bytes
tool symbolizer/names/demangle: symbolizer/names/query
tool symbolizer/names/locate: symbolizer/names/bytes symbolizer/names/elf symbolizer/names/query core/util
tool symbolizer/names/dwarf: symbolizer/names/bytes symbolizer/names/elf symbolizer/names/locate
tool symbolizer/names/jit: symbolizer/names/bytes symbolizer/names/demangle symbolizer/names/locate symbolizer/names/query
tool symbolizer/names/kernel: symbolizer/names/demangle symbolizer/names/elf symbolizer/names/locate symbolizer/names/query core/util
tool symbolizer/names/lines: symbolizer/names/bytes symbolizer/names/dwarf symbolizer/names/elf
tool symbolizer/names/inlines: symbolizer/names/bytes symbolizer/names/demangle symbolizer/names/dwarf symbolizer/names/lines symbolizer/names/query
tool symbolizer/names/resolve: symbolizer/names/demangle symbolizer/names/dwarf symbolizer/names/elf symbolizer/names/inlines symbolizer/names/jit symbolizer/names/kernel symbolizer/names/lines symbolizer/names/locate symbolizer/names/query
tool symbolizer/names/cache: symbolizer/names/bytes symbolizer/names/elf symbolizer/names/kernel symbolizer/names/resolve core/util
tool symbolizer/report/wording: symbolizer/names/resolve core/util profil/format profil/reading/model
tool symbolizer/commands/console: symbolizer/report/wording core/util profil/reading/reader
tool symbolizer/report/data: symbolizer/names/resolve symbolizer/report/wording profil/critical profil/reading/model profil/statistics
tool symbolizer/report/ledger: symbolizer/report/wording profil/format profil/reading/model
tool symbolizer/report/verdict: symbolizer/names/resolve symbolizer/report/ledger symbolizer/report/wording profil/format/format.h profil/reading/model
tool symbolizer/report/tables: symbolizer/names/demangle symbolizer/names/resolve symbolizer/report/data symbolizer/report/verdict symbolizer/report/wording core/topdown core/util profil/critical profil/reading/model profil/statistics
tool symbolizer/report/findings: symbolizer/report/data symbolizer/report/tables symbolizer/report/verdict symbolizer/report/wording profil/critical profil/reading/model
tool symbolizer/report/text: symbolizer/report/data symbolizer/report/findings symbolizer/report/tables symbolizer/report/verdict symbolizer/report/wording profil/reading/model
tool symbolizer/report/compare: symbolizer/report/data symbolizer/report/tables symbolizer/report/text symbolizer/report/verdict symbolizer/report/wording core/util profil/statistics
tool symbolizer/report/formats/parts: symbolizer/names/locate symbolizer/report/data symbolizer/report/tables symbolizer/report/text symbolizer/report/verdict symbolizer/report/wording core/util profil/reading/model
tool symbolizer/report/json: symbolizer/report/data symbolizer/report/findings symbolizer/report/ledger symbolizer/report/tables symbolizer/report/text symbolizer/report/verdict symbolizer/report/wording profil/statistics
tool symbolizer/report/annotate: symbolizer/names/bytes symbolizer/names/resolve symbolizer/report/data symbolizer/report/formats/parts symbolizer/report/json symbolizer/report/tables symbolizer/report/text symbolizer/report/verdict symbolizer/report/wording core/util profil/reading/model profil/statistics
tool symbolizer/report/causes: symbolizer/names/resolve symbolizer/report/annotate symbolizer/report/compare symbolizer/report/data symbolizer/report/tables symbolizer/report/text symbolizer/report/wording profil/reading/model profil/statistics
tool symbolizer/report/formats: symbolizer/report/data symbolizer/report/findings symbolizer/report/formats/parts symbolizer/report/tables symbolizer/report/verdict symbolizer/report/wording core/util core/version profil/reading/merge profil/reading/model
tool symbolizer/commands/load: symbolizer/commands/console symbolizer/names/cache symbolizer/names/locate symbolizer/report/annotate symbolizer/report/causes symbolizer/report/compare symbolizer/report/data symbolizer/report/formats symbolizer/report/tables symbolizer/report/text symbolizer/report/wording core/util profil/format profil/reading/merge profil/reading/model profil/reading/reader profil/statistics
tool symbolizer/report/html: symbolizer/report/annotate symbolizer/report/compare symbolizer/report/data symbolizer/report/findings symbolizer/report/formats/parts symbolizer/report/json symbolizer/report/tables symbolizer/report/text symbolizer/report/verdict symbolizer/report/wording core/util core/version profil/statistics profil/reading/model
tool symbolizer/commands/launch: symbolizer/commands/console symbolizer/commands/load core/machine core/settings core/util profil/format profil/reading/reader
tool symbolizer/commands/push: symbolizer/commands/console symbolizer/commands/load symbolizer/report/formats symbolizer/report/tables symbolizer/report/wording core/settings core/util core/version profil/reading/merge profil/reading/model profil/reading/reader
tool symbolizer/commands/mcp: symbolizer/commands/console symbolizer/commands/launch symbolizer/report/wording core/util core/version
tool symbolizer/commands/bench: symbolizer/commands/console symbolizer/commands/launch symbolizer/commands/load symbolizer/report/compare symbolizer/report/data symbolizer/report/tables symbolizer/report/text symbolizer/report/wording core/util profil/statistics
tool symbolizer/commands/inspect: symbolizer/commands/console symbolizer/commands/launch symbolizer/commands/load symbolizer/names/cache symbolizer/names/elf symbolizer/names/query symbolizer/names/resolve symbolizer/report/tables core/util profil/reading/merge profil/reading/reader
tool symbolizer/commands/show: symbolizer/commands/console symbolizer/commands/load symbolizer/commands/push symbolizer/report/annotate symbolizer/report/causes symbolizer/report/compare symbolizer/report/data symbolizer/report/formats symbolizer/report/formats/parts symbolizer/report/html symbolizer/report/json symbolizer/report/tables symbolizer/report/text symbolizer/report/verdict symbolizer/report/wording core/util profil/reading/model profil/reading/reader
tool symbolizer/commands/live: symbolizer/commands/console symbolizer/commands/load symbolizer/commands/show symbolizer/report/annotate symbolizer/report/formats/parts symbolizer/report/html symbolizer/report/tables symbolizer/report/text symbolizer/report/verdict symbolizer/report/wording core/util profil/reading/model
tool symbolizer/commands/run: symbolizer/commands/console symbolizer/commands/inspect symbolizer/commands/launch symbolizer/commands/load symbolizer/commands/push symbolizer/commands/show symbolizer/report/tables symbolizer/report/verdict symbolizer/report/wording core/machine core/util profil/format
tool symbolizer/commands: symbolizer/commands/bench symbolizer/commands/console symbolizer/commands/inspect symbolizer/commands/launch symbolizer/commands/live symbolizer/commands/mcp symbolizer/commands/push symbolizer/commands/run symbolizer/commands/show symbolizer/names/cache symbolizer/names/demangle symbolizer/report/tables core/machine core/util core/version

c    compat/apapi/include:
c    compat/events/include:
c    compat/ms_common/include:
c    compat/papi/include:
c    compat/papi/include/papi-7.1:
c    compat/papi/include/papi-7.2:
c    compat/papi/include/papi-7.3:
host compat/apapi/interval: core/util
host compat/apapi_client: compat/apapi/include
lean compat/marks: core/util
host compat/appio: core/counting/components/appio
host compat/papi: compat/papi/include
tool compat/utils: core/version
host compat/apapi: compat/apapi/include compat/apapi/interval
tool compat/atime/energy: compat/apapi/include compat/apapi/interval/energy_counters.h compat/apapi_client profil/statistics
host compat/ms_common: compat/apapi/include compat/apapi_client compat/ms_common/include
tool compat/utils/measuring: compat/utils
tool compat/utils/papi_avail: compat/utils
tool compat/utils/papi_command_line: compat/utils
tool compat/utils/papi_native_avail: compat/utils
tool compat/atime: compat/apapi/include compat/apapi_client compat/atime/energy compat/marks/mark_file.h core/util core/version profil/statistics
host compat/papi/threads: compat/papi/include core/events core/util
tool compat/utils/papi_clockres: compat/utils compat/utils/measuring
tool compat/utils/papi_cost: compat/utils compat/utils/measuring
tool compat/utils/papi_multiplex_cost: compat/utils compat/utils/measuring
host compat/events: compat/events/include core/counting/catalogue
host compat/papi/boundary: compat/papi/include compat/papi/threads core/events core/util
host compat/papi/machine: compat/papi/boundary compat/papi/include core/counting/components/sysdetect core/counting/system
host compat/papi/events: compat/papi/boundary compat/papi/include compat/papi/threads core/counting/catalogue core/counting/components core/counting/components/perf_event core/counting/components/registry core/counting/presets core/util
host compat/fortran: compat/papi/boundary compat/papi/events compat/papi/include
host compat/papi/sets: compat/papi/boundary compat/papi/events compat/papi/include compat/papi/machine compat/papi/threads core/counting/catalogue core/counting/counters core/counting/overflow core/counting/presets core/util
host compat/papi/lifecycle: compat/papi/boundary compat/papi/events compat/papi/include compat/papi/sets compat/papi/threads core/counting/catalogue core/counting/components/registry core/counting/overflow core/counting/system core/machine
host compat/papi/profiling: compat/papi/boundary compat/papi/include compat/papi/sets core/counting/overflow core/counting/signals core/perf core/util
host compat/papi/calls: compat/papi/boundary compat/papi/events compat/papi/include compat/papi/lifecycle compat/papi/profiling compat/papi/sets compat/papi/threads core/counting/catalogue core/counting/components/sde core/counting/counters core/counting/presets core/counting/signals core/counting/system core/util
host compat/papi/highlevel: compat/papi/boundary compat/papi/events compat/papi/lifecycle compat/papi/sets compat/papi/threads core/counting/counters core/counting/system core/util
host compat/papi/abi35: compat/papi/boundary compat/papi/calls compat/papi/events compat/papi/include compat/papi/threads core/counting/components
host compat/papi/abi7: compat/fortran compat/papi/abi35 compat/papi/boundary compat/papi/calls compat/papi/events compat/papi/include compat/papi/threads
"""
# Promises that a promise may include.
MAY_INCLUDE = {"lean": {"lean"}, "host": {"lean", "host", "c"}, "tool": {"lean", "tool", "c"}, "c": {"c"}}
# A lean folder with headers that a tool or its own process shares: agent/meter/meter_table.h.
SHARED = {("agent/devices", "agent/meter")}
# atime and the utilities are written over C headers; what they share with libapapi is host code.
SHARED |= {("compat/atime", "compat/apapi_client"), ("compat/atime", "compat/apapi/interval"),
           ("compat/atime/energy", "compat/apapi_client"), ("compat/atime/energy", "compat/apapi/interval")}

# Installed as they are, into one folder and one below it for each later version of PAPI: they cannot name
# each other from our root.
PUBLIC = re.compile(r"compat/\w+/include/(papi-\d\.\d/)?[^/]+\.h$")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SUFFIXES = {".h", ".cpp", ".c", ".cc", ".hpp"}


def parse(text):
    """folder -> (promise, what it may include)"""
    table = {}
    for line in text.splitlines():
        if line.strip():
            head, _, allowed = line.partition(":")
            promise, folder = head.split()
            table[folder] = (promise, allowed.split())
    return table


def folder_of(name):
    return name.rpartition("/")[0]


def circles_in(table):
    """Sets of folders that reach each other."""
    reach = {folder: {folder_of(a) if a.endswith(".h") else a for a in allowed}
             for folder, (_, allowed) in table.items()}
    for middle in reach:
        for folder in reach:
            if middle in reach[folder]:
                reach[folder] |= reach[middle]
    circles = []
    for folder in reach:
        circle = {other for other in reach if other in reach[folder] and folder in reach.get(other, ())}
        if circle and circle not in circles:
            circles.append(circle)
    return circles


def problems_of_table(table):
    problems = []
    for folder, (promise, allowed) in table.items():
        for target in allowed:
            target = folder_of(target) if target.endswith(".h") else target
            if target not in table:
                problems.append(f"FOLDERS: {folder} names {target}, which is no folder of the table")
            elif table[target][0] not in MAY_INCLUDE[promise] and (folder, target) not in SHARED:
                problems.append(f"FOLDERS: {folder} is {promise} and must not include {target}, "
                                f"which is {table[target][0]}")
    problems += [f"FOLDERS: a circle of {', '.join(sorted(circle))}" for circle in circles_in(table)]
    return problems


def problems_in(root, table):
    problems, checked, seen = problems_of_table(table), 0, set()
    for path in checks.tracked_files(root, SUFFIXES):
        name = str(path)
        folder = folder_of(name)
        # docs/examples: programs of users, which include nothing of the project.
        if name.startswith(("scripts/", "tests/", "docs/examples/")):
            if name.startswith("tests/"):
                checked += 1
                problems += problems_of_file(root, name, None)
            continue
        checked += 1
        seen.add(folder)
        if folder not in table:
            problems.append(f"{name}: its folder is not in FOLDERS of check_layers.py")
            continue
        problems += problems_of_file(root, name, table[folder][1])
    problems += [f"FOLDERS: {folder} has no sources" for folder in table if folder not in seen]
    return problems, checked


def problems_of_file(root, name, allowed):
    problems = []
    text = (root / name).read_text(errors="replace")
    for target in INCLUDE.findall(text):
        problem = judge(root, name, allowed, target)
        if problem:
            line = text[:text.index(f'"{target}"')].count("\n") + 1
            problems.append(f"{name}:{line}: {problem}")
    return problems


def judge(root, name, allowed, target):
    folder = folder_of(name)
    if not (root / target).is_file():
        beside = ((root / name).parent / target).is_file()
        if beside and (name.startswith("tests/") or PUBLIC.match(name)):
            return None  # a test program with a private header beside it; headers installed together
        return f'"{target}" is not a file of the tree; includes are written from the root'
    if allowed is None or folder_of(target) == folder or folder_of(target) in allowed or target in allowed:
        return None
    return f'{folder} must not include "{target}" (it may include {", ".join(allowed) or "nothing"})'


def self_test():
    test = checks.SelfTest()
    table = parse("""
lean core/util:
lean core/perf: core/util
lean profil/spool: core/util
tool profil/model: profil/spool/format.h core/util
tool symbolizer/report: profil/model core/util
lean agent: core/perf
c compat/papi/include:
c compat/papi/include/papi-7.2: compat/papi/include
host compat/papi: compat/papi/include core/perf
""")
    good = {
        "core/util/a.h": "#pragma once\n",
        "core/perf/b.h": '#include "core/util/a.h"\n',
        "profil/spool/format.h": "",
        "profil/spool/writer.h": "",
        "profil/model/profile.h": '#include "profil/spool/format.h"\n',
        "symbolizer/report/text.cpp": '#include "profil/model/profile.h"\n#include <elf.h>\n',
        "agent/start.cpp": '#include "core/perf/b.h"\n',
        "compat/papi/calls.cpp": '#include "compat/papi/include/papi.h"\n',
        "compat/papi/include/papi.h": '#include "papiStdEventDefs.h"\n',
        "compat/papi/include/papiStdEventDefs.h": "",
        "compat/papi/include/papi-7.2/papi.h": '#include "../papi.h"\n',
        "tests/core/b_test.cpp": '#include "core/perf/b.h"\n#include "agent/start.cpp"\n',
    }
    planted = {
        "core knows no profil": ("core/perf/x.cpp", "profil/spool/format.h", "core/perf must not"),
        "util knows util alone": ("core/util/x.h", "core/perf/b.h", "core/util must not"),
        "a single header may be allowed": ("profil/model/x.cpp", "profil/spool/writer.h", "must not"),
        "nobody includes agent": ("profil/spool/x.cpp", "agent/start.cpp", "profil/spool must not"),
        "the agent is lean": ("agent/x.cpp", "profil/model/profile.h", "agent must not"),
        "includes start at the root": ("core/perf/x.cpp", "b.h", "written from the root"),
        "only public headers stand together": ("compat/papi/x.cpp", "papi.h", "written from the root"),
        "every folder is known": ("attic/x.cpp", "core/util/a.h", "not in FOLDERS"),
    }
    folder = test.tree(good)
    root = checks.pathlib.Path(folder.name)
    test.expect("a clean tree", problems_in(root, table)[0])
    for what, (name, target, word) in planted.items():
        folder = test.tree({**good, name: f'// planted\n#include "{target}"\n'})
        test.expect(what, problems_in(checks.pathlib.Path(folder.name), table)[0], word)
    tables = {
        "no circles": ("lean a: b\nlean b: c\nlean c: a\n", "a circle of a, b, c"),
        "a lean folder includes lean ones": ("lean a: b\nhost b:\n", "a is lean and must not include b"),
        "a name that is no folder": ("lean a: b\n", "no folder of the table"),
    }
    for what, (text, word) in tables.items():
        test.expect(what, problems_of_table(parse(text)), word)
    test.exit()


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root, parse(FOLDERS)), lambda args: self_test())
