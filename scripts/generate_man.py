#!/usr/bin/env python3
"""Writes the man pages: commands from what their --help prints, libagent.so from the table of settings, functions from
the comments of the public headers.

scripts/man/NAME.txt adds to a page what its source does not tell: "[SECTION]" lines, each followed by text in the form of
lib/roff.py (body). A page needs no such file. Pages of section 1 and 7 come into OUT/user, those of section 3 into OUT/dev.
"""

import argparse
import pathlib
import re
import shutil

from lib import command_help, header_contracts, roff, settings_table

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMMANDS = "Countersink commands"
MANUAL = "Countersink programmer's manual"
# Every command has these unless its help says more.
EXITS = "0; 1 there is nothing to report, or something could not be read or written; 2 wrong use."
ONE_PAGE_HEADERS = {  # header: (page, its line, how to link)
    "agent/include/csink.h": ("csink.h", "tell the profiler what to sample", "#include <csink.h>"),
    "compat/apapi/include/apapi.h": ("apapi", "read PAPI counters periodically, with statistics",
                                     "#include <apapi.h>\n\ncc program.c -lapapi -lpapi"),
    "compat/apapi/include/apapi_csink.h": ("apapi_csink.h", "Countersink's additions to apapi.h",
                                           "#include <apapi_csink.h>\n\ncc program.c -lapapi -lpapi"),
    "compat/events/include/csink_events.h": ("csink_events.h", "describe event strings of libpfm4",
                                             "#include <csink_events.h>\n\ncc program.c -lcsink_events"),
    "compat/papi/include/csink_papi.h": ("csink_papi.h", "what Countersink's libpapi tells beyond PAPI's interface",
                                         "#include <csink_papi.h>\n\ncc program.c -lpapi"),
}
PAPI = "compat/papi/include/papi.h"
EVERY_FUNCTION = ("Unless it says otherwise, the function returns PAPI_OK (0) or a result above, or one of the negative error "
                  "codes of `papi.h`(3), and a call that fails changes nothing.")


