"""What a program's --help says, as data: for man pages and for shell completion.

Reads the help of csink (written by CLI11) and that of programs in the style of getopt (atime). The programs' own
option tables print the help, so a new subcommand or option needs no change here.
"""

import dataclasses
import os
import re
import subprocess

# CLI11 writes an option's text from this column on.
COLUMN = 30
# What may follow the blank in column 29 of a line of CLI11 that has no text: the rest of the option's own column.
HEAD_REST = re.compile(r"(\.\.\.( REQUIRED)?|REQUIRED|\(Env:\w+\)|to -?[\d.]+|in \[.*\]|- \d+\])$")
ITEM = r"[a-z][\w-]*(?: \([^)]*\))?"
# "How samples are taken: auto, ring or timer": the words of a value where the parser has no list of them.
WORDS_IN_TEXT = re.compile(rf"(?:^|: )((?:{ITEM}, )*{ITEM} or {ITEM})(?:;.*|\.)?$")


@dataclasses.dataclass
class Option:
    spellings: list  # ["-o", "--output"]; of an operand: []
    argument: str    # "FILE"; "": none
    text: str
    words: list = dataclasses.field(default_factory=list)  # the values that are possible, if they are few
    limits: str = ""        # "0 to 100"
    default: str = ""
    environment: str = ""   # the variable that has the same effect
    required: bool = False
    repeated: bool = False
    name: str = ""          # of an operand


@dataclasses.dataclass
class Command:
    program: str
    name: str = ""  # of the subcommand; "": the program itself
    about: list = dataclasses.field(default_factory=list)
    usage: str = ""
    options: list = dataclasses.field(default_factory=list)
    operands: list = dataclasses.field(default_factory=list)
    subcommands: list = dataclasses.field(default_factory=list)  # (name, text)
    notes: list = dataclasses.field(default_factory=list)        # lines
    exits: str = ""
    examples: list = dataclasses.field(default_factory=list)
    environment: list = dataclasses.field(default_factory=list)  # (name, text)

    @property
    def page(self):
        return f"{self.program}-{self.name}" if self.name else self.program


