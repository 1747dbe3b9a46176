"""What a run records of its calls and surroundings, and why one group of runs is slower than another (docs/causes.md).

tests/causes has the pairs of programs with known causes.
"""

import json
import os

import csink_e2e
from csink_e2e import E2eTest, main

DD_CALLS = 300000
SECRET = "hunter2-is-no-value-for-a-profile"


class Causes(E2eTest):
    def facts(self, program, *args, **env):
        run = self.run_agent(program, *args, CSINK_KEEP="1", CSINK_REPORT="0", **env)
        self.assertEqual(run.status, 0, run.stderr)
        return run, self.report_of_spool(run.spool_folder)["run_facts"]

    def test_calls_and_bytes_are_those_of_the_program(self):
        run, facts = self.facts("/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=16", f"count={DD_CALLS}")
        # The loader and the agent read and write a little, too.
        for key in ("read_calls", "write_calls"):
            self.assertGreaterEqual(facts[key], DD_CALLS)
            self.assertLess(facts[key], DD_CALLS + 500, key)
        for key in ("read_bytes", "written_bytes"):
            self.assertGreaterEqual(facts[key], 16 * DD_CALLS)
            self.assertLess(facts[key], 16 * DD_CALLS + 2e6, key)
        self.assertGreater(facts["minor_faults"], 50)
        self.assertLessEqual(facts["minor_faults"], run.minor_faults)
        self.assertLessEqual(facts["preemptions"], run.switches)

    def test_values_of_the_environment_stay_where_they_are(self):
        run, facts = self.facts("split", 200, 1, 7, MY_TOKEN=SECRET, OMP_NUM_THREADS="3")
        there = facts["surroundings"]
        self.assertRegex(there["env:MY_TOKEN"], "^#[0-9a-f]{1,8}$")
        self.assertEqual(there["env:OMP_NUM_THREADS"], "3")
        self.assertNotIn("env:CSINK_KEEP", there)
        for spool in run.spools:
            with open(spool, "rb") as file:
                self.assertNotIn(SECRET.encode(), file.read())
        _, other = self.facts("split", 200, 1, 7, MY_TOKEN=SECRET + "!", OMP_NUM_THREADS="3")
        self.assertEqual(other["surroundings"]["key"], there["key"])
        self.assertNotEqual(other["surroundings"]["env:MY_TOKEN"], there["env:MY_TOKEN"])

    def test_an_input_is_a_file_that_was_there(self):
        path = os.path.join(self.folder, "numbers=of lines")
        with open(path, "w", encoding="ascii") as file:
            for i in range(400000):
                file.write(f"{i * 7919 % 400009}\n")
        size = os.path.getsize(path)
        out = os.path.join(self.folder, "sorted")
        _, facts = self.facts("/usr/bin/sort", "-n", "--parallel=1", "-o", out, path)
        inputs = {k: v for k, v in facts["surroundings"].items() if k.startswith("input:")}
        self.assertEqual(inputs, {"input:" + path: str(size)})

    def test_a_short_or_killed_run_has_none(self):
        run = self.run_agent("/usr/bin/seq", 300000, CSINK_KEEP="1", CSINK_REPORT="0", CSINK_MIN_SAMPLES="0",
                             CSINK_EVENTS="task-clock@10kHz")
        self.assertIsNone(self.report_of_spool(run.spool_folder)["run_facts"])
        def kill(child):
            csink_e2e.wait_until_burned(child.pid, 0.3)
            child.kill()
        run = self.run_agent("split", 5000, 1, 7, CSINK_KEEP="1", CSINK_REPORT="0", during=kill)
        self.assertIsNone(self.report_of_spool(run.spool_folder)["run_facts"])

    def sides(self, weights, **env):
        """Three runs of a side each, in turns."""
        folders = [[], []]
        for i in range(3):
            for side in (i % 2, 1 - i % 2):
                run = self.run_agent("split", 400, 1, weights[side], CSINK_KEEP="1", CSINK_REPORT="0", **env)
                self.assertEqual(run.status, 0, run.stderr)
                folders[side].append(run.spool_folder)
        return ["--a", *folders[0], "--b", *folders[1]]

    def test_more_of_the_same_work(self):
        sides = self.sides((7, 21))
        status, out, err = self.run_tool("diff", "--format", "json", *sides)
        self.assertEqual(status, 0, err)
        causes = json.loads(out)["causes"]
        self.assertEqual(causes["refusal"], "")
        self.assertTrue(causes["slower"], causes)
        first = causes["causes"][0]
        self.assertEqual((first["kind"], first["grade"]), ("more-work", "likely"), causes)
        self.assertIn("Sixty", first["function"])
        self.assertGreater(first["share"], 0.7)
        self.assertIn("arguments: ", " ".join(c["fact"] for c in causes["causes"]))
        status, out, _ = self.run_tool("diff", *sides)
        self.assertRegex(out, r"(?m)^why +.* were added to a run \(user ")
        self.assertRegex(out, r"(?m)^likely +work::Sixty")
        # The same code: every row has both sides, and the times of B are the larger ones.
        status, out, err = self.run_tool("diff", "--format", "json", "--why", "Sixty", *sides)
        self.assertEqual(status, 0, err)
        rows = json.loads(out)["why"]["rows"]
        self.assertTrue(all(r["a"] and r["b"] and r["a"]["text"] == r["b"]["text"] for r in rows), rows)
        was, now = (sum(r[side]["seconds"] for r in rows) for side in "ab")
        self.assertGreater(now, 2 * was)
        status, out, _ = self.run_tool("diff", "--why", "Sixty", *sides)
        self.assertRegex(out, r"(?m)^code +work::Sixty")
        status, _, err = self.run_tool("diff", "--why", "NoSuchFunction", *sides)
        self.assertEqual(status, 1)
        self.assertIn("no function of A", err)

    def test_equal_sides_have_no_cause(self):
        status, out, err = self.run_tool("diff", "--format", "json", *self.sides((7, 7)))
        self.assertEqual(status, 0, err)
        causes = json.loads(out)["causes"]
        self.assertEqual([c for c in causes["causes"] if c["grade"] != "seen"], [])


if __name__ == "__main__":
    main()
