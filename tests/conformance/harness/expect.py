"""What every test is expected to say, and whether it said so.

expected-debian.json is a measurement of Debian's library; expected-ours.json is the promise. Both:
{"tests": {KEY: {MODE: {"verdict": V, "reason": R}}}, "reasons": {R: sentence}}. A verdict other than
"passed" needs a reason.
"""

import json
import pathlib

from . import run

FOLDER = pathlib.Path(__file__).resolve().parents[1]
FILES = {"ours": FOLDER / "expected-ours.json", "debian": FOLDER / "expected-debian.json"}
# Fail with Debian's library for one cause: it asks whether it may count instructions before it
# multiplexes, attaches or inherits any event. Ours must pass them with software presets.
WANT_OF_A_PROBE = tuple(f"ctests/{name}" for name in """
inherit kufrin max_multiplex mendes-alt multiattach multiattach2 multiplex1 multiplex1_pthreads
multiplex2 multiplex3_pthreads reset_multiplex sdsc-mpx sdsc2-mpx sdsc2-mpx-noreset sdsc4-mpx second
zero_attach""".split())


def load(whose):
    path = FILES[whose]
    return json.loads(path.read_text()) if path.is_file() else {"reasons": {}, "tests": {}}


def store(whose, data):
    ordered = dict(data, tests=dict(sorted(data["tests"].items())), reasons=dict(sorted(data["reasons"].items())))
    FILES[whose].write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")


def goals(debian):
    """Tests that ours must pass in mode software: what Debian's passes, the 17, and `overflow`."""
    passed = {key for key, modes in debian["tests"].items()
              if key.startswith("ctests/") and modes.get("software", {}).get("verdict") == run.PASSED}
    return passed | set(WANT_OF_A_PROBE) | {"ctests/overflow"}


def faults(data):
    """Entries that promise less than "passed" without saying why."""
    found = []
    for key, modes in data["tests"].items():
        for mode, entry in modes.items():
            reason = entry.get("reason")
            if entry["verdict"] != run.PASSED and not reason:
                found.append(f"{key} ({mode}): {entry['verdict']} without a reason")
            elif reason and reason not in data["reasons"]:
                found.append(f"{key} ({mode}): no sentence for reason {reason}")
    used = {e.get("reason") for modes in data["tests"].values() for e in modes.values()}
    return found + [f"reason {name} is used nowhere" for name in data["reasons"] if name not in used]


def short_of_goal(ours, debian):
    """(key, reason) of the goals that ours does not promise."""
    return [(key, ours["tests"].get(key, {}).get("software", {}).get("reason", "not listed"))
            for key in sorted(goals(debian))
            if ours["tests"].get(key, {}).get("software", {}).get("verdict") != run.PASSED]


def compare(results, mode, data):
    """(regressions, better): lines about what is worse and what is better than expected."""
    worse, better = [], []
    for key, outcome in results.items():
        entry = data["tests"].get(key, {}).get(mode)
        if entry is None:
            worse.append(f"{key}: {outcome.verdict}, but no expectation is written down for mode {mode}")
        elif outcome.verdict == entry["verdict"] or outcome.verdict in entry.get("also", ()):
            continue
        elif outcome.verdict == run.PASSED:
            better.append(f"{key}: passed, expected {entry['verdict']} ({entry.get('reason')})")
        else:
            worse.append(f"{key}: {outcome.verdict} instead of {entry['verdict']}: {outcome.detail}")
    return worse, better
