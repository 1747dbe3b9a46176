"""What reports show of real runs: callers and call paths, marks, threads, what changed."""

import os
import re
import subprocess

import csink_e2e
from csink_e2e import E2eTest, Z_9999, plain_name, total_samples, wilson

PERIOD = 1.000003e-3
CALLERS_MS = 800


def own_ns(run, key):
    return sum(run.values(key))


def samples(entry):
    return entry["events"][0]["samples"]


def named(entries, name, key="function"):
    return [e for e in entries if plain_name(e[key]) == name]


class Shown(E2eTest):
    def assertProportion(self, hits, total, expected):
        """The expected share lies in the 99.99 % interval, give or take a hundredth: the
        program's own look at its clock."""
        low, high = wilson(hits, total)
        self.assertTrue(low - 0.01 <= expected <= high + 0.01,
                        f"{hits} of {total}: [{low:.3f}, {high:.3f}] does not hold {expected:.3f}")

    def known(self, run):
        rows = [line.split() for line in run.stdout.splitlines() if line.startswith("share ")]
        return {name: int(ns) for _, name, ns in rows}

    def spool_of(self, program, *args, **env):
        run = self.run_agent(program, *args, CSINK_REPORT="0", **env)
        self.assertEqual((run.status, run.stderr, len(run.spools)), (0, "", 1))
        return run, run.spools[0]

    def text_of(self, *args):
        status, out, err = self.run_tool("report", *args)
        self.assertEqual((status, err), (0, ""))
        return out


class Callers(Shown):
    def test_callers_and_paths_of_frames(self):
        run, spool = self.spool_of("callers", "frames", CALLERS_MS, CSINK_STACKS="fp")
        report = self.report_of_spool("--stacks", spool)
        truth = self.known(run)
        ping = truth["CallPing"] / sum(truth.values())

        # The direct callers: Spin by Ping and Pong, as the program's clock has it.
        spin, = named(report["callers"], "Spin")
        calls = {plain_name(c["function"]): samples(c) for c in spin["callers"]}
        total = sum(calls.values())
        self.assertGreater(total, 0.9 * total_samples(report))
        self.assertProportion(calls["Ping"], total, ping)
        self.assertGreaterEqual(calls["Ping"] + calls["Pong"], 0.98 * total, calls)
        flat, = named(report["functions"], "Spin")
        self.assertEqual(samples(flat), total, "callers divide the function's samples")

        # The tree: each path with what is in it and below it.
        nodes = report["stacks"]

        def path(node):
            names = []
            while node is not None:
                names.append(plain_name(node["function"]))
                node = None if node["parent"] is None else nodes[node["parent"]]
            return names

        paths = {tuple(path(n)): n for n in nodes}
        for caller, callee, share in (("CallPing", "Ping", ping), ("CallPong", "Pong", 1 - ping)):
            ends = [p for p in paths if p[:5] == ("Spin", callee, caller, "Repeat", "main")]
            self.assertEqual(len(ends), 1, sorted(paths))
            node = paths[ends[0]]
            self.assertProportion(node["self"][0]["samples"], total, share)
            above = paths[ends[0][2:]]
            self.assertGreaterEqual(above["total"][0]["samples"], node["total"][0]["samples"])
        for node in nodes:
            below = sum(n["total"][0]["samples"] for n in nodes
                        if n["parent"] is not None and nodes[n["parent"]] is node)
            self.assertGreaterEqual(node["total"][0]["samples"], below, path(node))

        # The same in words.
        out = self.text_of("--stacks", spool)
        self.assertRegex(out, r"(?m)^ *[\d.]+% +[\d.]+% +from Pong +callers$")
        self.assertRegex(out, r"(?m)^ *[\d.]+% .* - CallPong$")
        self.assertNotIn("from ", self.text_of("--flat", spool))

    def test_the_callers_of_the_c_library(self):
        run, spool = self.spool_of("callers_no_frames", "memcpy", CALLERS_MS, CSINK_STACKS="unwind")
        report = self.report_of_spool(spool)
        truth = self.known(run)
        calls = {}
        for entry in report["callers"]:
            if "libc" in entry["module"]:
                for caller in entry["callers"]:
                    name = plain_name(caller["function"])
                    calls[name] = calls.get(name, 0) + samples(caller)
        copies = {name: calls[name] for name in truth}
        # What the program does besides: it looks at the clock, which is slow in some virtual machines.
        looks = sum(samples(row) for row in report["functions"] if plain_name(row["function"]) in ("clock_gettime", "Repeat"))
        self.assertGreaterEqual(sum(copies.values()), 0.9 * (total_samples(report) - looks), calls)
        # The program's clock counts the looks at it, system time, for both: CopyRight has as much
        # of the user time as of that clock, or more.
        _, high = wilson(copies["CopyRight"], sum(copies.values()))
        self.assertGreaterEqual(high, truth["CopyRight"] / sum(truth.values()), copies)
        low, _ = wilson(copies["CopyLeft"], sum(copies.values()))
        # Some processors copy to an aligned address twenty times as fast: then the looks at the clock are
        # most of what the program knows of CopyLeft.
        share = truth["CopyLeft"] / sum(truth.values())
        self.assertGreater(low, 0.1 if share > 0.2 else 0, copies)

    def test_what_is_cut_is_said(self):
        run, spool = self.spool_of("callers", "deep", 300, 200, CSINK_STACKS="fp")
        report = self.report_of_spool("--stacks", spool)
        roots = {n["function"]: n["total"][0]["samples"] for n in report["stacks"]
                 if n["parent"] is None}
        bad = report["verdict"]["bad_stacks"]
        self.assertGreater(bad, 0.9 * total_samples(report))
        self.assertEqual(roots.get("[cut]"), bad, roots)
        out = self.text_of("--stacks", spool)
        self.assertRegex(out, r"(?m)^ *[\d.]+% .*\[cut\]$")
        said = re.search(r"([\d,]+) \([\d.]+%\) are cut, marked \[cut\]", " ".join(out.split()))
        self.assertTrue(said, out)
        self.assertEqual(int(said[1].replace(",", "")), bad)