def help_of(program, *words):
    """Standard output of `program words --help`. Raises OSError or CalledProcessError."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("CSINK_", "APAPI_", "LD_PRELOAD"))}
    done = subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True, timeout=60,
                          env=environment | {"LC_ALL": "C"}, stdin=subprocess.DEVNULL)
    return done.stdout


def words_in(text):
    found = WORDS_IN_TEXT.search(text)
    if not found:
        return []
    plain = re.sub(r" \([^)]*\)", "", found.group(1))
    return re.split(r", | or ", plain)


def split_line(line, following):
    """An entry's line in CLI11's help as (left column, text)."""
    head, text = line[:COLUMN].rstrip(), line[COLUMN:]
    if len(line) <= COLUMN:
        return line.strip(), ""
    one_blank = line[COLUMN - 1] == " " and line[COLUMN - 2] != " "
    long_head = line[COLUMN - 1] != " " or (one_blank and following.startswith(" " * COLUMN) and HEAD_REST.match(text))
    return (line.strip(), "") if long_head else (head.strip(), text)


def read_head(head, text):
    """The left column: names, argument, what the parser checks."""
    names, _, rest = head.partition(" ")
    option = Option([s for s in names.split(",") if s.startswith("-")], "", text)
    if not option.spellings:
        option.name = names
    if found := re.search(r" ?\(Env:(\w+)\)$", rest):
        option.environment, rest = found.group(1), rest[:found.start()]
    if rest.endswith("REQUIRED"):
        option.required, rest = True, rest.removesuffix("REQUIRED").rstrip()
    if rest.endswith(" ..."):
        option.repeated, rest = True, rest.removesuffix(" ...")
    option.argument, _, check = rest.partition(":")
    if found := re.match(r"\{(.*?)\}(?:=(.*))?$", check):
        option.words, option.default = found.group(1).split(","), found.group(2) or ""
    elif found := re.match(r"(?:U?INT in \[|INT in \[)(.*?)(?: - )(.*)\]$", check):
        option.limits = f"{found.group(1)} to {found.group(2)}"
    else:
        option.limits = check
    return option


def entries(lines):
    """(left column, text) of the indented lines of one section."""
    found = []
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else ""
        if line.startswith(" " * COLUMN):
            if found:
                found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
        elif line.strip():
            found.append(list(split_line(line, following)))
    return found


def split_examples(text):
    """Commands separated by ";" or line ends, but not within quotes or $(...)."""
    parts, depth, quote = [""], 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
        if char in ";\n" and not quote and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def read_notes(command, lines):
    """The text behind the options: notes, exit status, examples."""
    exits, examples, current = [], [], command.notes
    for line in lines:
        if line.startswith("Exit status:"):
            current, line = exits, line.removeprefix("Exit status:")
        elif found := re.match(r"Examples?:", line):
            current, line = examples, line[found.end():]
        elif not line.strip():
            current = command.notes
        current.append(line.rstrip() if current is command.notes else line.strip())
    command.exits = " ".join(exits).strip()
    command.examples = split_examples("\n".join(examples))
    while command.notes and not command.notes[-1]:
        command.notes.pop()
    while command.notes and not command.notes[0]:
        command.notes.pop(0)
    # "Commands: pause, resume, snapshot [FILE]." tells the words of the operand COMMAND.
    for operand in command.operands:
        for line in command.notes:
            if line.startswith(f"{operand.name.capitalize()}s: "):
                operand.words = [part.split()[0] for part in line.partition(": ")[2].rstrip(".").split(", ")]


def read_cli11(program, name, text):
    command = Command(program, name)
    lines = text.splitlines()
    usage = next(i for i, line in enumerate(lines) if line.startswith("Usage: "))
    command.about = [line for line in lines[:usage] if line]
    command.usage = lines[usage].removeprefix("Usage: ")
    at = usage + 1
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        if not re.match(r"[^\s:][^:]*:$", lines[at]) or at + 1 >= len(lines) or not lines[at + 1].startswith("  "):
            break
        end = at + 1
        while end < len(lines) and lines[end].startswith("  "):
            end += 1
        found = entries(lines[at + 1:end])
        if lines[at] == "Subcommands:":
            command.subcommands = [tuple(entry) for entry in found]
        else:
            for head, says in found:
                option = read_head(head, says)
                option.words = option.words or (words_in(says) if option.argument else [])
                (command.options if option.spellings else command.operands).append(option)
        at = end
    read_notes(command, lines[at:])
    return command


GETOPT = re.compile(r"^ {1,6}(-[^\s,]+(?:, --?\S+)?)(?:[ =](\S+))?(?: {2,}(\S.*))?$")


def read_getopt(program, text):
    """The help of a program in the style of getopt: sections end with ":", texts continue in their column."""
    command, section, entry = Command(program), "", None
    rest = []
    for line in text.splitlines():
        if line.startswith("Usage: "):
            command.usage = line.removeprefix("Usage: ")
        elif line.startswith("       ") and not command.about and not command.options:
            command.usage += " " + line.strip()
        elif re.match(r"[A-Z][^:]*:$", line):
            section, entry = line[:-1], None
        elif found := GETOPT.match(line):
            names, argument, says = found.groups()
            entry = Option(names.split(", "), argument or "", says or "")
            if optional := re.match(r"(.*)\[=(.*)\]$", entry.spellings[-1]):  # --idle[=TIME]
                entry.spellings[-1] = optional.group(1)
                entry.text = f"({optional.group(1)}={optional.group(2)}) {entry.text}"
            elif "=" in names:
                last, _, entry.argument = entry.spellings[-1].partition("=")
                entry.spellings[-1] = last
            command.options.append(entry)
        elif section == "Environment" and (found := re.match(r" +([A-Z_]+) {2,}(.*)", line)):
            command.environment.append([found.group(1), found.group(2)])
        elif line.startswith("        ") and section == "Environment" and command.environment:
            command.environment[-1][1] += " " + line.strip()
        elif line.startswith("        ") and entry:
            entry.text += " " + line.strip()
        elif not command.options:
            command.about += [line] if line else []
        else:
            section, entry = "", None
            rest.append(line)
    for option in command.options:
        option.words = words_in(option.text) if option.argument else []
    read_notes(command, rest)
    return command


def csink_commands(program):
    """csink itself, then every subcommand that its help names."""
    top = read_cli11("csink", "", help_of(program))
    return [top] + [read_cli11("csink", name, help_of(program, name)) for name, _ in top.subcommands]


def atime_command(program):
    return read_getopt("atime", help_of(program))
