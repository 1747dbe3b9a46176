"""csink report on what is there: running programs, leftovers, wrong use."""

import json
import os
import re
import shlex
import signal

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, samples_of


class Live(E2eTest):
    def test_a_running_program_is_reported_without_its_help(self):
        seen = {}

        def look(child):
            csink_e2e.wait_until_burned(child.pid, 0.6)
            spools = os.path.join(self.folder, "1", "spool")
            for target in (str(child.pid), spools):
                seen[target] = self.run_tool("report", "--format", "json", target,
                                             CSINK_SPOOL_DIR=spools)
            child.send_signal(signal.SIGTERM)
        run = self.run_agent("exits", "forever", 10, 1, during=look)
        self.assertEqual(run.status, -signal.SIGTERM)
        self.assertEqual(len(seen), 2)
        for target, (status, out, err) in seen.items():
            with self.subTest(target=target):
                self.assertEqual(status, 0, err)
                report = json.loads(out)
                self.assertEqual((report["pid"], report["state"]), (run.pid, "live"))
                self.assertGreater(explained_seconds(report), 0.4)
                self.assertGreater(samples_of(report, "Work"), 400)
        # Looking took nothing away.
        self.assertGreaterEqual(explained_seconds(run.report), 0.9 * run.cpu)


class Leftovers(E2eTest):
    def test_are_listed(self):
        run = self.profile("split", 210, CSINK_REPORT="0")
        status, out, err = self.run_tool("report", CSINK_SPOOL_DIR=run.spool_folder)
        self.assertEqual(status, 0, err)
        self.assertIn("split", out)
        self.assertIn(str(run.pid), out)


class Trees(E2eTest):
    """What csink run says where there is nothing to show yet, or on purpose."""

    def run_shell(self, line, *options):
        spools = os.path.join(self.fresh_folder(), "spools")
        return self.run_tool("run", *options, "--", "sh", "-c", line, CSINK_SPOOL_DIR=spools)

    def test_a_process_that_outlives_the_program_is_told_of(self):
        split = shlex.quote(csink_e2e.program_path("split"))
        status, _, err = self.run_shell(f"{split} 420 > /dev/null 2>&1 &")
        self.assertEqual(status, 0, err)
        told = re.search(r"1 process of the tree still runs; report later: csink report (\S+)", err)
        self.assertTrue(told, err)

        def ended():
            done, out, _ = self.run_tool("report", "--format", "json", told[1])
            report = json.loads(out) if done == 0 else {}
            return report.get("state") == "complete" and report

        self.assertShare(self.wait_for(ended, "the end of split"), "work::Sixty", 0.6)

    def test_who_leaves_everything_out_is_told_so(self):
        split = shlex.quote(csink_e2e.program_path("split"))
        status, _, err = self.run_shell(f"{split} 210", "--include", "nobody")
        self.assertEqual(status, 0)
        self.assertIn("--include and --exclude", err)

    def test_what_is_left_out_on_purpose_is_no_loss(self):
        split = shlex.quote(csink_e2e.program_path("split"))
        loop = shlex.quote(csink_e2e.program_path("callers"))
        status, _, err = self.run_shell(f"{split} 420; {loop} frames 400", "--include", "split")
        self.assertEqual(status, 0)
        self.assertIn("that the settings exclude", " ".join(err.split()))
        self.assertNotRegex(err, "verdict  (fair|poor): ")


class WrongUse(E2eTest):
    def test_is_2_and_a_word_of_help(self):
        for args in (("nonsense",), ("report", "--nonsense"), ("run",), ("run", "--"),
                     ("report", "--format", "xml", "/bin/true"), ("report", "--top", "x")):
            with self.subTest(args=args):
                status, out, err = self.run_tool(*args)
                self.assertEqual((status, out), (2, ""))
                self.assertTrue(err)

    def test_help_is_0(self):
        for args in (("--help",), ("run", "--help"), ("report", "--help"), ("doctor", "--help")):
            with self.subTest(args=args):
                status, out, err = self.run_tool(*args)
                self.assertEqual((status, err), (0, ""))
                self.assertIn("csink", out)


class Stdout(E2eTest):
    def test_a_report_goes_to_a_file_on_request(self):
        run = self.profile("split", 210, CSINK_REPORT="0")
        path = os.path.join(self.folder, "report.txt")
        status, out, err = self.run_tool("report", "-o", path, run.spools[0])
        self.assertEqual((status, out), (0, ""), err)
        with open(path, encoding="utf-8") as f:
            self.assertIn("work::Sixty", f.read())

    def test_a_closed_pipe_is_no_crash(self):
        run = self.profile("split", 210, CSINK_REPORT="0")
        shell = self.run_command(["sh", "-c", f"{csink_e2e.TOOL} report {run.spools[0]} | true"],
                                 csink_e2e.tool_environment(), self.fresh_folder())
        self.assertEqual(shell.status, 0)


if __name__ == "__main__":
    csink_e2e.main()