class Marks(Shown):
    def test_cpu_seconds_and_samples_of_phases(self):
        run, spool = self.spool_of("phases", "marks", 60, 5)
        self.assertEqual(run.values("failed"), [])
        report = self.report_of_spool(spool)
        phases = {p["name"]: p for p in report["phases"]}
        self.assertEqual({n: p["marks"] for n, p in phases.items() if n},
                         {"alpha": 5, "beta": 5})
        for name, function in (("alpha", "Alpha"), ("beta", "Beta")):
            phase, truth = phases[name], own_ns(run, name + "_ns") / 1e9
            self.assertAlmostEqual(phase["cpu_seconds"], truth, delta=0.05 * truth + 0.005)
            expected = truth / PERIOD
            slack = Z_9999 * expected ** 0.5 + 0.001 * expected
            self.assertLessEqual(samples(phase), expected + slack)
            self.assertGreaterEqual(samples(phase), 0.9 * expected - slack)
            # A burn calls helpers; the mark's own function or they have all samples.
            self.assertFalse(named(phase["functions"], "Beta" if name == "alpha" else "Alpha"))
            alone = self.report_of_spool("--phase", name, spool)
            self.assertEqual(total_samples(alone), samples(phase), function)
        self.assertEqual(sum(samples(p) for p in phases.values()), total_samples(report))
        self.assertRegex(self.text_of(spool), r"(?m)^ *[\d.]+% +\d+ +[\d.]+ +5 +alpha ")


class Threads(Shown):
    def test_each_thread_has_its_own_functions(self):
        run, spool = self.spool_of("callers", "threads", 300, CSINK_STACKS="fp")
        report = self.report_of_spool("--per-thread", spool)
        found = {}
        for thread in report["threads"]:
            if samples(thread) < 30:
                continue
            routine = plain_name(thread["start_routine"])
            found[routine] = thread
            self.assertAlmostEqual(thread["cpu_seconds"], 0.3, delta=0.06)
            within = sum(samples(f) for f in thread["functions"])
            self.assertLessEqual(within, samples(thread))
            self.assertGreaterEqual(within, 0.97 * samples(thread))
            self.assertGreater(samples(thread["functions"][0]), 0.9 * samples(thread))
            self.assertEqual(plain_name(thread["functions"][0]["function"]), "Spin")
        self.assertEqual(sorted(found), ["LeftRoutine", "RightRoutine"])


