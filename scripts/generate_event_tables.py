#!/usr/bin/env python3
"""Makes the tables of core/events/event_tables.h out of core/events/data/new-cpus.csv.

  generate_event_tables.py --cpp FILE    writes the tables as C++
  generate_event_tables.py --self-test   malformed lines are refused

A line is pmu,event,code,umask,umask_code,group,flags,notes. A line without umask is the event itself and
stands before its unit masks. Names are kept once in one string; an event and a unit mask have 12 bytes each.
Exit codes: 0; 1 a line that is not right.
"""

import argparse
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT / "core" / "events" / "data" / "new-cpus.csv"
# The bits of TableFlag and WiredModifier in event_tables.h.
FLAGS = {"alone": 1, "default": 2, "precise": 4, "ldlat": 8, "frontend": 16, "fixed": 32, "code-override": 64}
GROUP_ONE, EXTRA_REGISTER = 128, 16
WIRED = {"e": 1, "i": 2, "c": 4, "intx": 8, "intxcp": 16, "fe_thres": 32}
# Intel's off-core response events take their unit masks in config1, as FRONTEND_RETIRED does.
OFFCORE = ("OCR", "OFFCORE_RESPONSE")


class Problem(Exception):
    pass


class Names:
    """All names in one string, each once. Offset 0 is the empty name."""

    def __init__(self):
        self.text, self.places = b"\0", {"": 0}

    def place(self, name):
        if name not in self.places:
            self.places[name] = len(self.text)
            self.text += name.encode() + b"\0"
        return self.places[name]


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        raise Problem(f"{text!r} is no number") from None


def flag_bits(text):
    bits = 0
    for flag in text.split():
        if flag not in FLAGS:
            raise Problem(f"unknown flag {flag!r}")
        bits |= FLAGS[flag]
    return bits


def read_notes(text):
    """(wired modifiers, the name that this one is another spelling of)"""
    wired, same_as, reading = 0, "", False
    for note in text.split():
        key, has_value, value = note.partition("=")
        if key == "wired" or (reading and not has_value):
            name = value if key == "wired" else key
            if name not in WIRED:
                raise Problem(f"unknown wired modifier {name!r}")
            wired, reading = wired | WIRED[name], True
            continue
        reading = False
        if key == "equiv":
            same_as = value
        elif key != "cntmsk":
            raise Problem(f"unknown note {note!r}")
    return wired, same_as


def read(lines):
    """[(pmu, [event])]; an event is a dict with its unit masks."""
    pmus = {}
    for at, row in enumerate(csv.reader(lines), 1):
        if at == 1 or not row:
            continue
        try:
            if len(row) != 8:
                raise Problem(f"{len(row)} columns, not 8")
            pmu, event, code, mask, mask_code, group, flags, notes = row
            wired, same_as = read_notes(notes)
            events = pmus.setdefault(pmu, [])
            if not mask:
                if any(known["name"] == event for known in events):
                    raise Problem(f"event {event} is there twice")
                events.append({"name": event, "code": number(code), "flags": flag_bits(flags), "wired": wired,
                               "same_as": same_as, "intel": not pmu.startswith(("amd64", "arm")), "masks": []})
                continue
            if not events or events[-1]["name"] != event:
                raise Problem(f"unit mask {mask} does not stand below its event {event}")
            if group not in ("0", "1"):
                raise Problem(f"group {group!r} is not 0 or 1")
            bits = flag_bits(flags) | (GROUP_ONE if group == "1" else 0)
            value = number(mask_code)
            events[-1]["masks"].append(
                {"name": mask, "code": value if events[-1]["intel"] else value << 8, "flags": bits, "wired": wired,
                 "same_as": same_as})
        except Problem as problem:
            raise Problem(f"{DATA.name}:{at}: {problem}") from None
    return pmus


