#!/usr/bin/env python3
"""Checks that the variables which libagent.so reads are the ones that are documented.

The list is kKeys of agent/settings/config.cpp. docs/environment.md must have a row for each of them and no
other row. A row has a type, a default, a meaning and an example; the example sets the variable, and
a default that agent/settings/config.h has is that one.
"""

import re

from lib import checks

CODE, HEADER = "agent/settings/config.cpp", "agent/settings/config.h"
PAGE = "docs/environment.md"
KEYS = re.compile(r"constexpr Key kKeys\[\] = \{(.*?)^\};", re.M | re.S)
KEY = re.compile(r'^\s*\{"([A-Z_]+)",\s*(?:Set(?:Bool|Count)<&Config::(\w+)>)?', re.M)
ROW = re.compile(r"^\| `CSINK_([A-Z_]+)` \|(.*)\|\s*$", re.M)
DOCUMENTED = {"true": "1", "false": "0"}


def rows_of(text):
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in ROW.findall(text)}


def default_in_code(header, member):
    found = re.search(rf"\b{member} = (\w+);", header)
    return DOCUMENTED.get(found.group(1), found.group(1)) if found else None


def problems_in(root):
    code, header, page = ((root / name).read_text() for name in (CODE, HEADER, PAGE))
    block = KEYS.search(code)
    keys = dict(KEY.findall(block.group(1))) if block else {}
    if not keys:
        return [f"{CODE}: no list kKeys found"], 0
    rows = rows_of(page)
    problems = [f"{PAGE}: CSINK_{name} is read by {CODE} and has no row" for name in keys if name not in rows]
    problems += [f"{PAGE}: CSINK_{name} is not read by {CODE}" for name in rows if name not in keys]
    for name, cells in rows.items():
        if len(cells) < 4 or not all(cells[:4]):
            problems.append(f"{PAGE}: CSINK_{name} lacks a type, a default, a meaning or an example")
            continue
        if not re.match(rf"`CSINK_{name}=\S", cells[3]):
            problems.append(f"{PAGE}: the example of CSINK_{name} does not set it")
        member = keys.get(name)
        wanted = default_in_code(header, member) if member else None
        if wanted is not None and cells[1] != f"`{wanted}`" and wanted != "0":
            problems.append(f"{PAGE}: the default of CSINK_{name} is {wanted}, not {cells[1]}")
        if wanted == "0" and cells[1] not in ("`0`", "none"):
            problems.append(f"{PAGE}: the default of CSINK_{name} is 0, not {cells[1]}")
    return problems, len(keys)


def self_test():
    test = checks.SelfTest()
    good = {
        CODE: 'constexpr Key kKeys[] = {\n    {"KEEP", SetBool<&Config::keep>},\n'
              '    {"TOP", SetCount<&Config::top>},\n    {"LOG", SetLog},\n};\n',
        HEADER: "  std::uint64_t top = 20;\n  bool keep = false;\n",
        PAGE: "| `CSINK_KEEP` | bool | `0` | keeps | `CSINK_KEEP=1` |\n"
              "| `CSINK_TOP` | count | `20` | rows | `CSINK_TOP=5` |\n"
              "| `CSINK_LOG` | word | `warn` | level | `CSINK_LOG=info` |\n",
    }
    planted = {
        "a variable without a row": (CODE, '{"LOG", SetLog}', '{"LOG", SetLog},\n    {"NEW", SetNew}',
                                     ("environment.md: CSINK_NEW is read",)),
        "a row without a variable": (PAGE, "| `CSINK_LOG` |", "| `CSINK_LOGS` |",
                                     ("CSINK_LOGS is not read", "CSINK_LOG is read", "example of CSINK_LOGS")),
        "a row without an example": (PAGE, "`CSINK_LOG=info` ", "", ("CSINK_LOG lacks",)),
        "an example of another": (PAGE, "`CSINK_LOG=info`", "`CSINK_TOP=1`", ("example of CSINK_LOG",)),
        "a default that is not so": (PAGE, "`20`", "`25`", ("default of CSINK_TOP is 20",)),
        "a switch that is off": (PAGE, "| `0` |", "| `1` |", ("default of CSINK_KEEP is 0",)),
        "a list that moved": (CODE, "kKeys", "kNames", ("no list kKeys",)),
    }
    test.expect_each(lambda root: problems_in(root)[0], good, planted)
    test.exit()


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root), lambda args: self_test())
