#!/usr/bin/env python3
"""Writes docs/csink.md from what `csink --help` and the help of its subcommands print, and the tables of docs/environment.md
from the table of settings. --check: changes nothing, and says where a page differs from what would be written.

What these sources do not tell is hand-written, once: scripts/pages/PAGE.md is the page around what is made, and
scripts/man/csink-NAME.txt has descriptions, exit statuses and examples of a command, for its man page as well. Of such a
file the section [PAGE] is for docs/csink.md alone: Markdown, for links and tables.
"""

import argparse
import difflib
import pathlib
import re
import sys
import textwrap

from lib import checks, command_help, settings_table
from generate_man import EXITS, extra_of, sentence

WIDTH = 140
NOTE = "<!-- Made by scripts/generate_pages.py, from {sources}: changes belong there. -->\n"
# These share most of their options, which have a table of their own.
FAMILY = ("run", "attach", "report")
FAMILY_TITLE = "Options of a report"
# Where a page says more of a setting.
MORE = {"EVENTS": "sampling.md#the-default-event", "OPTIONS": "#all-in-one-variable", "OUTPUT": "#names-of-reports",
        "SPOOL_DIR": "#where-spools-are-made", "SPOOL_LIMIT": "#where-spools-are-made", "KERNEL": "#kernel-mode",
        "DOCTOR": "csink.md#csink-doctor", "SOURCE_PREFIX": "annotate.md#where-sources-are-found", "PUSH": "push.md",
        "PUSH_INTERVAL": "push.md#long-running-programs", "EVENT_MACROS": "event-macros.md", "CACHE": "csink.md#csink-cache",
        "EXCLUDE": "processes.md#csink_include-and-csink_exclude", "FOLLOW": "processes.md#csink_follow", "CONTROL": "control.md",
        "STACKS": "stacks.md", "WAIT": "waiting.md", "BASELINE": "diff.md", "SIGNAL": "control.md", "SOURCE": "sampling.md"}
# How the page writes a type whose values are not listed.
KINDS = {"Bool": "bool", "Count": "count", "Time": "time", "Signal": "signal", "List": "list", "File": "file",
         "Folder": "folder", "Fifo": "fifo", "Settings": "settings", "BoolOrFolder": "bool or folder"}


def filled(text):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"


def table(head, rows):
    """Rows of cells; "|" in a cell is escaped."""
    lines = ["|" + "---|" * len(head) if cells is None else "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
             for cells in (head, None, *rows)]
    return "".join(line + "\n" for line in lines)


def markdown(text):
    """A section of scripts/man, in the form of lib/roff.py (body), as Markdown."""
    out = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        if lines[0].startswith("    "):
            out.append("\n".join(lines) + "\n")
        elif lines[0].startswith("= "):
            entries = re.split(r"^= ", block, flags=re.M)[1:]
            out.append("".join("* {}: {}\n".format(*(" ".join(part.split()) for part in entry.partition("\n")[::2])) for entry in entries))
        else:
            out.append(filled(" ".join(lines)))
    return "\n".join(out)


# ---- docs/environment.md ---------------------------------------------------------------------------------------------


def kind_of(row):
    words = ", ".join(f"`{word}`" for word in row["words"].split())
    if row["name"] == "FORMAT":
        return "[a format](formats.md)"
    if row["type"] == "Word":
        return words
    return f"bool or {words}" if row["type"] == "BoolOrWord" else KINDS[row["type"]]


def setting_cells(row):
    value = kind_of(row)
    if row["default"]:
        value += f"; `{row['default']}`"
    text = row["help"]
    if more := MORE.get(row["name"]):
        text += f" ([{more.partition('#')[0] or 'below'}]({more}))"
    if row["option"]:
        text += f". Option `{row['option'].split(',')[-1]}`"
    return [f"`CSINK_{row['name']}`", value, text]


def environment_page(root):
    rows = settings_table.read((root / "core/settings/table.h").read_text())
    text = (root / "scripts/pages/environment.md").read_text()
    for reader in ("Agent", "Csink", "Libpapi"):
        place = f"@settings of {reader}@\n"
        if text.count(place) != 1:
            raise ValueError(f"scripts/pages/environment.md: no single line {place}")
        text = text.replace(place, table(["variable", "value; default", "meaning"],
                                         [setting_cells(row) for row in rows if row["reader"] == reader]))
    return NOTE.format(sources="core/settings/table.h and scripts/pages/environment.md") + text


