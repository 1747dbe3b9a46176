#!/usr/bin/env python3
"""Reads Intel's event files (github.com/intel/perfmon, events/*_core.json) for core/events/data/new-cpus.csv.

  import_intel_events.py FILE.json --pmu lnl_lnc          prints the rows of a table
  import_intel_events.py FILE.json --check gnr            compares encodings with those of a table that is there
  import_intel_events.py --self-test

Names become libpfm4's: MEM_LOAD_RETIRED.L3_MISS is MEM_LOAD_RETIRED:L3_MISS, later dots are '_'. Deprecated events are left
out, and what a row cannot say: events that need a register beside an event code of their own, values above 40 bits.
Exit codes: 0; 1 a difference; 2 wrong use.
"""

import argparse
import collections
import csv
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts")]
from lib import checks  # noqa: E402

DATA = ROOT / "core" / "events" / "data" / "new-cpus.csv"
OFFCORE, LATENCY, FRONTEND = (0x1A6, 0x1A7), 0x3F6, 0x3F7
EDGE, INVERT, COUNTER_MASK, EQUAL, SECOND_UMASK = 18, 23, 24, 36, 40  # places in config
MOST_REGISTER_BITS = 48
# Architectural names, which libpfm4 has for each core with these codes.
ARCHITECTURAL = (("UNHALTED_CORE_CYCLES", 0x3C, ""), ("UNHALTED_REFERENCE_CYCLES", 0x300, "fixed"),
                 ("INSTRUCTION_RETIRED", 0xC0, ""))


def number(text):
    """The first number of a field: "0x2A,0x2B" names two registers' codes."""
    return int((text or "0").split(",")[0], 0)


class Event:
    """One event of a file: its encoding, and where a row can say it."""

    def __init__(self, item):
        self.base, _, mask = item["EventName"].upper().partition(".")
        self.mask = mask.replace(".", "_")
        self.code, umask = number(item["EventCode"]), number(item["UMask"])
        self.register, self.value = number(item.get("MSRIndex")), number(item.get("MSRValue"))
        counter_mask = number(item.get("CounterMask"))
        edge, invert = number(item.get("EdgeDetect")), number(item.get("Invert"))
        self.precise = item.get("Precise", item.get("PEBS", "0")) not in ("0", "", None)
        self.deprecated = item.get("Deprecated") == "1"
        self.bits = umask << 8 | edge << EDGE | invert << INVERT | counter_mask << COUNTER_MASK | \
            number(item.get("Equal")) << EQUAL | number(item.get("UMaskExt")) << SECOND_UMASK
        self.wired = " ".join(n for n, v in (("e", edge), ("i", invert), ("c", counter_mask)) if v)
        self.is_register = self.register in OFFCORE or (self.register == FRONTEND and self.base == "FRONTEND_RETIRED")
        self.is_latency = self.register == LATENCY

    @property
    def config(self):
        return self.code | self.bits

    def fits(self):
        if self.is_register:
            return self.value >> MOST_REGISTER_BITS == 0
        return self.register == 0 or self.is_latency


def events_of(path):
    listed = json.loads(pathlib.Path(path).read_text())["Events"]
    return [e for e in map(Event, listed) if not e.deprecated]


def rows_of(pmu, events):
    """The rows of a table, and the names that have no row."""
    rows = [(pmu, name, hex(code), "", "", "", flags, "") for name, code, flags in ARCHITECTURAL]
    left_out = [f"{e.base}.{e.mask}" for e in events if not e.fits()]
    families = collections.defaultdict(list)
    for event in events:
        if event.fits():
            families[event.base].append(event)
    for members in families.values():
        if any(e.is_register for e in members):
            left_out += [f"{e.base}.{e.mask}" for e in members if e.config & 0xFFFF != register_code(members)]
    for base, members in sorted(families.items()):
        rows += family(pmu, base, members)
    return rows, left_out


def register_code(members):
    return collections.Counter(e.config & 0xFFFF for e in members if e.is_register).most_common(1)[0][0]


def family(pmu, base, members):
    if any(e.is_register for e in members):
        # The event is the register's; a member with another code or none would need an event of its own.
        code = register_code(members)
        members = [e for e in members if e.is_register and e.config & 0xFFFF == code]
        flags = "precise frontend" if members[0].register == FRONTEND else ""
        yield (pmu, base, hex(code), "", "", "", flags, "")
        for e in sorted(members, key=lambda e: e.mask):
            notes = "wired=fe_thres" if e.mask.startswith("LATENCY_GE") else ""
            yield (pmu, base, hex(code), e.mask, hex(e.value << 8), "0", "alone precise" if e.precise else "alone", notes)
        return
    # Code 0 is that of fixed counters: their unit masks replace the code of the general counters' event.
    code = collections.Counter(e.code for e in members if e.code or all(o.code == 0 for o in members)).most_common(1)[0][0]
    masks = [e for e in members if e.mask]
    precise = "precise" if any(e.precise for e in members) else ""
    yield (pmu, base, hex(code if masks else members[0].config), "", "", "", precise, "")
    latencies = [e for e in masks if e.is_latency]
    if latencies:
        yield (pmu, base, hex(code), "LOAD_LATENCY", hex(latencies[0].bits), "0", "alone precise ldlat", "")
    for e in sorted(masks, key=lambda e: e.mask):
        flags = ["alone"] + ["default"] * (not latencies and (len(masks) == 1 or (e.bits == 0 and e.code == code)))
        flags += ["precise"] * e.precise + ["code-override"] * (e.code != code)
        notes = f"wired={e.wired}" if e.wired else ""
        if e.is_latency:
            if e.mask == "LOAD_LATENCY":  # the row above
                continue
            flags, notes = ["alone", "precise"], f"equiv=LOAD_LATENCY:ldlat={e.value}"
        yield (pmu, base, hex(code), e.mask, hex(e.bits if e.code == code else e.config), "0", " ".join(flags), notes)


