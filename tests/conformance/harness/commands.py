"""What scripts/conformance does for each of its options."""

import collections
import datetime
import json
import pathlib
import platform
import shutil
import subprocess
import time

from . import expect, guest, page as pages, run, suites, tools
from .build import Builder, BuildError

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODES = ("plain", "software", "forty", "tools", "guest")
DEBIAN_HEADER = pathlib.Path("/usr/include")
OUR_HEADER = ROOT / "compat" / "papi" / "include"
DEBIAN_LIBRARY = pathlib.Path("/usr/lib/x86_64-linux-gnu")
SKIP = 77


def what_is_missing():
    """Why the suites cannot run on this machine, or None."""
    from .catalogue import EXAMPLES
    for what, there in (("papi-examples", EXAMPLES.is_dir()), ("papi-tools", shutil.which("papi_avail")),
                        ("libpapi-dev", (DEBIAN_HEADER / "papi.h").is_file()),
                        ("libsde1", (DEBIAN_LIBRARY / "libsde.so").exists()),
                        ("gfortran", shutil.which("gfortran"))):
        if not there:
            return f"Debian's package {what} is not installed (scripts/test installs it)"
    return None


def builder_for(args, header, place):
    """Against Debian's header the names come from Debian's library: a program that was linked there
    must run here."""
    debian = header.resolve() == DEBIAN_HEADER
    folder = args.build / ("debian" if debian else "ours")
    return Builder(folder, header, DEBIAN_LIBRARY if debian else place.folder, place.names,
                   fortran=fortran_header(header, place.folder))


def fortran_header(header, library):
    """The folder with fpapi.h: an installation has it beside papi.h, a build beside the library's folder."""
    made = pathlib.Path(library).resolve().parent / "fortran" / "include"
    return header if (header / "fpapi.h").is_file() or not made.is_dir() else made


# A test that takes longer is not run with both headers when both make the same code of it.
LONG_S = 3


def split_same_code(args, place, builder, tests):
    """(tests to run, the long ones of which our header makes the same code, byte for byte)."""
    ours = builder_for(args, OUR_HEADER, place)
    ours.shared()
    builder.shared()
    same = [t for t in tests if t.seconds > LONG_S and builder.code(t) == ours.code(t)]
    return [t for t in tests if t not in same], same


