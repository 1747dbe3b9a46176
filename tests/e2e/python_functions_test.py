"""Python functions in every table, against the CPU time that each program measures of its own functions.

The interpreters are those of the machine: /usr/bin/python3 and what CSINK_E2E_PYTHONS names, where they are 3.11 or later.
"""

import glob
import json
import os
import signal
import subprocess
import sys

import csink_e2e
from csink_e2e import E2eTest, total_samples

# Each program calls functions in turns, and prints how much CPU time each took: a JSON object by name. They allocate little:
# the time of the kernel for new memory is in their clocks, and not in samples of user code.
HEAD = """
import json, sys, time
from time import thread_time
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
spent = {}
def turns(*calls, seconds=None):
    end = thread_time() + (seconds or SECONDS)
    while thread_time() < end:
        for name, call, *args in calls:
            begin = thread_time()
            call(*args)
            spent[name] = spent.get(name, 0.0) + thread_time() - begin
"""
TAIL = """
print(json.dumps(spent))
"""

SPLIT = HEAD + """
def seven(n):
    s = 0
    for i in range(n):
        s += i * i % 7
    return s
def three(n):
    s = 0
    for i in range(n):
        s += i * i % 7
    return s
turns(("seven", seven, 7000), ("three", three, 3000))
""" + TAIL

WORDS = HEAD + """
import re, zlib
TEXT = " ".join("word%d %d" % (i % 97, i) for i in range(4000))
BLOB = TEXT.encode() * 4
PATTERN = re.compile("word([0-9]+) [0-9]+7")
WORDS = TEXT.split()
seen = {}
def count_words():
    for word in WORDS:
        seen[word] = seen.get(word, 0) + 1
def squeeze():
    return zlib.compress(BLOB, 6)
def search():
    return len(PATTERN.findall(TEXT))
class Pair:
    def __init__(self, x):
        self.x = x
    def grow(self, n):
        total = 0
        while n:
            total += self.x
            n -= 1
        return total
turns(("count_words", count_words), ("squeeze", squeeze), ("search", search), ("Pair.grow", Pair(3).grow, 20000))
""" + TAIL

THREADS = HEAD + """
import threading
def heavy(n):
    x = 1
    for i in range(n):
        x = (x * 31 + i) & 0xffff
    return x
def light(n):
    x = 1
    for i in range(n):
        x = (x * 31 + i) & 0xffff
    return x
def work():
    mine = [0.0, 0.0]
    end = thread_time() + SECONDS / 4
    while thread_time() < end:
        a = thread_time(); heavy(6000); b = thread_time(); light(2000); c = thread_time()
        mine[0] += b - a; mine[1] += c - b
    sums.append(mine)
sums = []
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
spent = {"heavy": sum(s[0] for s in sums), "light": sum(s[1] for s in sums)}
""" + TAIL

NAMES = HEAD + """
def größe(n):
    return sum(i & 3 for i in range(n))
def outer():
    def inner(n):
        s = 0
        for i in range(n): s ^= i
        return s
    return inner
scope = {}
exec(compile("def made(n):\\n  s = 0\\n  for i in range(n): s |= i\\n  return s\\n", "<made up>", "exec"), scope)
long_name = "f" * 6000
exec("def %s(n):\\n  s = 0\\n  for i in range(n): s += i\\n  return s\\n" % long_name, scope)
turns(("größe", größe, 4000), ("outer", outer(), 8000), ("made", scope["made"], 8000), ("long", scope[long_name], 8000))
""" + TAIL


def interpreters():
    """Interpreters of this machine that can be named, by version."""
    found = {}
    for path in ["/usr/bin/python3", *os.environ.get("CSINK_E2E_PYTHONS", "").split()]:
        try:
            out = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True,
                                 env=csink_e2e.clean_environment())
        except OSError:
            continue
        version = tuple(int(n) for n in out.stdout.split()) if out.returncode == 0 else (0, 0)
        if version >= (3, 11):
            found[version] = path
    return found


