#!/usr/bin/env python3
"""Checks that docs/formats.md has a row for each report format of core/util/report_formats.inc, and names the binary ones."""

import re

from lib import checks

CODE, PAGE = "core/util/report_formats.inc", "docs/formats.md"
ROW = re.compile(r'^CSINK_FORMAT\(k\w+, "(?P<name>[a-z-]+)", "(?P<suffix>[.a-z-]+)", (?P<binary>true|false), k\w+, \w+\)', re.M)
DOCUMENTED = re.compile(r"^\| `([a-z-]+)` \|(?=(?:[^|]*\|){6}$)", re.M)
BINARY = re.compile(r"^(.*) are binary", re.M)


def problems_in(root):
    code, page = (root / CODE).read_text(), (root / PAGE).read_text()
    rows = [m.groupdict() for m in ROW.finditer(code)]
    if not rows or len(rows) != len(re.findall(r"^CSINK_FORMAT\(", code, re.M)):
        return [f"{CODE}: a row cannot be read"], 0
    names = [row["name"] for row in rows]
    documented = DOCUMENTED.findall(page)
    problems = [f"{PAGE}: {name} of {CODE} has no row" for name in names if name not in documented]
    problems += [f"{PAGE}: {name} is not in {CODE}" for name in documented if name not in names]
    said = BINARY.search(page)
    binary = {row["name"] for row in rows if row["binary"] == "true"} - {"html"}
    if not said or set(re.findall(r"`([a-z-]+)`", said.group(1))) != binary:
        problems.append(f"{PAGE}: the binary formats are {', '.join(sorted(binary))}")
    return problems, len(names)


def self_test():
    test = checks.SelfTest()
    row = 'CSINK_FORMAT(kA, "a", ".a", false, kRows, WriteA)  // what for\n'
    line = "| `a` | people | x | y | z | t | all |\n"
    page = line + "| `b` | people | x | y | z | t | all |\n`b` are binary\n"
    good = {CODE: row + 'CSINK_FORMAT(kB, "b", ".b", true, kRows, WriteB)\n', PAGE: page}
    for what, files, word in (
            ("a complete page", good, None),
            ("a format without a row", {**good, CODE: good[CODE] + row.replace('"a"', '"c"')}, "c of"),
            ("a row of no format", {**good, PAGE: page + line.replace("`a`", "`d`")}, "d is not"),
            ("a binary format that is not said", {**good, PAGE: page.replace("`b` are", "`a` are")}, "binary"),
            ("a row that cannot be read", {**good, CODE: good[CODE] + "CSINK_FORMAT(kE)\n"}, "cannot be read")):
        folder = test.tree(files)
        found = problems_in(checks.pathlib.Path(folder.name))[0]
        test.expect(what, found, word) if word else test.expect(what, found)
    test.exit()


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root), lambda args: self_test())