def encodings(rows):
    """{(event, mask): (config, register)} of a table; other names of a mask are left out."""
    rows = [(event, int(code, 0), mask, int(value or "0", 0), flags, notes) for _, event, code, mask, value, _, flags, notes in rows]
    latencies = {event: code | value for event, code, mask, value, _, _ in rows if mask == "LOAD_LATENCY"}
    found = {}
    for event, code, mask, value, flags, notes in rows:
        _, is_latency, least = notes.partition("equiv=LOAD_LATENCY:ldlat=")
        if is_latency:
            found[event, mask] = (latencies[event], int(least))
        elif not mask or mask == "LOAD_LATENCY" or "equiv=" in notes:
            continue
        elif event in ("OCR", "OCR0", "OCR1", "FRONTEND_RETIRED") or event.startswith("OFFCORE_RESPONSE"):
            found[event, mask] = (code, value >> 8)
        else:
            found[event, mask] = (value if "code-override" in flags else code | value, 0)
    return found


def differences(table, events):
    """(names that both know, what differs): other codes, and rows of events that no row can say."""
    rows, left_out = rows_of("", events)
    new = encodings(rows)
    both = sorted(set(table) & set(new))
    found = [f"{e}:{m}: {table[e, m]} here, {new[e, m]} in Intel's file" for e, m in both if table[e, m] != new[e, m]]
    return len(both), found + [f"{e}:{m}: a row cannot say it" for e, m in sorted(table) if f"{e}.{m}" in left_out]


def self_test():
    test = checks.SelfTest()
    items = [
        {"EventName": "A.B.C", "EventCode": "0xd1", "UMask": "0x20", "CounterMask": "2", "Precise": "1"},
        {"EventName": "A.FIX", "EventCode": "0x00", "UMask": "0x01"},
        {"EventName": "A.D", "EventCode": "0xd1", "UMask": "0x01", "UMaskExt": "0x80", "EdgeDetect": "1", "Invert": "1"},
        {"EventName": "OCR.X.Y", "EventCode": "0x2A,0x2B", "UMask": "0x01", "MSRIndex": "0x1a6,0x1a7", "MSRValue": "0x10004"},
        {"EventName": "T.LOAD_LATENCY_GT_8", "EventCode": "0xcd", "UMask": "0x01", "MSRIndex": "0x3F6", "MSRValue": "0x8"},
        {"EventName": "I.U", "EventCode": "0xad", "UMask": "0x40", "MSRIndex": "0x3F7", "MSRValue": "0x7"},
        {"EventName": "OLD", "EventCode": "0x1", "UMask": "0x1", "Deprecated": "1"},
    ]
    events = [e for e in map(Event, items) if not e.deprecated]
    rows, left_out = rows_of("p", events)
    expected = [("p", "A", "0xd1", "", "", "", "precise", ""),
                ("p", "A", "0xd1", "B_C", "0x2002000", "0", "alone precise", "wired=c"),
                ("p", "A", "0xd1", "D", hex(0x100 | 1 << 18 | 1 << 23 | 0x80 << 40), "0", "alone", "wired=e i"),
                ("p", "A", "0xd1", "FIX", "0x100", "0", "alone code-override", ""),
                ("p", "OCR", "0x12a", "", "", "", "", ""),
                ("p", "OCR", "0x12a", "X_Y", "0x1000400", "0", "alone", ""),
                ("p", "T", "0xcd", "", "", "", "", ""),
                ("p", "T", "0xcd", "LOAD_LATENCY", "0x100", "0", "alone precise ldlat", ""),
                ("p", "T", "0xcd", "LOAD_LATENCY_GT_8", "0x100", "0", "alone precise", "equiv=LOAD_LATENCY:ldlat=8")]
    test.expect("the rows", [f"{g} for {w}" for g, w in zip(rows[len(ARCHITECTURAL):], expected) if g != w])
    test.expect("what has no row", left_out, "I.U")
    same = encodings(rows)
    test.expect("the same encodings", differences(same, events)[1])
    test.expect("another encoding", differences({**same, ("A", "D"): (1, 0)}, events)[1], "A:D: (1, 0) here")
    test.expect("another latency", differences({**same, ("T", "LOAD_LATENCY_GT_8"): (0x1CD, 9)}, events)[1], "T:LOAD_LATENCY_GT_8:")
    test.expect("an event that needs a register", differences({**same, ("I", "U"): (0x7AD, 0)}, events)[1], "I:U: a row cannot")
    test.exit()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", nargs="?", help="events/*_core.json of a processor")
    choice = options.add_mutually_exclusive_group(required=True)
    choice.add_argument("--pmu", help="print the rows of a table of this name")
    choice.add_argument("--check", metavar="PMU", help="compare with the table of this name")
    choice.add_argument("--self-test", action="store_true")
    args = options.parse_args()
    if args.self_test:
        self_test()
    if not args.file:
        options.error("FILE.json is missing")
    events = events_of(args.file)
    if args.pmu:
        rows, left_out = rows_of(args.pmu, events)
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        print(f"{len(rows)} rows; without one: {', '.join(left_out) or 'none'}", file=sys.stderr)
        return 0
    with open(DATA, encoding="utf-8") as lines:
        table = encodings(row for row in csv.reader(lines) if row and row[0] == args.check)
    both, found = differences(table, events)
    print("\n".join(found + [f"{both} encodings that both know, {len(found)} differ"]))
    return 1 if found or not both else 0


if __name__ == "__main__":
    sys.exit(main())
