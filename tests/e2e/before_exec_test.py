"""Children that share the memory and work between vfork and exec: processes of their own."""

import json

import csink_e2e
from csink_e2e import E2eTest, samples_of

SUFFIX = " (child before exec)"


def before_exec(report):
    return [p for p in report["processes"] if p["program"].endswith(SUFFIX)]


class ChildrenBeforeExec(E2eTest):
    def check(self, mode, children=3, ms=150, rate=1000, **env):
        run = self.profile("before_exec", mode, ms, **env)
        self.assertEqual(run.stdout, "wrong 0\n")
        report = run.report
        rows = before_exec(report)
        self.assertEqual(len(rows), children)
        for row in rows:
            self.assertEqual(row["parent_pid"], run.pid)
            cpu = row["user_seconds"] + row["system_seconds"]
            self.assertAtLeast(cpu / (ms / 1000), 0.95)
        self.assertAtLeast(samples_of(report, "ChildWork") * 1000 / (children * ms * rate), 0.8)
        return report

    def test_that_end(self):
        report = self.check("end")
        self.assertGreater(samples_of(report, "ParentWork"), 100)
        self.assertGreater(report["verdict"]["explained_share"], 0.85)

    def test_that_exec(self):
        self.check("exec")

    def test_that_clone(self):
        self.check("clone")

    def test_whose_exec_is_refused(self):
        self.check("refused")

    def test_of_four_threads(self):
        self.check("threads", children=4, ms=100)

    def test_by_ticks_where_events_are_refused(self):
        # One sample a tick of the kernel, which is at most 10 ms long.
        self.check("end", ms=300, rate=100, CSINK_SOURCE="timer")


class ChildrenOfATree(E2eTest):
    def test_are_in_the_report_of_the_tree(self):
        path = self.fresh_folder() + "/report.json"
        status, out, err = self.run_tool("run", "--format", "json", "-o", path, "--",
                                         csink_e2e.program_path("before_exec"), "exec", 150)
        self.assertEqual((status, out), (0, "wrong 0\n"), err)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(len(before_exec(report)), 3)
        self.assertAtLeast(samples_of(report, "ChildWork") / 450, 0.8)


if __name__ == "__main__":
    csink_e2e.main()
