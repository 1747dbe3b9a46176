"""Builds pairs of programs, runs both sides in turns under the agent, and asks csink for causes.

    measure.py --folder DIR [--same] [NAME...]

A pair is calibrated first: its slower part is repeated until B takes 0.2 s longer than A, so that a
change is large enough for five runs a side and each run is short.
"""

import argparse
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import threading
import time

import pairs

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "sources")
AGENT = os.environ.get("CSINK_E2E_AGENT", "")
TOOL = os.environ.get("CSINK_E2E_TOOL", "")
RUNS = 5
ADDED_SECONDS = 0.2
MOST_SECONDS = (0.6, 1.0)  # Of the slower part, of A and of B
LEAST_SECONDS = 0.12  # Less is not measured well beside other programs
MOST_REPETITIONS = 1 << 27
HANG_SECONDS = 120
SIDES = "AB"
COMPILERS = {"c++": "g++", "rust": "rustc", "go": "go", "python": "python3"}



class Skip(Exception):
    """The machine cannot show this pair; its text says why."""


class Trouble(Exception):
    """A step failed that must not."""


def execute(command, folder):
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, shell=True
    )
    if done.returncode != 0:
        raise Trouble(f"{command}: {done.stderr[:1500]}")


def clean_environment():
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CSINK_", "LD_", "GLIBC_"))}
    kept.update(LC_ALL="C", DEBUGINFOD_URLS="")
    return kept


def runnable_seconds(pid):
    """How long the main thread of an ended program waited for a processor: other programs' time."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0


class Bench:
    """The folder of all pairs: programs, inputs, profiles."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.work = os.path.join(self.folder, "work")
        os.makedirs(self.work, exist_ok=True)
        line = " ".join(["alpha beta gamma"] * 6) + "\n"
        for name, lines in (("input", 2000), ("input2", 4000)):
            with open(os.path.join(self.work, name), "w", encoding="utf-8") as file:
                file.write(line * lines)

    def program_folder(self, pair, side):
        return os.path.join(self.folder, "programs", pair.name, side)

    # Building.

    def build(self, pair):
        if shutil.which(COMPILERS[pair.language]) is None:
            raise Skip(f"{COMPILERS[pair.language]} is not installed")
        for i, side in enumerate(SIDES):
            folder = self.program_folder(pair, side)
            os.makedirs(folder, exist_ok=True)
            source = os.path.join(SOURCES, pair.source or pair.name)
            flags = f"{pair.flags[i]} {pair.slower[i]}"
            if pair.language == "rust":
                execute(f"rustc --edition 2021 -g {flags} {source}.rs -o program", folder)
            elif pair.language == "go":
                execute(f"go build {pair.slower[i]} -o {folder}/program .", source)
            elif pair.language == "c++":
                self._build_cpp(pair, i, source, flags, folder)

    @staticmethod
    def _build_cpp(pair, i, source, flags, folder):
        lto = "-flto" if "-flto" in flags else ""
        objects = "background.o task.o"
        execute(f"g++ -g -O2 {lto} -c {SOURCES}/background.cpp -o background.o", folder)
        execute(f"g++ -g {flags} -c {source}.cpp -o task.o", folder)
        if pair.part:
            execute(f"g++ -g {flags} -c {SOURCES}/{pair.part}.cpp -o part.o", folder)
            objects += " part.o"
        if pair.library:
            execute(
                f"g++ -g -O2 {pair.library[i]} -shared -fPIC {SOURCES}/pack_library.cpp"
                " -o libpack.so",
                folder,
            )
            objects += " -L. -Wl,--no-as-needed -lpack -Wl,-rpath,'$ORIGIN'"
        sanitizer = " ".join(f for f in flags.split() if f.startswith("-fsanitize"))
        optimised = f"-O2 {lto}" if lto else ""
        execute(f"g++ -g {optimised} {sanitizer} {objects} -o program -pthread", folder)

    # Running.

    def run(self, pair, side, repetitions, background=0, spool=None):
        """Seconds of one run that the program itself took. With `spool`, the agent writes its
        profile into that folder.
        """
        i = SIDES.index(side)
        folder = self.program_folder(pair, side)
        environment = clean_environment() | dict(pair.environment[i])
        if spool:
            shutil.rmtree(spool, ignore_errors=True)
            os.makedirs(spool)
            environment.update(
                LD_PRELOAD=AGENT,
                CSINK_SPOOL_DIR=spool,
                CSINK_REPORT="0",
                CSINK_WAIT="1",
                CSINK_STACKS="unwind",
            )
        command = [os.path.join(folder, "program")]
        if pair.language == "python":
            command = [sys.executable, os.path.join(SOURCES, pair.name + ".py")]
        command += [str(repetitions), str(background)]
        argument = pair.arguments[i].format(
            work=self.work, input=f"{self.work}/input", input2=f"{self.work}/input2"
        )
        if argument:
            command.append(argument)
        start = time.monotonic()
        with subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            alarm = threading.Timer(HANG_SECONDS, process.kill)
            alarm.start()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            alarm.cancel()
            seconds = time.monotonic() - start - runnable_seconds(process.pid)
        if process.returncode != 0:
            raise Trouble(f"{pair.name} {side} ended with {process.returncode}")
        return seconds

    def least_walls(self, pair, repetitions):
        """Of two runs of each side the faster one: other programs only add."""
        return {s: min(self.run(pair, s, repetitions) for _ in range(2)) for s in SIDES}

    def calibrate(self, pair):
        """How often the slower part is repeated."""
        empty = self.least_walls(pair, 0)

        def walls_of(repetitions):
            walls = self.least_walls(pair, repetitions)
            return {side: max(1e-6, walls[side] - empty[side]) for side in SIDES}

        repetitions = 1
        while True:
            walls = walls_of(repetitions)
            if max(walls.values()) > LEAST_SECONDS:
                again = walls_of(repetitions)
                walls = {side: min(walls[side], again[side]) for side in SIDES}
            if max(walls.values()) > LEAST_SECONDS or repetitions > MOST_REPETITIONS:
                break
            # Far below the aim nothing is measured: larger steps.
            repetitions *= 8 if max(walls.values()) < LEAST_SECONDS / 10 else 2
        added = walls["B"] - walls["A"]
        factor = min(MOST_SECONDS[0] / walls["A"], MOST_SECONDS[1] / walls["B"])
        if added > 0.003:
            factor = min(factor, ADDED_SECONDS / added)
        return max(1, round(repetitions * factor))

    def measure(self, pair, repetitions, same=False):
        """Runs A and B in turns, A before B as often as after. Returns the folders of the profiles
        of each side. `same`: the runs of B are runs of A, too.
        """
        spools = self.spools_of(pair, same)
        for i in range(RUNS):
            for k in (0, 1) if i % 2 == 0 else (1, 0):
                side = "A" if same else SIDES[k]
                self.run(pair, side, repetitions, pair.background, spools[k][i])
        return spools

    def spools_of(self, pair, same=False):
        folder = os.path.join(self.folder, "runs", pair.name + (".same" if same else ""))
        return [[os.path.join(folder, side, str(i)) for i in range(RUNS)] for side in SIDES]