def tables(pmus):
    names, events, masks, parts = Names(), [], [], []
    for pmu, listed in sorted(pmus.items()):
        places = {event["name"]: i for i, event in enumerate(listed)}
        parts.append((pmu, len(events), len(listed)))
        for i, event in enumerate(listed):
            same_as = i
            if event["same_as"]:
                if event["same_as"] not in places:
                    raise Problem(f"{pmu}::{event['name']} is said to be {event['same_as']}, which is not there")
                same_as = places[event["same_as"]]
            flags = event["flags"] | (EXTRA_REGISTER if event["intel"] and event["name"].startswith(OFFCORE) else 0)
            for mask in event["masks"]:  # an event has ldlat where a mask takes it
                flags |= mask["flags"] & FLAGS["ldlat"]
            short = {mask["name"] for mask in event["masks"] if mask["same_as"]}
            for mask in event["masks"]:
                if mask["same_as"].split(":")[0] in short:
                    raise Problem(f"{pmu}::{event['name']}:{mask['name']} stands for another short spelling")
            events.append((event["code"], names.place(event["name"]), same_as, len(masks), len(event["masks"]), flags))
            for mask in event["masks"]:
                if flags & EXTRA_REGISTER:  # a register's value has no place in config
                    mask["code"] >>= 8
                if mask["code"] >> 48:
                    raise Problem(f"{pmu}::{event['name']}:{mask['name']} has more than 48 bits")
                masks.append((mask["code"] & 0xFFFFFFFF, mask["code"] >> 32, names.place(mask["name"]),
                              names.place(mask["same_as"]), mask["flags"], mask["wired"]))
    if len(names.text) > 0xFFFF or len(masks) > 0xFFFF:
        raise Problem("more names or unit masks than 16 bits count")
    return names, events, masks, parts


def rows(items):
    return "".join("    {" + ", ".join(str(value) for value in item) + "},\n" for item in items)


def cpp(pmus):
    names, events, masks, parts = tables(pmus)
    text = "".join(f'    "{name.decode()}\\0"\n' for name in names.text.split(b"\0")[:-1])
    return ("// Generated by scripts/generate_event_tables.py from core/events/data; do not edit.\n"
            '#include "core/events/event_tables.h"\n\nnamespace csink {\n\n'
            f"const char kTableNames[] =\n{text};\n\n"
            f"const TableEvent kTableEvents[] = {{\n{rows(events)}}};\n\n"
            f"const TableMask kTableMasks[] = {{\n{rows(masks)}}};\n\n"
            "const TablePart kTableParts[] = {\n" +
            "".join(f'    {{"{pmu}", {first}, {count}}},\n' for pmu, first, count in parts) +
            f"}};\nconst unsigned kTablePartCount = {len(parts)};\n\n}}  // namespace csink\n")


def self_test():
    head = "pmu,event,code,umask,umask_code,group,flags,notes"
    bad = {"seven columns": "spr,E,0x1,,,,", "no number": "spr,E,x,,,,,", "orphan": "spr,E,0x1,M,0x1,0,,",
           "flag": "spr,E,0x1,,,,shiny,", "note": "spr,E,0x1,,,,,tall", "wired": "spr,E,0x1,,,,,wired=z",
           "twice": "spr,E,0x1,,,,,\nspr,E,0x2,,,,,", "group": "spr,E,0x1,,,,,\nspr,E,0x1,M,0x1,7,,",
           "alias": "spr,E,0x1,,,,,equiv=NOBODY",
           "circle": "spr,E,0x1,,,,,\nspr,E,0x1,M,0x1,0,,equiv=N\nspr,E,0x1,N,0x1,0,,equiv=M"}
    for what, lines in bad.items():
        try:
            tables(read([head] + lines.split("\n")))
        except Problem:
            continue
        print(f"not refused: {what}")
        return 1
    good = tables(read([head, "spr,E,0x1,,,,,cntmsk=0xf", "spr,E,0x1,M,0x1000200,0,alone precise,wired=e c"]))
    if good[1] != [(1, 1, 0, 0, 1, 0)] or good[2] != [(0x1000200, 0, 3, 0, 5, 5)]:
        print(f"read wrongly: {good[1]} {good[2]}")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpp", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    try:
        text = cpp(read(DATA.read_text().splitlines()))
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    if arguments.cpp:
        arguments.cpp.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
