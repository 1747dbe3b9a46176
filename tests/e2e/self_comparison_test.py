"""csink diff of programs with themselves: how often anything is marked.

Five programs run in turn, so that a change of the machine's load meets all of them alike. Comparisons draw
their runs from those of one program at random. Two variables choose the size:
  CSINK_E2E_RUNS         runs of each program (60)
  CSINK_E2E_COMPARISONS  comparisons of each program for each number of runs a side (67: 1,005 together)
"""

import json
import math
import os
import random
import shutil

from csink_e2e import E2eTest, main

RUNS = int(os.environ.get("CSINK_E2E_RUNS", "60"))
COMPARISONS = int(os.environ.get("CSINK_E2E_COMPARISONS", "67"))
RUNS_A_SIDE = (1, 5, 20)
LEVEL = 0.05

PYTHON_LOOP = """
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
print(max(collatz(n) for n in range(1, 30000)), len({str(n): [n] for n in range(200000)}))
"""


def most_by_chance(trials):
    """So many of `trials` may have a mark at a probability of 5 % each (99.99 %)."""
    return LEVEL * trials + 3.719 * math.sqrt(LEVEL * (1 - LEVEL) * trials) + 1


class SelfComparison(E2eTest):
    def programs(self):
        """Name and command of each program."""
        dice = random.Random(3)
        data = os.path.join(self.folder, "data")
        with open(data, "w", encoding="ascii") as file:
            for _ in range(60000):
                file.write(" ".join(str(dice.randrange(10 ** 6)) for _ in range(6)) + "\n")
        wanted = {"split": ["split", 400],
                  "python3": ["python3", "-c", PYTHON_LOOP],
                  "xz": ["xz", "-2", "-c", "-T1", data],
                  "gzip": ["gzip", "-9", "-c", data],
                  "sort": ["sort", "--parallel=1", "-k3n", data]}
        missing = [name for name in wanted if name != "split" and not shutil.which(name)]
        if missing:
            self.skipTest("no " + ", ".join(missing))
        return {name: [shutil.which(c[0]) if name != "split" else "split"] + c[1:]
                for name, c in wanted.items()}

    def make_runs(self):
        """Files of JSON reports, by program."""
        runs = {}
        programs = self.programs()
        for i in range(RUNS):
            for name, command in programs.items():
                path = os.path.join(self.folder, f"{name}.{i}.json")
                run = self.run_agent(*command)
                self.assertEqual(run.status, 0, run.stderr)
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(run.report, file)
                shutil.rmtree(run.folder)
                runs.setdefault(name, []).append(path)
        return runs

    def has_mark(self, a, b):
        status, out, err = self.run_tool("diff", "--format", "json", "--a", *a, "--b", *b)
        self.assertEqual(status, 0, err)
        return any(row["significant"] for row in json.loads(out)["rows"])

    def test_few_comparisons_of_a_program_with_itself_have_a_mark(self):
        dice = random.Random(7)
        runs = self.make_runs()
        for side in RUNS_A_SIDE:
            if 2 * side > RUNS:
                continue
            marks = {}
            for name, paths in runs.items():
                drawn = [dice.sample(paths, 2 * side) for _ in range(COMPARISONS)]
                marks[name] = sum(self.has_mark(d[:side], d[side:]) for d in drawn)
            trials = COMPARISONS * len(runs)
            print(f"{side} runs a side: {sum(marks.values())} of {trials} with a mark: {marks}", flush=True)
            self.assertLessEqual(sum(marks.values()), most_by_chance(trials), marks)


if __name__ == "__main__":
    main()