# ---- docs/csink.md ---------------------------------------------------------------------------------------------------


def option_line(option, variables=()):
    """Its spellings with the argument, and what the help tells of it; of its values no limits. An item of a list."""
    names = [f"`{name}`" for name in option.spellings]
    if option.argument:
        names[-1] = f"`{option.spellings[-1]} {option.argument}`"
    text = option.text
    if option.argument == "FORMAT" and len(option.words) > 5:
        text = "[a format](formats.md)"
    elif option.words and not all(word in option.text for word in option.words):
        text = f"{text}: {', '.join(option.words)}"
    if option.required:
        text += "; required"
    variable = option.environment or dict(variables).get(option.spellings[-1])
    return f"* {', '.join(names)}: {text}" + (f" (`{variable}`)" if variable else "") + "\n"


def named(options):
    return ", ".join(f"`{option.spellings[-1]}`" for option in options)


def shown(command):
    return [option for option in command.options if "--help" not in option.spellings]


def options_of(command, seen, variables):
    """The list of a command's options; those that stand further up only by name. `seen`: lines that were written, and where."""
    own, elsewhere = [], {}
    for option in shown(command):
        line = option_line(option)
        if line in seen:
            elsewhere.setdefault(seen[line], []).append(option)
        else:
            own.append(option)
            seen[line] = f"as of `csink {command.name}`"
    parts = []
    if own:
        parts.append("".join(option_line(option, variables if command.name == "run" else ()) for option in own))
    told = []
    for place, options in elsewhere.items():
        all_of_it = len(options) > 3 and len(options) == list(seen.values()).count(place)
        told.append(f"Also the {place}." if all_of_it else f"{named(options)}: {place}.")
    return parts + ([filled(" ".join(told))] if told else [])


def exits_of(told, command):
    if "EXIT STATUS" not in told:
        return filled("Exit status: " + sentence(command.exits or EXITS))
    entries = re.findall(r"^= (.*)\n([^=]*)", told["EXIT STATUS"], re.M)
    return filled("Exit status: " + " ".join(f"{status}: {' '.join(meaning.split())}" for status, meaning in entries))


def command_section(root, command, seen, variables):
    told = extra_of(command.page, root)
    # Lines of the help that continue each other are one paragraph.
    parts = [f"## csink {command.name}\n", f"    {command.usage}\n", filled(" ".join([sentence(command.about[0]), *command.notes]))]
    parts += [markdown(told["DESCRIPTION"])] if "DESCRIPTION" in told else []
    parts += options_of(command, seen, variables)
    parts.append(exits_of(told, command))
    if command.examples:
        parts.append("".join(f"    {line}\n" for line in command.examples))
    elif "EXAMPLES" in told:
        parts.append(markdown(told["EXAMPLES"]))
    parts += [told["PAGE"].strip("\n") + "\n"] if "PAGE" in told else []
    return "\n".join(parts)


def csink_page(root, commands):
    """`commands`: as lib/command_help.py reads them, csink itself first."""
    settings = settings_table.read((root / "core/settings/table.h").read_text())
    variables = {row["option"].split(",")[-1]: f"CSINK_{row['name']}" for row in settings if row["option"]}
    by_name = {command.name: command for command in commands}
    lines = {name: [option_line(option) for option in shown(by_name[name])] for name in FAMILY}
    family = [line for line in lines["report"] if all(line in lines[name] for name in FAMILY)]
    sections = []
    seen = dict.fromkeys(family, f"[options of a report](#{FAMILY_TITLE.lower().replace(' ', '-')})")
    for command in commands[1:]:
        sections.append(command_section(root, command, seen, variables))
        if command.name == FAMILY[-1]:
            sections.append(f"## {FAMILY_TITLE}\n\n" + "".join(family))
    text = (root / "scripts/pages/csink.md").read_text()
    for place, made in (("@options of csink@\n", "".join(map(option_line, commands[0].options))),
                        ("@commands@\n", "\n".join(sections))):
        if text.count(place) != 1:
            raise ValueError(f"scripts/pages/csink.md: no single line {place}")
        text = text.replace(place, made)
    return NOTE.format(sources="the help of csink, scripts/man and scripts/pages/csink.md") + text


