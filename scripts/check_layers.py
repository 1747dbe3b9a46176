#!/usr/bin/env python3
"""Checks the arrows between the folders: who may include whom.

Reads every `#include "..."` of the tracked sources against the table FOLDERS below, in which each folder
with sources stands with its promise and the folders that it may include. The table itself is checked: no
folder that is not there, no circles, and no arrow from a promise to a weaker one.
Every such include must also be written from the repository's root and name a file that exists, so that the
reading is sound.

Promises (docs/glossary.md):
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
lean core/settings: core/util
lean core/machine:  core/util
lean core/perf:     core/machine core/util
lean core/topdown:  core/util
lean core/events:   core/topdown core/util
lean core/signals:  core/perf core/util
lean core/sampling: core/events core/perf core/machine core/util
lean core/counting: core/signals core/perf core/util
lean core/overflow: core/counting core/sampling core/signals core/perf core/machine core/util

host core/system:       core/machine core/util
host core/catalogue:    core/events core/system core/util
host core/presets:      core/util
host core/counter_sets: core/counting core/perf core/util
host core/components:   core/overflow core/counting core/events core/util
host core/components/device:     core/components core/counting core/perf core/system core/machine core/util core/version
host core/components/vendor:     core/components/device core/machine core/util
host core/components/nvml:       core/components/device core/components/vendor core/util
host core/components/maxeler:    core/components/device core/components/vendor core/util
host core/components/cray_pm:    core/components/device core/system core/machine core/util
host core/components/hwmon:      core/components/device core/system core/machine core/util
host core/components/rocm_smi:   core/components/device core/components/vendor core/util
host core/components/level_zero: core/components/device core/components/vendor core/util
host core/components/micknc:     core/components/device core/components/vendor core/util
host core/components/ipmi:       core/components/device core/components/vendor core/system core/machine core/util
host core/components/powercap:   core/components/device core/system core/machine core/util
host core/components/rapl:       core/components/device core/components/powercap core/perf core/system core/machine core/util
host core/components/sde:        core/components core/overflow core/counting core/machine core/util core/version
host core/components/sysdetect:  core/components core/components/nvml core/components/vendor core/system core/util core/version
host core/components/topdown:    core/components core/counter_sets core/topdown core/perf core/util core/version
host core/components/perf_event: core/components core/catalogue core/counter_sets core/counting core/events core/system core/perf core/machine core/util core/version
host core/components/registry:   core/components core/components/device core/components/perf_event core/components/sde core/components/sysdetect core/components/topdown core/components/vendor core/version

lean profil/spool:     core/perf core/machine core/util
lean profil/regions:   profil/spool core/perf core/machine core/util
lean profil/chains:    profil/regions profil/spool core/perf core/machine core/util
lean profil/collector: profil/chains profil/regions profil/spool core/sampling core/perf core/machine core/util
host profil/caller:    core/perf core/util
host profil/interval:  core/util
tool profil/reader:    profil/spool core/util
tool profil/statistics:
tool profil/model:     profil/reader profil/statistics profil/spool core/util

lean agent/include:
lean agent/libc:
lean agent/unwind:
lean agent/settings: core/settings core/events core/machine core/util
lean agent/process:  agent/settings profil/spool core/machine core/util
lean agent/exec:     agent/settings profil/spool core/machine core/util
lean agent/reporter: agent/process agent/settings core/machine core/util
lean agent/sampling: agent/devices agent/doctor agent/events agent/process agent/settings profil/collector profil/spool core/sampling core/events core/perf core/machine core/util
lean agent/moments:  agent/process agent/sampling agent/settings agent/stacks profil/collector profil/spool core/sampling core/perf core/machine core/util
lean agent/drain:    agent/devices agent/libc agent/moments agent/process agent/sampling agent/settings agent/stacks profil/collector profil/spool core/sampling core/perf core/machine core/util
lean agent/spool_place: agent/process agent/settings profil/spool core/util
lean agent/waiting:  agent/process profil/collector profil/chains profil/regions profil/spool core/sampling core/perf core/machine core/util
lean agent/control:  agent/waiting agent/devices agent/moments agent/process agent/reporter agent/sampling agent/settings profil/collector profil/spool core/sampling core/machine core/util
lean agent/events:   agent/settings core/events core/perf core/machine core/util
lean agent/devices:  agent/meter profil/spool core/machine core/util
lean agent/doctor:   agent/devices agent/events agent/settings core/machine core/sampling core/events core/perf core/util core/version
lean agent/observer: core/sampling profil/spool
lean agent/signals:  agent/control agent/observer agent/process agent/stacks core/util
lean agent/stacks:   agent/settings agent/unwind profil/collector profil/chains core/sampling core/machine core/util
lean agent/results:  agent/events agent/process agent/sampling agent/settings agent/spool_place profil/collector profil/spool core/sampling core/events core/machine core/util
lean agent/lifecycle: agent/control agent/devices agent/drain agent/moments agent/process agent/reporter agent/results agent/sampling agent/settings agent/signals agent/stacks profil/collector profil/spool core/sampling core/machine core/util
lean agent:          agent/control agent/devices agent/doctor agent/drain agent/events agent/exec agent/lifecycle agent/moments agent/observer agent/process agent/results agent/sampling agent/settings agent/signals agent/spool_place agent/stacks agent/waiting profil/collector profil/spool core/sampling core/perf core/machine core/util
lean agent/mpi:      agent/control/rank_calls.h core/util
lean agent/hooks:    agent/control agent/exec agent/libc agent/observer agent/process agent/signals core/util
tool agent/attach:   agent/waiting agent/process profil/chains profil/regions profil/spool core/sampling core/events core/perf core/machine core/util core/version
host agent/meter:    core/components/registry core/counting core/machine core/util core/version profil/spool

tool symbolizer/bytes:    core/util
tool symbolizer/query:    symbolizer/bytes
tool symbolizer/elf:      symbolizer/bytes core/util
tool symbolizer/locate:   symbolizer/elf symbolizer/query symbolizer/bytes core/util
tool symbolizer/dwarf:    symbolizer/locate symbolizer/elf symbolizer/bytes core/util
tool symbolizer/lines:    symbolizer/dwarf symbolizer/elf symbolizer/bytes core/util
tool symbolizer/demangle: symbolizer/query
tool symbolizer/inlines:  symbolizer/lines symbolizer/dwarf symbolizer/demangle symbolizer/query symbolizer/bytes
tool symbolizer/jit:      symbolizer/locate symbolizer/demangle symbolizer/query symbolizer/bytes core/util
tool symbolizer/kernel:   symbolizer/locate symbolizer/demangle symbolizer/elf symbolizer/query symbolizer/bytes core/util
tool symbolizer/resolve:  symbolizer/kernel symbolizer/jit symbolizer/inlines symbolizer/lines symbolizer/dwarf symbolizer/demangle symbolizer/locate symbolizer/elf symbolizer/query symbolizer/bytes core/util
tool symbolizer/cache:    symbolizer/resolve symbolizer/kernel symbolizer/elf symbolizer/bytes core/util
tool symbolizer/report/wording: core/util
tool symbolizer/report/ledger:  symbolizer/report/wording profil/model profil/spool core/util
tool symbolizer/report/verdict: symbolizer/report/ledger symbolizer/report/wording symbolizer/resolve profil/model profil/spool/format.h core/util
tool symbolizer/report/tables:  symbolizer/report/ledger symbolizer/report/verdict symbolizer/report/wording symbolizer/resolve symbolizer/demangle profil/model profil/statistics core/topdown core/util
tool symbolizer/report/text:    symbolizer/report/tables symbolizer/report/ledger symbolizer/report/verdict symbolizer/report/wording profil/model core/util
tool symbolizer/report/compare: symbolizer/report/text symbolizer/report/tables symbolizer/report/verdict symbolizer/report/wording profil/statistics core/util
tool symbolizer/report/json:    symbolizer/report/text symbolizer/report/tables symbolizer/report/ledger symbolizer/report/verdict symbolizer/report/wording
tool symbolizer/report/formats: symbolizer/report/text symbolizer/report/tables symbolizer/report/ledger symbolizer/report/verdict symbolizer/report/wording symbolizer/locate profil/model core/util core/version
tool symbolizer/annotate: symbolizer/report/json symbolizer/report/text symbolizer/report/tables symbolizer/report/verdict symbolizer/report/wording symbolizer/resolve symbolizer/bytes profil/model profil/statistics core/util
tool symbolizer/report/html: symbolizer/annotate symbolizer/report/compare symbolizer/report/formats symbolizer/report/json symbolizer/report/text symbolizer/report/tables symbolizer/report/ledger symbolizer/report/verdict symbolizer/report/wording profil/model core/util core/version
tool symbolizer/bench: symbolizer/report/tables symbolizer/report/text symbolizer/report/wording profil/statistics
tool symbolizer/push: symbolizer/report/wording core/util core/version
tool symbolizer/commands: symbolizer/annotate symbolizer/bench symbolizer/push symbolizer/cache symbolizer/report/compare symbolizer/report/formats symbolizer/report/html symbolizer/report/json symbolizer/report/tables symbolizer/report/text symbolizer/report/verdict symbolizer/report/wording symbolizer/resolve symbolizer/query symbolizer/demangle symbolizer/elf symbolizer/locate profil/model profil/reader profil/spool profil/statistics core/machine core/settings core/util core/version

c    compat/papi/include:
c    compat/papi/include/papi-7.1: compat/papi/include
c    compat/papi/include/papi-7.2: compat/papi/include
c    compat/apapi/include:
c    compat/events/include:
c    compat/ms_common/include:
host compat/papi:           compat/papi/include
host compat/papi/threads:   compat/papi/include core/events core/util
host compat/papi/edge:      compat/papi/threads compat/papi/include core/events core/util
host compat/papi/machine:   compat/papi/edge compat/papi/include core/components/sysdetect core/system
host compat/papi/events:    compat/papi/edge compat/papi/threads compat/papi/include core/components core/components/perf_event core/components/registry core/presets core/catalogue core/util
host compat/papi/sets:      compat/papi/events compat/papi/machine compat/papi/edge compat/papi/threads compat/papi/include core/presets core/catalogue core/overflow core/counting core/util
host compat/papi/profiling: compat/papi/sets compat/papi/edge compat/papi/include core/overflow core/signals core/util profil/caller
host compat/papi/lifecycle: core/machine compat/papi/sets compat/papi/events compat/papi/edge compat/papi/threads compat/papi/include core/components/registry core/catalogue core/overflow core/system
host compat/papi/calls:     compat/papi/lifecycle compat/papi/profiling compat/papi/sets compat/papi/events compat/papi/edge compat/papi/threads compat/papi/include core/components/sde core/presets core/catalogue core/counting core/signals core/system core/util
host compat/papi/face35:    compat/papi/calls compat/papi/events compat/papi/edge compat/papi/threads compat/papi/include core/components
host compat/papi/faces:     compat/papi/face35 compat/papi/calls compat/papi/events compat/papi/edge compat/papi/threads compat/papi/include compat/fortran
host compat/papi/highlevel: compat/papi/lifecycle compat/papi/sets compat/papi/events compat/papi/edge compat/papi/threads core/counting core/system core/util
host compat/fortran:        compat/papi/events compat/papi/edge compat/papi/include
host compat/events:         compat/events/include core/catalogue
host compat/apapi:          compat/apapi/include profil/interval
host compat/apapi_client:   compat/apapi/include
host compat/ms_common:      compat/ms_common/include compat/apapi/include compat/apapi_client
lean compat/marks:          core/util
tool compat/atime:          compat/apapi/include compat/apapi_client compat/marks/mark_file.h profil/interval/energy_counters.h profil/statistics core/util core/version
tool compat/utils: core/version
tool compat/utils/measuring:           compat/utils
tool compat/utils/papi_avail:          compat/utils
tool compat/utils/papi_clockres:       compat/utils compat/utils/measuring
tool compat/utils/papi_command_line:   compat/utils
tool compat/utils/papi_cost:           compat/utils compat/utils/measuring
tool compat/utils/papi_multiplex_cost: compat/utils compat/utils/measuring
tool compat/utils/papi_native_avail:   compat/utils
"""
# Promises that a promise may include.
MAY_INCLUDE = {"lean": {"lean"}, "host": {"lean", "host", "c"}, "tool": {"lean", "tool", "c"}, "c": {"c"}}
# A lean folder with headers that a tool or its own process shares: agent/meter/meter_table.h.
SHARED = {("agent/devices", "agent/meter")}
# atime and the utilities are written over C headers; what they share with libapapi is host code.
SHARED |= {("compat/atime", "compat/apapi_client"), ("compat/atime", "profil/interval")}

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