class Screen:
    """Prints each verdict as it comes, and the table at the end."""

    def __init__(self, verbose):
        self.verbose = verbose

    def __call__(self, key, outcome):
        if outcome.verdict == run.PASSED and not outcome.repeated:
            return
        print(f"  {outcome.verdict:8} {key}" + (f": {outcome.detail}" if outcome.detail else "")
              + (f"  (a repeat; first {outcome.repeated})" if outcome.repeated else ""), flush=True)
        if self.verbose and outcome.verdict not in run.GOOD:
            print("".join(f"    | {line}\n" for line in outcome.output.splitlines()[-40:]), end="")

    @staticmethod
    def summary(mode, results, seconds):
        per_suite = collections.defaultdict(collections.Counter)
        for key, outcome in results.items():
            per_suite[key.split("/")[0]][outcome.verdict] += 1
        for suite, counts in per_suite.items():
            print(f"{mode:9} {suite:11} " + ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
        print(f"{mode:9} {seconds:.0f} s, {sum(o.cpu_s for o in results.values()):.0f} s of processor time")


def measure(args, place, mode, screen):
    """Results of one mode; "forty" is one result."""
    if mode == "tools":
        return {**{f"{k} (plain)": o for k, o in tools.run_tools(place, "plain", screen).items()},
                **{f"{k} (software)": o for k, o in tools.run_tools(place, "software", screen).items()}}
    if mode == "guest":
        return guest.measure(args, place.folder, args.header, screen)
    builder = builder_for(args, args.header, place)
    began = time.monotonic()
    if mode == "forty":
        [test] = suites.chosen("software", names=["ctests/overflow"])
        path, lacking = builder.all([test], args.jobs)[test.key]
        if path is None:
            return {"forty/overflow": run.Outcome(run.PENDING, " ".join(lacking))}
        passed, others = suites.forty(place, path, jobs=args.jobs)
        verdict = run.PASSED if not others else run.FAILED
        outcome = run.Outcome(verdict, f"{passed} of {passed + len(others)} passed" + "".join(f"; {o}" for o in others[:3]))
        screen("forty/overflow", outcome)
        return {"forty/overflow": outcome}
    tests = suites.chosen(mode, args.suite, args.only)
    if args.header.resolve() == DEBIAN_HEADER and not (args.only or args.all):
        tests, same = split_same_code(args, place, builder, tests)
        print(f"{len(same)} tests of more than {LONG_S} s have the code that our header makes, byte for byte, and run "
              "with that alone (--all: here too): " + " ".join(t.name for t in same), flush=True)
    binaries = builder.all(None if not args.only else [*tests, *suites.helpers()], args.jobs)
    print(f"built {builder.built} targets in {time.monotonic() - began:.0f} s, header {args.header}", flush=True)
    return suites.run_suites(place, binaries, mode, tests, args.jobs, screen)


def run_modes(args):
    reason = what_is_missing()
    if reason:
        print(f"skipped: {reason}")
        return SKIP
    if "guest" in args.mode:
        args.library = args.library or ROOT / "build" / "guest" / "compat" / "papi"
        args.header = args.header or ROOT / "compat" / "papi" / "include"
        reason = guest.missing(args.library)
        if reason:
            print(f"skipped: {reason}")
            return SKIP
    screen, status, everything = Screen(args.verbose), 0, {}
    expected = expect.load(args.expect) if args.expect != "none" else None
    try:
        place = suites.Place(args.library, args.build / "scratch", presets=args.presets)
        for mode in args.mode:
            began = time.monotonic()
            results = measure(args, place, mode, screen)
            screen.summary(mode, results, time.monotonic() - began)
            everything[mode] = results
            if expected and not args.update:
                status |= judge(results, mode, expected)
    except BuildError as problem:
        print(problem)
        return 1
    if args.json:
        args.json.write_text(json.dumps({m: {k: o.record() for k, o in r.items()} for m, r in everything.items()}, indent=1))
    if args.update:
        update_ours(everything)
    return status


def judge(results, mode, expected):
    worse, better = expect.compare(results, mode, expected)
    for line in better:
        print(f"  better than expected: {line}")
    for line in worse:
        print(f"  REGRESSION {line}")
    print(f"{mode:9} {'as expected' if not worse else f'{len(worse)} regression(s)'}")
    return 1 if worse else 0


def update_ours(everything):
    """New verdicts into expected-ours.json; a reason stays while its verdict stays."""
    data = expect.load("ours")
    for mode, results in everything.items():
        for key, outcome in results.items():
            entry = data["tests"].setdefault(key, {}).setdefault(mode, {})
            if entry.get("verdict") != outcome.verdict:
                entry.pop("reason", None)
            entry["verdict"] = outcome.verdict
            if outcome.verdict == run.PASSED:
                entry.pop("reason", None)
    expect.store("ours", data)
    for line in expect.faults(data):
        print(f"  to be written: {line}")


def known_cpu(folder):
    """The preload object with which Debian's library works on a processor that libpfm4 does not know,
    or None where it needs none."""
    said = subprocess.run(["papi_component_avail"], capture_output=True, text=True, check=False).stdout
    if "no default PMU found" not in said:
        return None
    print("libpfm4 does not know this processor, so Debian's library disables perf_event; "
          "tests/peers/known_cpu.c is preloaded for it")
    target = folder / "known_cpu.so"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", target, ROOT / "tests" / "peers" / "known_cpu.c", "-ldl"],
                   check=True)
    return target


def baseline(args):
    """Debian's library in every mode; what was written by hand stays."""
    reason = what_is_missing()
    if reason:
        print(f"skipped: {reason}")
        return SKIP
    screen, data = Screen(args.verbose), expect.load("debian")
    # Mode guest is given Debian's arm64 library and its header; the others find theirs.
    args.header, args.all = args.header or DEBIAN_HEADER, True
    place = suites.Place(args.library or DEBIAN_LIBRARY, args.build / "scratch-debian", preload=known_cpu(args.build))
    for mode in args.mode or ("plain", "software", "forty", "tools"):
        began = time.monotonic()
        results = measure(args, place, mode, screen)
        screen.summary(mode, results, time.monotonic() - began)
        for key, outcome in results.items():
            modes = data["tests"].setdefault(key, {})
            modes[mode] = measured(outcome, modes.get(mode, {}))
    if args.library:
        expect.store("debian", data)
        return 0
    data["measured"] = {"library": debian_version(), "kernel": platform.release().split("-")[0],
                        "date": datetime.date.today().isoformat(), "preload": "known_cpu.c" if place.preload else ""}
    expect.store("debian", data)
    for line in expect.faults(data):
        print(f"  to be written: {line}")
    return 0


def measured(outcome, old):
    """The entry of one outcome. A test whose verdict changes from run to run keeps the one that is
    written down, with the others in "also"."""
    if outcome.verdict in old.get("also", ()):
        return old
    entry = {"verdict": outcome.verdict}
    if outcome.detail and outcome.verdict != run.PASSED or outcome.detail.startswith("status"):
        entry["said"] = outcome.detail
    if old.get("verdict") == outcome.verdict:
        entry.update({name: old[name] for name in ("reason", "also") if name in old})
    return entry


def debian_version():
    return subprocess.run(["dpkg-query", "-W", "-f", "libpapi ${Version}", "libpapi7.0"],
                          capture_output=True, text=True, check=False).stdout


def page(args):
    return pages.command(check=args.check)
