#!/usr/bin/env python3
"""Sums up the regions of a program that used PAPI's high-level interface.

Reads the files of DIRECTORY, one for each rank, and writes a summary of each region to papi_sum.json, or with
--type detail each visit of each thread to papi.json, and to standard output. The output is that of papi-tools 7.0's
program of this name. With --notation derived, times are in seconds, cycles are left out and rates are computed.
"""

import argparse
import json
import pathlib
import statistics
import sys

TIME, CPU_TIME = "real_time_nsec", "perf::TASK-CLOCK"
NAMES = {TIME: "Real time in s", CPU_TIME: "CPU time in s"}
RATES = {
    "PAPI_FP_INS": "MFLIPS/s",
    "PAPI_VEC_SP": "Single precision vector/SIMD instructions rate in M/s",
    "PAPI_VEC_DP": "Double precision vector/SIMD instructions rate in M/s",
    "PAPI_FP_OPS": "MFLOPS/s",
    "PAPI_SP_OPS": "Single precision MFLOPS/s",
    "PAPI_DP_OPS": "Double precision MFLOPS/s",
}


def two_digits(value):
    return float(f"{value:.2f}")


def seconds(nanoseconds):
    return two_digits(float(nanoseconds) / 1e9)


def quotient(above, below, failed):
    try:
        return two_digits(float(above) / float(below))
    except (ArithmeticError, ValueError):
        return failed


def each(function, *values):
    """The function of numbers, or of the numbers of several reads (PAPI_hl_read) one by one."""
    if isinstance(values[0], dict):
        return {key: function(*row) for key, row in zip(values[0], zip(*(value.values() for value in values)))}
    return function(*values)


def read_ranks(source):
    """The definitions of the events, and the ranks in the order of the files' names (rank_<number>.json)."""
    definitions, ranks = {}, {}
    for path in sorted(source.iterdir()):
        with open(path, encoding="utf-8") as text:
            report = json.load(text)
        number = path.name.split("_", 1)[-1].rsplit(".", 1)[0]
        definitions = definitions or report["event_definitions"]
        ranks[str(int(number) if number.isdigit() else len(ranks))] = {"threads": report["threads"]}
    return definitions, ranks


class Values:
    """The values of one event in all visits of a region."""

    def __init__(self):
        self.least, self.middle, self.most = [], [], []

    def add(self, value):
        if isinstance(value, dict) and "region_value" in value:
            value = float(value["region_value"])
        # An instant event has statistics of its own.
        row = [value[key] for key in ("min", "avg", "max")] if isinstance(value, dict) else [value] * 3
        for values, one in zip((self.least, self.middle, self.most), row):
            values.append(int(one))

    def shown(self, is_sum):
        median = statistics.median(self.middle)
        if len(self.middle) % 2 == 0:
            median = float(median)
        total = {"total": sum(self.middle)} if is_sum else {}
        return {**total, "min": min(self.least), "median": median, "max": max(0, *self.most)}


class Region:
    def __init__(self):
        self.count, self.events, self.threads = 0, {}, set()

    def add(self, thread, visit):
        self.count += 1
        self.threads.add(thread)
        for name, value in visit.items():
            if name not in ("name", "parent_region_id"):
                self.events.setdefault(name, Values()).add(value)

    def shown(self, definitions):
        def is_sum(name):
            definition = definitions.get(name, {})
            counts = definition.get("type") == "delta" and definition.get("component") == "perf_event"
            return name in ("cycles", TIME) or counts

        result = {"region_count": self.count}
        for name, values in self.events.items():
            result[name] = values.shown(is_sum(name)) if self.count > 1 else min(values.least)
        ranks = len({rank for rank, _ in self.threads})
        if len(self.threads) > 1:
            result["Number of ranks"] = ranks
            result["Number of threads per rank"] = len(self.threads) // ranks
        return result


def summary(definitions, ranks):
    regions = {}
    for rank, threads in ranks.items():
        for thread, about in threads["threads"].items():
            for visit in about["regions"].values():
                regions.setdefault(visit.get("name", "unknown"), Region()).add((rank, thread), visit)
    return {name: region.shown(definitions) for name, region in regions.items()}


def derive_summary(events):
    events = dict(events)
    count = events.pop("region_count")
    events.pop("cycles", None)

    def total(value):
        return value.get("total", "n/a") if isinstance(value, dict) else value

    result, time = {"Region count": count}, 0.0
    if TIME in events:
        value = events.pop(TIME)
        time = seconds(total(value))
        result[NAMES[TIME]] = seconds(value["max"]) if isinstance(value, dict) else time
    if CPU_TIME in events:
        result[NAMES[CPU_TIME]] = seconds(total(events.pop(CPU_TIME)))
    if "PAPI_TOT_INS" in events and "PAPI_TOT_CYC" in events:
        result["IPC"] = quotient(total(events.pop("PAPI_TOT_INS")), total(events.pop("PAPI_TOT_CYC")), "n/a")
    for event, name in RATES.items():
        if event in events:
            result[name] = quotient(total(events.pop(event)), 1e6 * time, "n/a")
    return {**result, **events}


def derive_visit(events):
    events = dict(events)
    for name in ("parent_region_id", "cycles"):
        events.pop(name, None)
    result, time = {}, 1.0
    if "name" in events:
        result["name"] = events.pop("name")
    for name, title in NAMES.items():
        if name in events:
            result[title] = each(seconds, events.pop(name))
    time = result.get(NAMES[TIME], time)
    if "PAPI_TOT_INS" in events and "PAPI_TOT_CYC" in events:
        result["IPC"] = each(lambda a, b: quotient(a, b, 0.0), events.pop("PAPI_TOT_INS"), events.pop("PAPI_TOT_CYC"))
    for event, name in RATES.items():
        if event in events:
            value = events.pop(event)
            failed = 0.0 if isinstance(value, dict) else 0
            result[name] = each(lambda a, b, failed=failed: quotient(a, 1e6 * b, failed), value, time)
    return {**result, **{name: each(lambda a: two_digits(float(a)), value) for name, value in events.items()}}


def derive_detail(ranks):
    for threads in ranks.values():
        for about in threads["threads"].values():
            about["regions"] = {number: derive_visit(visit) for number, visit in about["regions"].items()}
    return ranks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", metavar="DIRECTORY", type=pathlib.Path, default="papi_hl_output",
                        help="the files of the program (papi_hl_output)")
    parser.add_argument("--format", choices=("json",), default="json")
    parser.add_argument("--type", choices=("detail", "summary"), default="summary", help="(summary)")
    parser.add_argument("--notation", choices=("raw", "derived"), default="derived", help="(derived)")
    args = parser.parse_args()
    is_derived = args.notation == "derived"
    try:
        definitions, ranks = read_ranks(args.source)
        if args.type == "summary":
            result = summary(definitions, ranks)
            if is_derived:
                result = {name: derive_summary(region) for name, region in result.items()}
        else:
            result = {"ranks": derive_detail(ranks) if is_derived else ranks}
        text = json.dumps(result, indent=4, ensure_ascii=False)
        with open("papi_sum.json" if args.type == "summary" else "papi.json", "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"papi_hl_output_writer: {args.source}: {error!r}", file=sys.stderr)
        return 1
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
