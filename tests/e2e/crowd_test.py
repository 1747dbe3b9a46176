"""A thousand threads, and a thousand processes, at once: sampled, or counted as lost."""

import json
import os

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, functions_named, lost_seconds, sampled_seconds


class Crowd(E2eTest):
    def test_a_thousand_live_threads(self):
        run = self.profile("thread_lives", 1000, 5000, 1000, "hold")
        self.assertEqual(run.values("threads"), [1000])
        burned = run.values("cpu_ns")[0] / 1e9 + 0.1
        self.assertEqual(run.report["verdict"]["lost_records"], 0)
        self.assertGreaterEqual(sampled_seconds(run.report) + lost_seconds(run.report), 0.9 * burned)
        self.assertGreaterEqual(explained_seconds(run.report), 0.85 * burned)

    def test_a_thousand_processes_at_once(self):
        """Each waits until all are there, and burns 4 ms."""
        gate = os.path.join(self.folder, "gate")
        os.mkfifo(gate)
        loop = csink_e2e.program_path("loop")
        status, out, err = self.run_tool(
            "run", "--format", "json", "-o", os.path.join(self.folder, "tree"), "--", "sh", "-c",
            f"exec 3<> {gate}; for i in $(seq 1000); do "
            f"sh -c 'read x <&3; exec {loop} plain 4 3<&-' & done; "
            "for i in $(seq 1000); do echo; done >&3; wait",
            CSINK_EVENTS="task-clock", CSINK_SPOOL_DIR=self.folder)
        self.assertEqual(status, 0, err)
        burned = [int(line.split()[2]) / 1e9 for line in out.splitlines()]
        self.assertEqual(len(burned), 1000)
        with open(os.path.join(self.folder, "tree"), encoding="utf-8") as f:
            report = json.load(f)
        weight = sum(f["events"][0]["weight"] for f in functions_named(report, "Loop")) / 1e9
        self.assertEqual(report["verdict"]["lost_records"], 0)
        # What is lost may be the shells' as well.
        self.assertGreaterEqual(weight + lost_seconds(report), 0.9 * sum(burned))
        self.assertLessEqual(weight, 1.1 * sum(burned))


if __name__ == "__main__":
    csink_e2e.main()