class WhatChanged(Shown):
    def compare(self, before, after):
        _, old = self.spool_of("split", *before)
        run, new = self.spool_of("split", *after)
        return self.report_of_spool("--baseline", old, new)["baseline"], old, new

    def test_twice_the_work_is_no_change_of_shares(self):
        baseline, _, _ = self.compare((420,), (840,))
        self.assertAlmostEqual(baseline["ratio"], 2, delta=0.15)
        self.assertFalse(any(f["significant"] for f in baseline["functions"]), baseline)

    def test_a_function_that_grew_stands_first(self):
        # 60 : 30 : 10 becomes 120 : 30 : 10, of 160.
        baseline, old, new = self.compare((700, 1, 7), (700, 1, 14))
        self.assertAlmostEqual(baseline["ratio"], 1.6, delta=0.12)
        sixty, = named(baseline["functions"], "work::Sixty") or named(
            baseline["functions"], "BurnMs")
        self.assertLess(sixty["p_value"], 0.001)
        self.assertFalse(sixty["significant"], "of one run each nothing is")
        self.assertLessEqual(sixty["low"], 0.15 + 0.05)
        self.assertGreaterEqual(sixty["high"], 0.15 - 0.05)
        self.assertGreater(sixty["low"], 0)
        self.assertEqual(baseline["functions"][0], sixty, "the largest change stands first")
        thirty, = named(baseline["functions"], "work::Thirty")
        self.assertLess(thirty["change"], 0)
        out = self.text_of("--baseline", old, new)
        self.assertRegex(out, r"(?m)\+[\d.]+% +\+[\d.]+% to \+[\d.]+% +work::Sixty")
        status, _, _ = self.run_tool("report", "--baseline", old, "--fail-if-slower", "20", new)
        self.assertEqual(status, 3)
        status, _, _ = self.run_tool("report", "--baseline", old, "--fail-if-slower", "150", new)
        self.assertEqual(status, 0)


class TooShort(E2eTest):
    """A program with too few samples for a report: a line on a terminal, silence elsewhere."""

    def on_a_terminal(self, *command, **env):
        """What the command, run with the agent on a terminal, wrote to its stderr."""
        folder = self.fresh_folder()
        ours, its = self.open_terminal()
        changes = csink_e2e.agent_environment(folder, **env)
        for name in {"CSINK_OUTPUT", "CSINK_EVENTS"} - set(env):
            changes.pop(name, None)
        child = subprocess.Popen(command, env=changes, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=its, cwd=folder)
        os.close(its)
        text = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # EIO: nobody has the terminal open any more
                break
            if not piece:
                break
            text += piece
        os.close(ours)
        self.assertEqual(child.wait(), 0)
        return text.decode().replace("\r\n", "\n")

    def test_a_terminal_gets_one_line(self):
        text = self.on_a_terminal("true")
        self.assertRegex(text, r"^csink: warn: too short: \d+ samples? in \d+\.\d ms of CPU time, and a report needs "
                               r"20; CSINK_EVENTS=task-clock@10kHz takes more\n$")

    def test_the_events_of_the_user_are_left_alone(self):
        self.assertIn("needs 5 (CSINK_MIN_SAMPLES)",
                      self.on_a_terminal("true", CSINK_EVENTS="task-clock@1kHz", CSINK_MIN_SAMPLES="5"))

    def test_only_the_first_process_speaks(self):
        text = self.on_a_terminal("sh", "-c", "true; env true; :")
        self.assertEqual(text.count("too short"), 1, text)

    def test_elsewhere_it_is_silent(self):
        run = self.run_agent("true", CSINK_OUTPUT="")
        self.assertEqual((run.status, run.stdout, run.stderr), (0, "", ""))


if __name__ == "__main__":
    csink_e2e.main()
