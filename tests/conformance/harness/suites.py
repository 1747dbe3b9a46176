"""Runs whole suites over one library in one mode."""

import concurrent.futures
import os
import pathlib
import shutil
import tempfile

from . import modes, run
from .build import exported, library_file
from .catalogue import catalogue


class Place:
    """A library under test and where its scratch files go. `preload`: see tests/peers/known_cpu.c."""

    def __init__(self, library, scratch, preload=None, presets=None):
        self.folder = pathlib.Path(library).resolve()
        self.file = library_file(self.folder)
        self.names = exported(self.file)
        # Tests run in folders of their own: paths must hold there.
        self.scratch = pathlib.Path(scratch).resolve()
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.preload = preload
        self.presets = pathlib.Path(presets).resolve() if presets else modes.write_software_presets(self.scratch, preload)

    def environment(self, mode, bin_folder, output):
        """A folder with the library alone comes first: a build folder may hold others."""
        only = self.scratch / "lib"
        shutil.rmtree(only, ignore_errors=True)
        only.mkdir()
        (only / "libpapi.so.7.0").symlink_to(self.file)
        found = modes.environment(mode, only, bin_folder, self.presets, output)
        if self.preload:
            found["LD_PRELOAD"] = str(self.preload)
        return found


def chosen(mode, suites=(), names=()):
    """The tests to run in a mode: of these suites, or these alone ("reset" or "ctests/reset")."""
    return [t for t in catalogue() if not t.helper and mode not in t.without
            and (not suites or t.suite in suites) and (not names or t.name in names or t.key in names)]


def helpers():
    """Programs that tests start by name."""
    return [t for t in catalogue() if t.helper]


# At most, of a test that may be repeated: one repeat was not enough on a machine that others use, too.
REPEATS = 3


def run_suites(place, binaries, mode, tests, jobs=2, report=lambda key, outcome: None):
    """{key: Outcome}. Two at a time, longest first, and beside them the tests that only sleep; the tests marked
    `alone` follow, one by one, and last, alone as well, the repeats of the tests that may be repeated."""
    results, again = {}, []
    with tempfile.TemporaryDirectory(prefix="csink-conformance-") as output:
        environment = place.environment(mode, "", output)

        def once(test):
            path, lacking = binaries[test.key]
            if path is None:
                return run.Outcome(run.PENDING, " ".join(lacking))
            own = dict(environment, PATH=f"{path.parent}:{os.environ.get('PATH', '')}")
            wrong = run.wrong_library(path, own, place.file)
            return wrong or run.run_once(path, own, limit_s=test.limit_s)

        def note(test, outcome):
            results[test.key] = outcome
            if outcome.verdict in run.GOOD or not test.repeatable:
                report(test.key, outcome)
            else:
                again.append(test)

        together = sorted((t for t in tests if not t.alone), key=lambda t: -t.seconds)
        sleeping = [t for t in together if t.sleeps]
        with (concurrent.futures.ThreadPoolExecutor(jobs) as pool,
              concurrent.futures.ThreadPoolExecutor(max(1, len(sleeping))) as beside):
            waiting = {(beside if test.sleeps else pool).submit(once, test): test for test in together}
            for done in concurrent.futures.as_completed(waiting):
                note(waiting[done], done.result())
        for test in tests:
            if test.alone:
                note(test, once(test))
        for test in again:
            first = results[test.key]
            for _ in range(REPEATS):
                last = once(test)
                if last.verdict in run.GOOD:
                    break
            last.repeated = f"{first.verdict}: {first.detail}"
            results[test.key] = last
            report(test.key, last)
    return dict(sorted(results.items()))


def forty(place, binary, times=40, jobs=2):
    """How often `overflow` passes with the software presets, and what the others said."""
    with tempfile.TemporaryDirectory(prefix="csink-conformance-") as output:
        environment = place.environment("software", binary.parent, output)
        wrong = run.wrong_library(binary, environment, place.file)
        if wrong:
            return 0, [wrong.detail]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            outcomes = list(pool.map(lambda _: run.run_once(binary, environment), range(times)))
    others = [f"{o.verdict}: {o.detail}" for o in outcomes if o.verdict != run.PASSED]
    return times - len(others), others