def extra_of(page, root=ROOT):
    """Section to text, from scripts/man."""
    path = root / "scripts/man" / f"{page}.txt"
    if not path.exists():
        return {}
    parts = re.split(r"^\[([A-Z ]+)\]\n", path.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


class Pages:
    def __init__(self, out, version):
        self.out, self.version = out, version
        self.texts = {}

    def add(self, name, section, about, sections, manual, other_names=()):
        for title, text in extra_of(name).items():
            if title in ("NAME", "PAGE"):  # PAGE: for docs/csink.md
                continue
            sections[title] = sections.get(title, "") + roff.body(text)
        page = roff.page(name, section, about, sections, self.version, manual, other_names)
        self.texts[f"man{section}/{name}.{section}"] = page
        for other in other_names:
            self.texts[f"man{section}/{other}.{section}"] = f".so man{section}/{name}.{section}\n"

    def write(self):
        """Pages of an earlier run that are no longer made go away: the folders are installed as they are."""
        for part in ("user", "dev"):
            shutil.rmtree(self.out / part, ignore_errors=True)
        for name, text in self.texts.items():
            path = self.out / ("dev" if name.startswith("man3/") else "user") / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def sentence(text):
    text = text.strip()
    return text if not text or text.endswith((".", "!", "?")) else text + "."


def capital(text, words=()):
    """The first letter in upper case, unless the text begins with a word that is to be typed."""
    return text if re.split(r"[^\w-]", text)[0] in words else text[:1].upper() + text[1:]


def option_entry(option):
    joint = f" {roff.italic(option.argument)}" if option.argument else ""
    head = ", ".join(roff.bold(s) for s in option.spellings) + joint if option.spellings else roff.italic(option.argument)
    text = capital(option.text, option.words)
    # The parser's list of words is often the text itself.
    if option.words and not all(word in option.text for word in option.words):
        text = sentence(text) + " One of " + ", ".join(option.words)
    if option.limits:
        text = sentence(text) + f" From {option.limits}"
    if option.default:
        text = sentence(text) + f" Default: {option.default}"
    if option.environment:
        text = sentence(text) + f" Also: {option.environment}"
    if option.required and option.spellings:
        text = sentence(text) + " Required"
    return roff.entry(head, roff.escape(sentence(text)))


def exit_status(text):
    """"0; 1 nothing to report; 2 wrong use." as a list; anything else as it stands."""
    parts = [part.strip() for part in text.rstrip(".").split(";")]
    found = [re.match(r"(\d+)(?:$| )(.*)", part) for part in parts]
    if not all(found):
        return roff.body(capital(text))
    out = ""
    for match in found:
        meaning = match.group(2) or "success"
        out += roff.entry(roff.bold(match.group(1)), roff.escape(sentence(capital(meaning))))
    return out


def synopsis(usage):
    words = usage.split(" ")
    at = 2 if len(words) > 1 and words[0] == "csink" and words[1].islower() else 1
    return f"{roff.bold(' '.join(words[:at]))} {roff.escape(' '.join(words[at:]))}\n"


def command_page(pages, command, settings, siblings):
    sections = {"SYNOPSIS": synopsis(command.usage)}
    about = command.about[0].rstrip(".")
    if command.name == "":
        about = extra_of(command.page).get("NAME", command.about[0]).strip().rstrip(".")
        sections["DESCRIPTION"] = roff.body("\n\n".join(
            line if ": " in line else sentence(line) for line in command.about))
    # Lines that continue each other are one paragraph; the help has no empty lines between them.
    sections["DESCRIPTION"] = sections.get("DESCRIPTION", "") + (
        roff.body(sentence(about)) if command.name else "") + roff.body("\n".join(command.notes))
    sections["OPTIONS"] = "".join(map(option_entry, command.options))
    sections["OPERANDS"] = "".join(option_entry(o) for o in command.operands if o.text != o.argument.replace(" ", " and "))
    sections["COMMANDS"] = "".join(roff.entry(roff.bold(f"csink {name}"), roff.escape(sentence(text)) +
                                              f"\nSee\n.BR csink\\-{roff.escape(name)} (1).")
                                   for name, text in command.subcommands)
    told = extra_of(command.page)
    if "EXIT STATUS" not in told:
        sections["EXIT STATUS"] = exit_status(command.exits or EXITS)
    if command.examples:
        sections["EXAMPLES"] = roff.literal(command.examples)
    environment = list(command.environment)
    if command.program == "csink":
        by_option = {row["option"].split(",")[-1]: row for row in settings if row["option"]}
        spellings = {s for option in command.options for s in option.spellings}
        sets = [(f"CSINK_{row['name']}", f"Has the effect of {option}, which takes precedence.")
                for option, row in by_option.items() if option in spellings and command.name in ("run", "attach")]
        environment += sets + [(f"CSINK_{row['name']}", sentence(row["help"])) for row in settings if row["reader"] == "Csink"]
    sections["ENVIRONMENT"] = "".join(
        roff.entry(roff.bold(name), roff.escape(sentence(capital(text)))) for name, text in environment)
    related = [("csink", 1)] if command.name else []
    related += [(page, 1) for page in siblings if page != command.page and (not command.name)]
    related += [("libagent.so", 7)] if command.program == "csink" else [("csink", 1), ("apapi", 3)]
    sections["SEE ALSO"] = roff.references(related)
    pages.add(command.page, 1, about[:1].lower() + about[1:], sections, COMMANDS)


KIND = {"Bool": "1 or 0", "Count": "a number, perhaps with k, M or G", "Time": "seconds, or a number with ns, us, ms, s, m, min or h",
        "Signal": "a signal", "List": "a list", "File": "a file", "Folder": "a folder", "Fifo": "a fifo",
        "Settings": "settings, separated by semicolons", "BoolOrFolder": "1, 0 or a folder"}


def agent_page(pages, settings):
    entries = ""
    for row in settings:
        words = row["words"].split()
        kind = KIND.get(row["type"]) or ", ".join((["1", "0"] if row["type"] == "BoolOrWord" else []) + words)
        text = sentence(row["help"])
        if not words or not all(re.search(rf"\b{word}\b", row["help"]) for word in words):
            text += f" Value: {kind}."
        if row["default"]:
            text += f" Default: {row['default']}."
        if row["reader"] != "Agent":
            text += {"Csink": " Read by the csink tool, not by libagent.so.",
                     "Libpapi": " Read by libpapi and libcsink_events, not by libagent.so."}[row["reader"]]
        if row["option"]:
            text += f" Option of csink run: {row['option'].replace(',', ', ')}."
        entries += roff.entry(roff.bold(f"CSINK_{row['name']}"), roff.escape(text))
    sections = {"SYNOPSIS": roff.literal(["LD_PRELOAD=libagent.so [CSINK_NAME=VALUE...] PROGRAM [ARG...]"]),
                "ENVIRONMENT": entries,
                "SEE ALSO": roff.references([("csink", 1), ("csink-run", 1), ("csink-report", 1), ("csink.h", 3)])}
    pages.add("libagent.so", 7, "profile a program without changing it", sections, "Countersink manual")


def prototypes(functions):
    return ".nf\n" + "".join(roff.bold(text) + "\n" for _, text in functions) + ".fi\n"


ERROR = re.compile(r"^#define (PAPI_E\w+) \(-\d+\) +/\* (.*?) \*/", re.M)


def error_codes():
    """The codes of papi.h with their comments."""
    return dict(ERROR.findall((ROOT / PAPI).read_text()))


def errors(sentences):
    """A list where every item is "CODE (when)", else the sentences."""
    out, codes = "", error_codes()
    for text in sentences:
        items = [item.strip() for item in re.split(r"[,;] (?![^(]*\))", text.replace(" and PAPI_", ", PAPI_"))]
        found = [re.match(r"(PAPI_E\w+)(?: \((.*)\))?$", item) for item in items]
        if not all(found):
            out += roff.body("Fails: " + text + ".")
            continue
        for match in found:
            meaning = match.group(2) or codes.get(match.group(1), "")
            out += roff.entry(roff.bold(match.group(1)), roff.marked(sentence(capital(meaning, ["errno"]))))
    return out


def function_page(pages, group, siblings):
    """A page of papi.h."""
    text, failures = header_contracts.take_sentences(group.text, r"Fails?:\s")
    text, signals = header_contracts.take_sentences(text, r"Signals:\s")
    names = [name for name, _ in group.functions]
    sections = {
        "SYNOPSIS": roff.body("`#include <papi.h>`") + ".PP\n" + prototypes(group.functions),
        "DESCRIPTION": roff.body(text) + (roff.body(group.intro) if group.intro else ""),
        "RETURN VALUE": roff.body(EVERY_FUNCTION),
        "ERRORS": errors(failures),
        "ATTRIBUTES": roff.body("Threads: any; calls of two threads for one event set must not overlap.\n\n"
                                "Signals: " + (" ".join(map(sentence, signals)) or "not safe in signal handlers.")),
        "SEE ALSO": roff.references([("papi.h", 3)] + [(other, 3) for other in siblings if other not in names]),
    }
    pages.add(names[0], 3, header_contracts.first_sentence(group.text), sections, MANUAL, names[1:])


def papi_pages(pages):
    header = header_contracts.read((ROOT / PAPI).read_text())
    sections = {}
    for group in header.groups:
        sections.setdefault(group.section, []).append(group)
    for groups in sections.values():
        for group in groups:
            function_page(pages, group, [other.functions[0][0] for other in groups])
    listed = "".join(f".SS {roff.escape(title)}\n" + roff.references([(name, 3) for group in groups for name, _ in group.functions])
                     for title, groups in sections.items())
    pages.add("papi.h", 3, "count, sample and time programs: the interface of PAPI 7.0",
              {"SYNOPSIS": roff.body("`#include <papi.h>`\n\n`cc` program.c `-lpapi`"), "DESCRIPTION": roff.body(header.overview),
               "FUNCTIONS": listed, "ERRORS": "".join(roff.entry(roff.bold(code), roff.escape(sentence(capital(text))))
                                                    for code, text in error_codes().items()), "SEE ALSO": roff.references([("csink_papi.h", 3), ("papi_avail", 1), ("papi_native_avail", 1)])},
              MANUAL)


def header_page(pages, path, name, about, use):
    header = header_contracts.read((ROOT / path).read_text())
    functions = "".join(f".SS {', '.join(n for n, _ in group.functions)}\n{prototypes(group.functions)}{roff.body(group.text)}"
                        for group in header.groups)
    names = [n for group in header.groups for n, _ in group.functions]
    see = {"csink.h": [("csink", 1), ("libagent.so", 7)], "apapi": [("atime", 1), ("apapi_csink.h", 3), ("papi.h", 3)],
           "apapi_csink.h": [("apapi", 3)]}
    pages.add(name, 3, about,
              {"SYNOPSIS": roff.literal(use.split("\n")), "DESCRIPTION": roff.body(header.overview), "FUNCTIONS": functions,
               "SEE ALSO": roff.references(see.get(name, [("papi.h", 3)]))}, MANUAL, names)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--csink", help="the program; without it no pages of csink")
    options.add_argument("--atime", help="the program; without it no page of atime")
    options.add_argument("--version", required=True, help="of the pages' foot")
    options.add_argument("--out", type=pathlib.Path, required=True)
    args = options.parse_args()
    settings = settings_table.read((ROOT / "core/settings/table.h").read_text())
    pages = Pages(args.out, args.version)
    commands = command_help.csink_commands(args.csink) if args.csink else []
    for command in commands:
        command_page(pages, command, settings, [other.page for other in commands])
    if args.atime:
        command_page(pages, command_help.atime_command(args.atime), settings, [])
    agent_page(pages, settings)
    for path, (name, about, use) in ONE_PAGE_HEADERS.items():
        header_page(pages, path, name, about, use)
    papi_pages(pages)
    pages.write()


if __name__ == "__main__":
    main()
