"""Bad input is one clear line on stderr; CSINK_ENABLE=0 is literally nothing."""

import json
import os
import shutil
import subprocess
import tempfile

import csink_e2e
from csink_e2e import E2eTest, explained_seconds


class BadInput(E2eTest):
    """The program runs on, and one line says what is wrong and what was meant."""

    def line(self, **env):
        run = self.run_agent("split", 210, **env)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual([l.split()[0] for l in run.stdout.splitlines()], ["cpu_ns"])
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        return run, run.own_lines[0]

    def test_an_unknown_event_names_the_nearest(self):
        _, line = self.line(CSINK_EVENTS="tsk-clock")
        self.assertIn("tsk-clock", line)
        self.assertIn("task-clock", line)
        _, line = self.line(CSINK_EVENTS="task-clock,page-fautls")
        self.assertIn("page-faults", line)

    def test_an_event_like_nothing_says_how_to_list_them(self):
        _, line = self.line(CSINK_EVENTS="qqqqqqqqqqqq")
        self.assertIn("csink doctor", line)

    def test_impossible_periods(self):
        for period in ("0", "-5", "x", "10XHz", "0Hz", "99999999999999999999999", ""):
            with self.subTest(period=period):
                _, line = self.line(CSINK_EVENTS="task-clock@" + period)
                self.assertRegex(line, "task-clock|CSINK_EVENTS")

    def test_a_rate_above_10_khz_is_clamped(self):
        run, line = self.line(CSINK_EVENTS="task-clock@100kHz")
        self.assertRegex(line, "10 ?kHz|10,?000")
        cpu = sum(run.values("cpu_ns")) / 1e9
        self.assertLess(run.report["events"][0]["samples"], 1.1 * 10000 * cpu)
        self.assertCovers(run.report, cpu, 0.9)

    def test_an_unknown_key_names_the_nearest(self):
        run, line = self.line(CSINK_OUTPTU="x")
        self.assertIn("CSINK_OUTPTU", line)
        self.assertIn("CSINK_OUTPUT", line)
        self.assertGreater(explained_seconds(run.report), 0.18)

    def test_a_bad_boolean(self):
        run, line = self.line(CSINK_KEEP="perhaps")
        self.assertIn("CSINK_KEEP", line)
        self.assertGreater(explained_seconds(run.report), 0.18)

    def test_a_bad_number(self):
        for value in ("many", "-1", "1e3", "18446744073709551616"):
            with self.subTest(value=value):
                _, line = self.line(CSINK_TOP=value)
                self.assertIn("CSINK_TOP", line)

    def test_a_bad_source_and_a_bad_format(self):
        _, line = self.line(CSINK_SOURCE="rings")
        self.assertIn("ring", line)
        _, line = self.line(CSINK_FORMAT="jsn")
        self.assertIn("json", line)

    def test_bytes_that_are_no_text(self):
        _, line = self.line(CSINK_EVENTS=b"\xff\xfe\x80".decode("utf-8", "surrogateescape"))
        self.assertTrue(line)

    def test_a_value_of_a_megabyte_fraction(self):
        _, line = self.line(CSINK_EVENTS="a" * 100000)
        self.assertLess(len(line), 2000)

    def test_empty_values_are_defaults(self):
        run = self.profile("split", 210, CSINK_EVENTS="", CSINK_TOP="", CSINK_KEEP="",
                           CSINK_SOURCE="", CSINK_LOG="", CSINK_MIN_SAMPLES="")
        self.assertGreater(run.report["events"][0]["samples"], 100)
        self.assertEqual(run.spools, [])

    def test_the_line_comes_once_in_a_tree_of_forks(self):
        run = self.run_agent("forks", "fork", 3, 60, CSINK_OUTPTU="x")
        self.assertEqual(run.status, 0)
        self.assertEqual(len(run.own_lines), 1, run.stderr)


class Disabled(E2eTest):
    """CSINK_ENABLE=0: no thread, no timer, no handler, no descriptor, no mapping."""

    def test_the_process_looks_as_without_us(self):
        plain = self.run_plain("untouched", "inert", 100).stdout
        inert = self.run_agent("untouched", "inert", 100, CSINK_ENABLE="0")
        self.assertEqual((inert.stderr, inert.reports, inert.spools), ("", [], []))
        self.assertEqual(self.but_maps(inert.stdout), self.but_maps(plain))
        ours = self.named_maps(inert.stdout)
        self.assertTrue([m for m in ours if "libagent.so" in m])
        self.assertEqual([m for m in ours if "libagent.so" not in m], self.named_maps(plain))
        # Its .bss, at most.
        self.assertLessEqual(self.anonymous(inert.stdout), self.anonymous(plain) + 1)

    def test_every_way_to_say_no(self):
        for no in ("0", "no", "off", "false", "OFF"):
            with self.subTest(no=no):
                run = self.profile("split", 70, CSINK_ENABLE=no)
                self.assertEqual((run.reports, run.spools), ([], []))

    def test_nothing_else_is_read(self):
        run = self.profile("split", 70, CSINK_ENABLE="0", CSINK_EVENTS="nonsense", CSINK_X="1")
        self.assertEqual((run.reports, run.spools), ([], []))

    @staticmethod
    def but_maps(text):
        return text.split("maps:\n")[0]

    @staticmethod
    def maps(text):
        return [l.split(None, 5) for l in text.split("maps:\n")[1].splitlines()]

    def named_maps(self, text):
        """Permissions, size and name of each mapping that has a name, but for the heap and
        the stack, whose sizes are dice."""
        def size(m):
            a, b = m[0].split("-")
            return int(b, 16) - int(a, 16)
        return sorted(f"{m[1]} {size(m)} {m[5].strip()}" for m in self.maps(text)
                      if len(m) > 5 and m[5].strip() not in ("[heap]", "[stack]"))

    def anonymous(self, text):
        return len([m for m in self.maps(text) if len(m) == 5])


