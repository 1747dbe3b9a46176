#!/usr/bin/env python3
"""Checks that docs/messages.md quotes messages that the code writes.

The first cell of each row quotes messages; alternatives are separated by ";", what varies is "...", a word in capitals or a
number. Every piece in between must stand in the text of the sources' string literals, in which adjacent literals are one.
"""

import re

from lib import checks

PAGE = "docs/messages.md"
ROW = re.compile(r"^\| (.+?) \| .* \|$", re.M)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FOREIGN = ("Error relocating", "object 'libagent.so' from LD_PRELOAD")  # the dynamic linkers' own messages
VARIES = re.compile(r"\.\.\.|\b[A-Z]{1,}\b(?![a-z_])|'|\"|[(),:]|\s/\s|\d+")


def literals(root):
    """The text of all string literals, one line a run of adjacent ones."""
    out = []
    for path in checks.tracked_files(root, {".cpp", ".h", ".inc", ".c"}):
        if path.parts[0] in ("tests", "compat"):
            continue
        text = re.sub(r"^\s*//.*$", "", (root / path).read_text(errors="replace"), flags=re.M)
        text = re.sub(r'"\s*\n\s*"', "", text)
        out += LITERAL.findall(text)
    return "\n".join(out).replace('\\"', '"')


def pieces(cell):
    """The parts of a quotation that must stand in the code."""
    for part in re.split(r"; ", cell.replace("`", "").replace("\\|", "|")):
        for piece in VARIES.split(part):
            piece = piece.strip(" .")
            if len(piece) > 3:
                yield piece


def problems_in(root):
    text, page = literals(root), (root / PAGE).read_text()
    rows = [cell for cell in ROW.findall(page) if not cell.startswith(("---", "line", "message", *FOREIGN))]
    problems = [f'{PAGE}: no source writes "{piece}" of the row "{cell}"'
                for cell in rows for piece in pieces(cell) if piece not in text]
    return problems, len(rows)


def self_test():
    test = checks.SelfTest()
    good = {"a.cpp": 'Complain("the spool of " + name +\n         " cannot be "\n         "read: " + why);\nWarn("too many events");\n',
            PAGE: "| message | what to do |\n|---|---|\n| the spool of ... cannot be read: WHY; too many events | x |\n"}
    test.expect_each(lambda root: problems_in(root)[0], good, {
        "a message with other words": ("a.cpp", "cannot be ", "could not be ", ("cannot be read",)),
        "a message that was removed": ("a.cpp", "too many", "many", ("too many events",)),
        "a row of no message": (PAGE, "too many events", "too few events", ("too few events",)),
        "only in a comment": ("a.cpp", 'Warn("too many events");', '// "too many events"', ("too many events",)),
    })
    test.exit()


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root), lambda args: self_test())
