#!/usr/bin/env python3
"""Checks that docs/environment.md describes the settings as core/settings/table.h defines them.

The page must have a row for each setting of the table and no other row. A row has a type, a default,
a meaning and an example. Type and default are those of the table, and the example sets the variable.
In docs/csink.md the options of `csink run` that the table names must stand beside their variables.
"""

import re

from lib import checks

CODE, PAGE, OPTIONS = "core/settings/table.h", "docs/environment.md", "docs/csink.md"
TABLE = re.compile(r"kSettings\[\] = \{(.*?)^\};", re.M | re.S)
SETTING = re.compile(r'\{Setting::k\w+, "(?P<name>[A-Z_]+)", ValueType::k(?P<type>\w+),\s*(?:"(?P<words>[^"]*)"|kReportFormatRow),\s*'
                     r'"(?P<default>[^"]*)", \d+, ReadBy::k\w+, InSpool::k\w+,\s*"(?P<option>[^"]*)"')
ROW = re.compile(r"^\| `CSINK_([A-Z_]+)` \|(.*)\|\s*$", re.M)
WORD = re.compile(r"`([^`]+)`")
# How the page writes a type.
PLAIN = {"Bool": "bool", "Count": "count", "Time": "time", "Signal": "signal", "List": "list", "File": "file",
         "Folder": "folder", "Fifo": "fifo", "Settings": "settings", "BoolOrFolder": "bool or folder"}


def rows_of(text):
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in ROW.findall(text)}


def settings_of(code):
    block = TABLE.search(code)
    text = block.group(1) if block else ""
    found = {m["name"]: m.groupdict() for m in SETTING.finditer(text)}
    return found if len(found) == text.count("{Setting::") else {}


def type_fits(setting, cell):
    if setting["words"] is None:
        return "[a format](formats.md)" in cell  # whose table check_formats.py compares
    words = setting["words"].split()
    if setting["type"] == "Word":
        # Words between the names of the type, as "with `CSINK_OUTPUT` also", are no types.
        return [word for word in WORD.findall(cell) if not word.startswith("CSINK_")] == words
    if setting["type"] == "BoolOrWord":
        return cell.startswith("bool or ") and WORD.findall(cell) == words
    return cell == PLAIN[setting["type"]]


def problems_in(root):
    code, page, options = ((root / name).read_text() for name in (CODE, PAGE, OPTIONS))
    settings = settings_of(code)
    if not settings:
        return [f"{CODE}: the table kSettings cannot be read"], 0
    rows = rows_of(page)
    problems = [f"{PAGE}: CSINK_{name} of {CODE} has no row" for name in settings if name not in rows]
    problems += [f"{PAGE}: CSINK_{name} is not in {CODE}" for name in rows if name not in settings]
    for name, cells in rows.items():
        if len(cells) < 4 or not all(cells[:4]):
            problems.append(f"{PAGE}: CSINK_{name} lacks a type, a default, a meaning or an example")
            continue
        if not re.match(rf"`CSINK_{name}=\S", cells[3]):
            problems.append(f"{PAGE}: the example of CSINK_{name} does not set it")
        if name not in settings:
            continue
        setting = settings[name]
        if not type_fits(setting, cells[0]):
            problems.append(f"{PAGE}: the type of CSINK_{name} is {setting['type']} {setting['words']}, not {cells[0]}")
        wanted = setting["default"]
        # Where the table has no default, the page says in words what is used.
        if cells[1] != f"`{wanted}`" if wanted else cells[1].startswith("`"):
            problems.append(f"{PAGE}: the default of CSINK_{name} is {wanted or 'none'}, not {cells[1]}")
    for name, setting in settings.items():
        for option in filter(None, setting["option"].split(",")):
            if not re.search(rf"^\|(?:\\\||[^|])*`{option}\b(?:\\\||[^|])*\|[^|]*`CSINK_{name}`", options, re.M):
                problems.append(f"{OPTIONS}: no row has {option} of csink run beside CSINK_{name}")
    return problems, len(settings)


def self_test():
    test = checks.SelfTest()
    good = {
        CODE: 'inline constexpr SettingRow kSettings[] = {\n'
              '    {Setting::kKeep, "KEEP", ValueType::kBool, "", "0", 0, ReadBy::kAgent, InSpool::kWhenSet,\n'
              '     "", "", "Keeps"},\n'
              '    {Setting::kTop, "TOP", ValueType::kCount, "", "20", 0, ReadBy::kAgent, InSpool::kWhenSet,\n'
              '     "", "", "Rows"},\n'
              '    {Setting::kControl, "CONTROL", ValueType::kFifo, "", "", 9, ReadBy::kAgent, InSpool::kNo,\n'
              '     "-c,--control", "FIFO", "Commands"},\n'
              '    {Setting::kLog, "LOG", ValueType::kWord,\n     "error warn", "warn", 0, ReadBy::kAgent, InSpool::kNo,\n'
              '     "", "", "Level"},\n};\n',
        PAGE: "| `CSINK_KEEP` | bool | `0` | keeps | `CSINK_KEEP=1` |\n"
              "| `CSINK_TOP` | count | `20` | rows | `CSINK_TOP=5` |\n"
              "| `CSINK_CONTROL` | fifo | none | commands | `CSINK_CONTROL=f` |\n"
              "| `CSINK_LOG` | `error`, `warn` | `warn` | level | `CSINK_LOG=error` |\n",
        OPTIONS: "| `-c`, `--control FIFO` | `CSINK_CONTROL` | commands |\n",
    }
    planted = {
        "a variable without a row": (PAGE, "| `CSINK_LOG` |", "| CSINK_LOG |", ("CSINK_LOG of core",)),
        "a row without a variable": (CODE, '"LOG"', '"LOGS"',
                                     ("CSINK_LOG is not in", "CSINK_LOGS of core")),
        "a row without an example": (PAGE, "`CSINK_LOG=error` ", "", ("CSINK_LOG lacks",)),
        "an example of another": (PAGE, "`CSINK_LOG=error`", "`CSINK_TOP=1`", ("example of CSINK_LOG",)),
        "a default that is not so": (PAGE, "`20`", "`25`", ("default of CSINK_TOP is 20",)),
        "a switch that is off": (PAGE, "| `0` |", "| `1` |", ("default of CSINK_KEEP is 0",)),
        "a default that there is not": (PAGE, "| none |", "| `x` |", ("default of CSINK_CONTROL is none",)),
        "another type": (PAGE, "| count |", "| bool |", ("type of CSINK_TOP is Count",)),
        "a word too few": (PAGE, "`error`, `warn`", "`warn`", ("type of CSINK_LOG is Word error warn",)),
        "an option that is not described": (OPTIONS, "--control", "--contrl", ("no row has --control",)),
        "a table that moved": (CODE, "kSettings", "kTable", ("cannot be read",)),
        "a row that cannot be read": (CODE, '"20", 0,', '"20", none,', ("cannot be read",)),
    }
    test.expect_each(lambda root: problems_in(root)[0], good, planted)
    test.exit()


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root), lambda args: self_test())