class Secure(E2eTest):
    """A set-uid program that has the agent linked in (a preload by path would be ignored
    by the dynamic linker anyway) runs as if it had not."""

    def run_secure(self, path):
        folder = self.fresh_folder()
        os.chmod(os.path.join(folder, "spool"), 0o777)
        env = csink_e2e.agent_environment(folder, LD_PRELOAD=None, CSINK_NONSENSE="1")
        return self.run_command([path, "200"], env, folder)

    def test_is_inert(self):
        self.need_root()
        linked = csink_e2e.program_path("secure_linked")
        run = self.run_secure(linked)
        self.assertEqual(run.stdout, "secure 0\n", run.stderr)
        self.assertEqual(len(run.reports), 1, "the linked agent is not active: no proof below")

        bin_folder = tempfile.mkdtemp(prefix="csink-e2e-bin-")
        self.addCleanup(shutil.rmtree, bin_folder)
        copy = shutil.copy(linked, bin_folder)
        os.chown(copy, 65534, 65534)
        os.chmod(copy, 0o4755)
        os.chmod(bin_folder, 0o755)
        os.chmod(self.folder, 0o711)
        try:
            run = self.run_secure(copy)
        except PermissionError:
            self.skipTest("the user of the copy cannot reach the build tree")
        if run.stdout == "secure 0\n":
            self.skipTest("set-uid has no effect here (nosuid?)")
        if run.status == 127:
            self.skipTest("the user of the copy cannot load the agent: " + run.stderr.strip())
        self.assertEqual((run.status, run.stdout, run.stderr), (0, "secure 1\n", ""))
        self.assertEqual((run.reports, run.spools), ([], []))


class Doctor(E2eTest):
    def test_the_tool_says_what_would_be_used(self):
        status, out, err = self.run_tool("doctor")
        self.assertEqual(status, 0, err)
        self.assertIn("perf_event_paranoid", out)
        self.assertIn("ring", out)

    def test_the_tool_lists_events(self):
        status, out, err = self.run_tool("doctor", "--events")
        self.assertEqual(status, 0, err)
        names = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
        for event in ("task-clock", "page-faults"):
            self.assertIn(event, names)
        _, findings, _ = self.run_tool("doctor")
        has_pmu = "counts cycles" in findings
        self.assertEqual("cycles" in names, has_pmu)
        if not has_pmu:
            self.assertRegex(out, r"not listed, because they cannot be sampled on this machine: \d+ of \d+ names\n"
                                  r" +\d+  \S")

    def test_the_limit_of_the_rate_is_explained(self):
        with open("/proc/sys/kernel/perf_event_max_sample_rate", encoding="ascii") as f:
            limit = int(f.read())
        _, out, _ = self.run_tool("doctor")
        self.assertRegex(out, f"max sample rate +{limit:,} samples a second for one event")
        if limit < 100000:
            self.assertIn("sysctl kernel.perf_event_max_sample_rate=100000", out)

    def test_an_event_that_cannot_be_had_says_why_without_a_number(self):
        findings = self.run_tool("doctor", CSINK_EVENTS="task-clock,rffff")[1]
        row = next(line for line in findings.splitlines() if line.startswith("  CSINK_EVENTS"))
        self.assertIn("task-clock (works)", row)
        self.assertRegex(row, r"rffff \((works\)|not available here: \S)")
        self.assertNotIn("errno", findings)

    def test_programs_get_the_same_as_json(self):
        status, out, err = self.run_tool("doctor", "--format", "json", CSINK_EVENTS="task-clock,rffff")
        self.assertEqual((status, out.count("\n")), (0, 1), err)
        answer = json.loads(out)
        self.assertEqual(answer["version"], 1)
        rows = {row["name"]: row["text"] for row in answer["rows"]}
        self.assertIn("kernel", rows)
        self.assertTrue(answer["asked"]["understood"])
        self.assertEqual(answer["asked"]["text"], rows["CSINK_EVENTS"])
        self.assertEqual([event["name"] for event in answer["asked"]["events"]], ["task-clock", "rffff"])
        self.assertIn("CSINK_EVENTS", answer["variables"])
        wrong = json.loads(self.run_tool("doctor", "--format", "json", CSINK_EVENTS='cyc"lse')[1])
        self.assertFalse(wrong["asked"]["understood"])
        self.assertIn('cyc"lse', wrong["asked"]["text"])

    def test_without_perf_it_says_so(self):
        done = subprocess.run([csink_e2e.program_path("no_perf"), "EPERM", csink_e2e.TOOL,
                               "doctor"], env=csink_e2e.tool_environment(), check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("timer", done.stdout)

    def test_in_the_program_it_runs_unprofiled(self):
        run = self.run_agent("split", 70, CSINK_DOCTOR="1")
        self.assertEqual(run.status, 0)
        self.assertEqual([l.split()[0] for l in run.stdout.splitlines()], ["cpu_ns"])
        self.assertIn("task-clock", run.stderr)
        self.assertEqual((run.reports, run.spools), ([], []))


if __name__ == "__main__":
    csink_e2e.main()