def causes_of(spools):
    """The key `causes` of a comparison."""
    command = [TOOL, "diff", "--a", *spools[0], "--b", *spools[1], "--format", "json", "--quiet"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=clean_environment()
    )
    if done.returncode != 0:
        raise Trouble(f"csink diff: {done.stderr[:1500]}")
    return json.loads(done.stdout)["causes"]


class Verdict:
    """What csink said of a pair, beside the truth."""

    def __init__(self, pair, causes):
        self.pair = pair
        self.causes = causes["causes"]
        self.is_slower = causes["slower"]
        self.parts = causes["parts"]
        self.refusal = causes["refusal"]
        self.named = [c for c in self.causes if c["grade"] != "seen"]
        # Where no cause is accepted, "no cause found" is right.
        first = self.named[0]["kind"] if self.named else ""
        self.is_right = first in pair.accepted if pair.accepted else not first
        self.wrong_proofs = [
            c["kind"]
            for c in self.causes
            if c["grade"] == "proved" and c["kind"] not in pair.accepted
        ]

    def __str__(self):
        said = []
        for cause in self.causes[:3]:
            share = "" if cause["share"] is None else f" {cause['share']:.2f}"
            said.append(f"{cause['grade']} {cause['kind']}{share}")
        mark = "right" if self.is_right else "WRONG"
        if not self.is_slower:
            mark = "equal"
        wrong = f"  WRONGLY PROVED {self.wrong_proofs}" if self.wrong_proofs else ""
        accepted = " ".join(self.pair.accepted) or "none"
        return f"{mark} {self.pair.name:24} {accepted:38} {'; '.join(said) or 'nothing'}{wrong}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--same", action="store_true", help="A against itself")
    parser.add_argument("--again", action="store_true", help="ask again about kept runs")
    parser.add_argument("--sentences", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    bench = Bench(options.folder)
    for pair in pairs.HANDED + pairs.DECOYS + pairs.FRESH:
        if options.names and pair.name not in options.names:
            continue
        try:
            spools = bench.spools_of(pair, options.same)
            if not options.again:
                bench.build(pair)
                bench.measure(pair, bench.calibrate(pair), options.same)
            elif not os.path.isdir(spools[0][0]):
                continue
            if options.same:
                pair = dataclasses.replace(pair, accepted=())
            verdict = Verdict(pair, causes_of(spools))
            print(verdict, flush=True)
            if options.sentences and not (verdict.is_right and not verdict.wrong_proofs):
                for cause in verdict.causes[:5]:
                    print("     ", cause["grade"], cause["sentence"])
                for part in verdict.parts:
                    times = f"{part['was_seconds']:.3f} s, {part['seconds']:.3f} s"
                    print(f"      {part['part']}: {times}, p {part['p_value']:.4f}")
        except (Skip, Trouble) as problem:
            print(f"skip  {pair.name:24} {problem}", flush=True)


if __name__ == "__main__":
    main()
