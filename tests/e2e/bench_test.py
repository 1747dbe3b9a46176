"""csink bench: two commands compared by running both."""

import json
import os

from csink_e2e import E2eTest, main, program_path


class Bench(E2eTest):
    def bench(self, *args, status=0):
        spools = os.path.join(self.folder, "spools")
        got, out, err = self.run_tool("bench", *args, CSINK_SPOOL_DIR=spools)
        self.assertEqual(got, status, err)
        return out, err

    def spin(self, milliseconds):
        """A command of about this much CPU time."""
        return [program_path("split"), str(milliseconds), "1"]

    def test_finds_a_slower_program_and_fails(self):
        args = ["-n", "10", "--metric", "cpu", "--max-slowdown", "20%", "--functions", "0"]
        out, _ = self.bench(*args, "--format", "json", "--", *self.spin(400), "--against", "--", *self.spin(100), status=3)
        found = json.loads(out)
        self.assertEqual((found["change"], found["limit"]), ("slower", "exceeded"), out)
        cpu = found["metrics"][0]
        self.assertEqual(cpu["metric"], "cpu")
        self.assertGreater(cpu["low"], 1.2)
        self.assertLessEqual(cpu["low"], cpu["ratio"])
        self.assertLessEqual(cpu["ratio"], cpu["high"])
        self.assertEqual(len(cpu["a_values"]), found["rounds"])

        out, _ = self.bench(*args, "--", *self.spin(100), "--against", "--", *self.spin(400))
        self.assertIn("A is faster than B", out)
        self.assertIn("within the allowed", " ".join(out.split()))

    def test_functions_that_differ(self):
        # Sixty has twice the work in A; Thirty and Ten have the same.
        split = program_path("split")
        commands = ["--", split, "210", "1", "14", "--against", "--", split, "210", "1", "7"]
        out, err = self.bench("-n", "6", "--functions", "8", "--format", "json", *commands)
        self.assertEqual(err, "")
        functions = json.loads(out)["functions"]
        self.assertEqual((functions["runs"], functions["amount_unit"]), (8, "seconds"))
        rows = {row["function"].split("(")[0]: row for row in functions["rows"]}
        sixty = rows["work::Sixty"]
        self.assertTrue(sixty["differs"], sixty)
        self.assertAlmostEqual(sixty["a_amount"] / sixty["b_amount"], 2, delta=0.4)
        self.assertGreater(sixty["low"], 1)
        # (120 of 160 parts, 60 of 100)
        self.assertAlmostEqual(sixty["a_share"], 0.75, delta=0.06)
        self.assertAlmostEqual(sixty["b_share"], 0.6, delta=0.06)
        self.assertGreater(rows["work::Thirty"]["p_value"], 0.001)
        out, _ = self.bench("-n", "6", "--functions", "5", *commands)
        self.assertRegex(out, r"(?m)^ *A CPU +B CPU .* function +module$")
        self.assertRegex(out, r"(?m)^ *\S+ m?s .* work::Sixty\(unsigned long\) +split$")
        self.assertRegex(out, r"(?m)^functions A spends more in \d function")
        self.assertEqual(self.left_behind(), [])

    def left_behind(self):
        """Folders of spools; there must be none."""
        return [name for root, names, _ in os.walk(self.folder) for name in names if name.startswith("tree.")]

    def test_functions_that_cannot_be_compared(self):
        static = program_path("static_loop")
        # A run that fails under the agent only must not cost what was measured.
        fails = ["sh", "-c", 'case "$LD_PRELOAD" in *libagent*) echo no >&2; exit 3;; esac']
        for command, words in ((["true"], r"has no samples: make the runs longer"),
                               ([static, "plain", "20"], r"cannot be profiled: it is statically linked"),
                               (fails, r"[AB] \(sh\) failed with exit status 3: no")):
            out, err = self.bench("-n", "6", "--functions", "3", "--format", "json", "--", *command, "--against", "--", *command)
            self.assertEqual(err, "")
            found = json.loads(out)
            self.assertIsNone(found["functions"])
            self.assertRegex(found["no_functions"], words)
            self.assertIn(found["metrics"][0]["metric"], ("cpu", "instructions"))
        self.assertEqual(self.left_behind(), [])

    def test_without_functions_no_run_is_profiled(self):
        marks = os.path.join(self.folder, "marks")
        script = f'echo "$LD_PRELOAD" >>{marks}'
        out, _ = self.bench("-n", "6", "--functions", "0", "--format", "json", "--", "sh", "-c", script, "--against", "--", "true")
        found = json.loads(out)
        self.assertEqual((found["functions"], found["no_functions"]), (None, None))
        with open(marks, encoding="utf-8") as f:
            self.assertEqual([line for line in f if "libagent" in line], [])

    def test_markdown_to_a_file(self):
        path = os.path.join(self.folder, "bench.md")
        out, err = self.bench("-n", "6", "--format", "markdown", "-o", path, "--", "true", "--against", "--", "true")
        self.assertEqual((out, err), ("", ""))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("**"), text)
        self.assertIn("| CPU time |", text)
        self.assertIn("A: `true`", text)

    def test_the_output_of_the_commands_is_dropped_or_compared(self):
        out, err = self.bench("-n", "6", "--format", "json", "--", "sh", "-c", "echo out; echo err >&2",
                              "--against", "--", "true")
        self.assertEqual(err, "")
        json.loads(out)  # nothing of the commands is in between
        self.bench("-n", "6", "--check-output", "--", "echo", "same", "--against", "--", "sh", "-c", "echo same")
        _, err = self.bench("--check-output", "--", "echo", "one", "--against", "--", "echo", "three", status=1)
        self.assertRegex(err, r"^csink: error: the output of [AB] \(\d bytes\) differs .*\n$")

    def test_input(self):
        path = os.path.join(self.folder, "input")
        with open(path, "w", encoding="utf-8") as file:
            file.write("word\n")
        # grep fails if a second run finds the file at its end.
        self.bench("-n", "6", "--input", path, "--", "grep", "word", "--against", "--", "grep", "-c", "word")

    def test_commands_that_fail(self):
        for command, words in ((["sh", "-c", "echo broken >&2; exit 7"], "failed with exit status 7: broken"),
                               (["sh", "-c", "kill -9 $$"], "was ended by signal 9"),
                               (["/nowhere/at/all"], "No such file or directory")):
            out, err = self.bench("--", *command, "--against", "--", "true", status=1)
            self.assertEqual(out, "")
            self.assertIn(words, err)
            self.assertIn("A (", err)
            self.assertEqual(err.count("\n"), 1, err)

    def test_a_run_that_takes_too_long(self):
        pids = os.path.join(self.folder, "pids")
        # The shell's child must not live on, and take processor time from what is measured next.
        script = f"sleep 600 & echo $! >{pids}; wait"
        out, err = self.bench("--timeout", "0.5", "--", "sh", "-c", script, "--against", "--", "sh", "-c", script, status=1)
        self.assertEqual(out, "")
        self.assertRegex(err, r"^csink: error: [AB] \(sh\) took longer than --timeout 0.5 s, and was killed \(in the warm-up round\)\n$")
        with open(pids, encoding="utf-8") as f:
            sleep = f.read().strip()
        self.wait_for(lambda: not os.path.exists(f"/proc/{sleep}"), "the end of sleep")
        self.bench("-n", "6", "--timeout", "60", "--", "true", "--against", "--", "true")
        self.bench("--timeout", "0", "--", "true", "--against", "--", "true", status=2)

    def test_nothing_is_lost_when_a_later_run_fails(self):
        marks = os.path.join(self.folder, "marks")
        # The command fails in its ninth run: the warm-up and seven rounds are good, and the look is at six or later.
        script = f'echo x >>{marks}; [ "$(wc -l <{marks})" -lt 9 ]'
        out, err = self.bench("-n", "9", "--precision", "0.001", "--format", "json",
                              "--", "sh", "-c", script, "--against", "--", "true", status=1)
        self.assertIn("in round 8", err)
        found = json.loads(out)
        self.assertIn("exit status 1", found["failure"])
        self.assertEqual(found["rounds"], 7, out)

    def test_wrong_use(self):
        for args in (["--", "true"], ["--", "true", "--against", "--"], ["--", "--against", "--", "true"],
                     [], ["-n", "5", "--", "true", "--against", "--", "true"],
                     ["--max-slowdown", "x", "--", "true", "--against", "--", "true"],
                     ["--functions", "2", "--", "true", "--against", "--", "true"],
                     ["--precision", "0", "--", "true", "--against", "--", "true"]):
            out, err = self.bench(*args, status=2)
            self.assertEqual(out, "")
            self.assertEqual(err.count("\n"), 1, err)


if __name__ == "__main__":
    main()