# ---- the program -----------------------------------------------------------------------------------------------------


def pages(root, commands):
    made = {"docs/environment.md": environment_page(root)}
    if commands:
        made["docs/csink.md"] = csink_page(root, commands)
    return made


def problems_in(root, commands):
    """A line for each page that is not as it would be made, with the first lines that differ."""
    problems = []
    for name, text in pages(root, commands).items():
        path = root / name
        is_now = path.read_text() if path.exists() else ""
        if is_now == text:
            continue
        lines = [line for line in difflib.unified_diff(is_now.splitlines(), text.splitlines(), lineterm="", n=0)
                 if line[:1] in "+-" and line[:3] not in ("+++", "---")]
        problems.append(f"{name} differs from its sources; scripts/generate_pages.py writes it:\n  " + "\n  ".join(lines[:6]))
    return problems


def self_test():
    test = checks.SelfTest()
    row = ('    {{Setting::k{0}, "{0}", ValueType::kCount, "", "{1}", 0, ReadBy::k{2}, InSpool::kNo,\n'
           '     "{3}", "N", "{4}"}},\n')
    files = {"core/settings/table.h": "inline constexpr SettingRow kSettings[] = {\n" + row.format("TOP", "20", "Agent", "--top", "Rows") +
             row.format("CACHE_SIZE", "256M", "Csink", "", "Size") + row.format("X", "", "Libpapi", "", "Y") + "};\n",
             "scripts/pages/environment.md": "# E\n\n" + "".join(f"@settings of {name}@\n\n" for name in ("Agent", "Csink", "Libpapi")),
             "scripts/pages/csink.md": "# C\n\n@options of csink@\n\n@commands@\n"}

    def commands(option="--flat", text="No callers"):
        help_text = f"About\nUsage: csink x [OPTIONS]\n\nOptions:\n  --top N                     Rows\n  {option:<28}{text}\n"
        return [command_help.read_cli11("csink", name, help_text) for name in ("", *FAMILY)]

    def tree(changes=None):
        folder = test.tree(files)
        root = pathlib.Path(folder.name)
        for name, text in pages(root, commands()).items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        for name, (old, new) in (changes or {}).items():
            (root / name).write_text((root / name).read_text().replace(old, new))
        return folder, root

    for what, changes, of, words in (
            ("pages as they were made", {}, commands(), ()),
            ("another default", {"core/settings/table.h": ('"20"', '"25"')}, commands(), ("environment.md",)),
            ("a row of no setting", {"docs/environment.md": ("CSINK_X", "CSINK_Z")}, commands(), ("environment.md",)),
            ("a setting with another name", {"core/settings/table.h": ('"TOP"', '"ROWS"')}, commands(), ("environment.md",)),
            ("a new option", {}, commands("--flatter"), ("csink.md",)),
            ("an option with another text", {}, commands(text="Callers"), ("csink.md",)),
            ("a page that was written by hand", {"docs/csink.md": ("Rows", "Lines")}, commands(), ("csink.md",)),
            ("another frame", {"scripts/pages/csink.md": ("# C", "# D")}, commands(), ("csink.md",))):
        folder, root = tree(changes)
        test.expect(what, problems_in(root, of), *words)
        folder.cleanup()
    test.exit()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--csink", help="the program; without it docs/environment.md alone")
    options.add_argument("--check", action="store_true", help="write nothing; exit status 1 if a page differs")
    options.add_argument("--self-test", action="store_true", help="plant differences and see that each is found")
    args = options.parse_args()
    if args.self_test:
        self_test()
    commands = command_help.csink_commands(args.csink) if args.csink else []
    if args.check:
        checks.verdict(problems_in(checks.ROOT, commands), 1 + bool(commands))
    for name, text in pages(checks.ROOT, commands).items():
        (checks.ROOT / name).write_text(text)


if __name__ == "__main__":
    sys.exit(main())