class PythonFunctions(E2eTest):
    def setUp(self):
        super().setUp()
        if os.uname().machine != "x86_64":
            self.skipTest("Python functions are named on x86-64 alone")
        self.pythons = interpreters()
        if not self.pythons:
            self.skipTest("no Python 3.11 or later on this machine")

    def shares(self, report):
        """By Python function: its share of all samples."""
        every = total_samples(report)
        shares = {}
        for row in report["functions"]:
            if row["module"] == "[python]":
                shares[row["function"]] = shares.get(row["function"], 0) + row["events"][0]["samples"] / every
        return shares

    def measure(self, python, source, **env):
        folder = self.fresh_folder()
        environment = csink_e2e.agent_environment(folder, CSINK_OUTPUT=os.path.join(folder, "%p.json"), **env)
        done = subprocess.run([python, "-c", source, "2"], env=environment, capture_output=True, text=True, timeout=90)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        reports = glob.glob(os.path.join(folder, "*.json"))
        self.assertEqual(len(reports), 1, done.stderr[-2000:])
        with open(reports[0], encoding="utf-8") as file:
            return json.loads(done.stdout), json.load(file)

    def compare(self, spent, report, names=None):
        """Each function's part of the named ones, within 2 points and its sampling error."""
        shares = self.shares(report)
        names = names or {name: name for name in spent}
        all_spent = sum(spent.values())
        all_samples = sum(shares.get(names[name], 0) for name in spent)
        count = all_samples * total_samples(report)
        self.assertGreater(all_samples, 0.9, shares)
        for name in spent:
            truth = spent[name] / all_spent
            seen = shares.get(names[name], 0) / all_samples
            error = csink_e2e.Z_9999 * (truth * (1 - truth) / count) ** 0.5
            self.assertLess(abs(seen - truth), 0.02 + error, (name, truth, seen, count))

    def test_shares_are_those_that_the_program_measured(self):
        for version, python in self.pythons.items():
            with self.subTest(version=version):
                spent, report = self.measure(python, SPLIT)
                self.compare(spent, report)
                lines = {row["line"] for row in report["lines"] if row["function"] == "seven"}
                # Of the function alone: its loop is in lines 16 to 18.
                self.assertLessEqual(lines - {0}, set(range(15, 21)), lines)
                self.assertTrue({17, 18} & lines, lines)

    def test_threads(self):
        for version, python in self.pythons.items():
            with self.subTest(version=version):
                spent, report = self.measure(python, THREADS)
                self.compare(spent, report)

    def test_a_held_out_mixture_and_its_c_code(self):
        for version, python in self.pythons.items():
            with self.subTest(version=version):
                spent, report = self.measure(python, WORDS)
                self.compare(spent, report)
                rows = {row["function"]: row for row in report["functions"] if row["module"] == "[python]"}
                below = {name: sum(n["events"][0]["share"] for n in rows[name].get("native", ())) / rows[name]["events"][0]["share"]
                         for name in spent}
                self.assertGreater(below["squeeze"], 0.95, below)
                self.assertGreater(below["search"], 0.9, below)
                # A loop over small numbers calls some C, and mostly none.
                self.assertLess(below["Pair.grow"], 0.8, below)

    def test_names_of_all_kinds(self):
        python = next(iter(self.pythons.values()))
        spent, report = self.measure(python, NAMES)
        inner = sum(share for name, share in self.shares(report).items() if name.startswith("größe"))
        self.assertGreater(inner, 0.1)
        shares = self.shares(report)
        self.assertGreater(shares["outer.<locals>.inner"], 0.1)
        self.assertGreater(shares["made"], 0.1)
        self.assertGreater(shares["f" * 4096], 0.1)  # a longer name is cut
        lines = {row["line"] for row in report["functions"] if row["function"] == "made"}
        self.assertTrue(any(line.startswith("<made up>:") for line in lines), lines)

    def test_machine_code_where_asked(self):
        python = next(iter(self.pythons.values()))
        _, report = self.measure(python, SPLIT, CSINK_PYTHON="off")
        self.assertEqual(self.shares(report), {})
        folder = self.fresh_folder()
        env = csink_e2e.agent_environment(folder, CSINK_REPORT="0")
        subprocess.run([python, "-c", SPLIT, "1"], env=env, capture_output=True, check=True, timeout=90)
        (spool,) = glob.glob(os.path.join(env["CSINK_SPOOL_DIR"], "*.csink"))
        merged = os.path.join(folder, "sum.csink")
        status, _, err = self.run_tool("merge", "-o", merged, spool)
        self.assertEqual(status, 0, err)
        for file in (spool, merged):
            status, out, err = self.run_tool("report", "--by", "native", file)
            self.assertEqual(status, 0, err)
            self.assertIn("_PyEval_EvalFrameDefault", out)
            self.assertNotIn("seven", out)
            status, out, err = self.run_tool("report", "--format", "json", file)
            self.assertEqual(status, 0, err)
            self.assertGreater(self.shares(json.loads(out))["seven"], 0.5)

    def test_names_survive_a_kill_and_a_fork(self):
        python = next(iter(self.pythons.values()))
        source = SPLIT.replace("print(json", "import os\nif os.fork() == 0: turns((\"child\", seven, 7000)); os._exit(0)\n"
                               "os.wait()\nos.kill(os.getpid(), 9)\nprint(json")
        folder = self.fresh_folder()
        env = csink_e2e.agent_environment(folder, CSINK_REPORT="0")
        done = subprocess.run([python, "-c", source, "1"], env=env, capture_output=True, timeout=90)
        self.assertEqual(done.returncode, -signal.SIGKILL)
        spools = glob.glob(os.path.join(env["CSINK_SPOOL_DIR"], "*.csink"))
        self.assertEqual(len(spools), 2)
        status, out, err = self.run_tool("report", "--format", "json", *spools)
        self.assertEqual(status, 0, err)
        report = json.loads(out)
        self.assertGreater(self.shares(report)["seven"], 0.6)
        self.assertGreater(self.shares(report)["three"], 0.05)

    def test_callers_of_a_function_are_not_made_up(self):
        python = next(iter(self.pythons.values()))
        spent, report = self.measure(python, SPLIT, CSINK_STACKS="unwind")
        self.compare(spent, report)
        callers = {row["function"]: {c["function"] for c in row["callers"]} for row in report["callers"]}
        self.assertIn("[python callers not known]", callers["seven"])
        self.assertLessEqual(callers["seven"], {"[python callers not known]", "[cut]", "[not known]"})

    def test_attached_from_outside(self):
        python = next(iter(self.pythons.values()))
        program = subprocess.Popen([python, "-c", SPLIT, "4"], stdout=subprocess.PIPE, env=csink_e2e.clean_environment())
        try:
            csink_e2e.wait_until_burned(program.pid, 0.5)
            folder = self.fresh_folder()
            status, out, err = self.run_tool("attach", "--duration", "2", "--format", "json", str(program.pid),
                                             CSINK_SPOOL_DIR=folder)
            self.assertEqual(status, 0, err)
            self.compare(json.loads(program.communicate()[0]), json.loads(out))
        finally:
            program.kill()
            program.wait()

    def test_subinterpreters(self):
        python = next(iter(self.pythons.values()))
        source = SPLIT.replace("turns((", "import importlib\nfor name in ('_xxsubinterpreters', '_interpreters'):\n"
                               "  try: sub = importlib.import_module(name); break\n  except ImportError: sub = None\n"
                               "own = sub.create() if sub else None\n"
                               "CODE = 'def deep(n):\\n s = 0\\n for i in range(n): s += i * i % 7\\n return s\\n'\n"
                               "if sub: sub.run_string(own, CODE)\n"
                               "def elsewhere(): sub.run_string(own, 'for _ in range(20): deep(10000)')\n"
                               "if sub: turns((\"deep\", elsewhere))\nturns((", 1)
        spent, report = self.measure(python, source)
        if "deep" not in spent:
            self.skipTest("this interpreter has no subinterpreters")
        self.compare(spent, report)


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--show":
        print(interpreters())
        return
    csink_e2e.main()


if __name__ == "__main__":
    main()
