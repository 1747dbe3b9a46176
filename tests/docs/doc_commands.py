"""Finds the commands in the pages of docs/ and README.md, and makes commands of synopses.

A block is fenced (``` alone, sh, console) or indented by four blanks below an empty line. In a block with lines that
begin with "$ " these are the commands, and the rest is output; in another one the lines that start a known program are.
"""

import re

LANGUAGES = ("", "sh", "console")
PROGRAMS = re.compile(
    r"(csink|atime|hettime|mpirun|gfortran|g\+\+|cc|gcc|go|perf|sqlite3|duckdb|clickhouse|papi_\w+|scripts/[\w-]+|sudo|python3|make|"
    r"\./\S+|echo|mkdir|find)(?=\s|$)")
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z_0-9]*=(\"[^\"]*\"|'[^']*'|\S*)\s+")


def blocks(text):
    """(number of the first line, lines) of each block of shell text."""
    lines, found, at = text.split("\n"), [], 0
    while at < len(lines):
        fence = re.match(r"```(\w*)$", lines[at])
        if fence:
            end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith("```")), len(lines))
            if fence[1] in LANGUAGES:
                found.append((at + 2, lines[at + 1:end]))
            at = end + 1
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            found.append((at + 1, [line[4:] for line in lines[at:end]]))
            at = end
        else:
            at += 1
    return found


def without_comment(line):
    """Cuts "  # why" and what stands behind a synopsis after two blanks; quotes, assignments and options stay."""
    line = re.sub(r"\s+#\s.*", "", line)
    while match := re.search(r"(?<=\S) {2,}(?=\S)", line):
        if not re.match(r"[A-Z_]+=|\[", line[match.end():]):
            return line[:match.start()]
        line = line[:match.start()] + " " + line[match.end():]
    return line.rstrip()


def starts_a_program(line):
    rest, begun = line, False
    while match := ASSIGNMENT.match(rest):
        rest, begun = rest[match.end():], True
    return bool(PROGRAMS.match(rest)) or (begun and rest.startswith("./"))


def commands(text):
    """(line, command) of each command of a page; a script (#!) is one command."""
    found = []
    for first, lines in blocks(text):
        if lines and lines[0].startswith("#!/bin/sh"):
            found.append((first, "\n".join(lines)))
            continue
        prompts = any(line.startswith("$ ") for line in lines)
        exports = ""  # of the lines before: each command has a shell of its own
        at = 0
        while at < len(lines):
            line, number = lines[at], first + at
            while line.endswith("\\") and at + 1 < len(lines):
                at += 1
                line = line[:-1].rstrip() + " " + lines[at].strip()
            at += 1
            if prompts and not line.startswith("$ "):
                continue
            line = without_comment(line[2:] if prompts else line)
            if line.startswith("export "):
                exports += line + "; "
            # The first line of a report looks like a command: "csink  ./app   pid 1".
            elif starts_a_program(line) and not re.match(r"csink( {2}|: )", lines[number - first]):
                found.append((number, exports + line))
    return found


def filled(synopsis, words):
    """The shortest command of a synopsis: without what is in brackets, with the first of alternatives, and `words`
    {placeholder: value} put in."""
    line = synopsis
    while re.search(r"\s?\[[^][]*\]", line):
        line = re.sub(r"\s?\[[^][]*\]", "", line)
    line = re.sub(r"(?<=\w)\.\.\.", "", line)
    line = re.sub(r"\b([A-Z]{2,})(\|[A-Z]{2,})+\b", r"\1", line)
    for word, value in words.items():
        line = re.sub(rf"(?<![\w/%$.{{-]){word}(?![\w/.*=-])", lambda _: value, line)
    return line
