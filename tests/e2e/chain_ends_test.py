"""The second line of the verdict: where call chains end, and by what they are cut (docs/stacks.md)."""

import csink_e2e
from csink_e2e import E2eTest

MS = 400


class ChainEnds(E2eTest):
    def chains(self, mode, stacks, ms=MS, program="stack_ends", args=()):
        run = self.run_agent(program, mode, ms, *args, CSINK_STACKS=stacks, CSINK_REPORT="0",
                             CSINK_KEEP="1", CSINK_EVENTS="task-clock@4kHz")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.spools), 1, run.spools)
        self.spool = run.spools[0]
        verdict = self.report_of_spool(self.spool)["verdict"]
        chains = verdict["chains"]
        self.assertIsNotNone(chains, verdict)
        parts = chains["reach_start"] + chains["known_end"] + chains["unchecked"] + chains["cut"]
        self.assertEqual(parts, chains["chains"], chains)
        self.assertEqual(chains["cut"], verdict["bad_stacks"], chains)
        self.assertEqual(sum(chains["cut_by"].values()), chains["cut"], chains)
        self.assertEqual(sum(chains["known_ends"].values()), chains["known_end"], chains)
        self.assertGreater(chains["chains"], 200, chains)
        self.assertEqual(chains["way"], stacks)
        return chains

    def assertCutBy(self, chains, *causes, least=0.9):
        """Nearly all chains are cut by one of these causes, and the grade says so."""
        by = sum(chains["cut_by"].get(cause, 0) for cause in causes)
        self.assertGreaterEqual(by, least * chains["chains"], chains)
        self.assertEqual(chains["grade"], "poor", chains)

    def text(self):
        status, out, err = self.run_tool("report", self.spool)
        self.assertEqual(status, 0, err)
        return " ".join(out.split())

    def test_chains_that_reach_the_start_are_good(self):
        chains = self.chains("frames", "fp", program="callers")
        self.assertGreaterEqual(chains["reach_start"], 0.95 * chains["chains"], chains)
        self.assertEqual(chains["grade"], "good", chains)
        self.assertIn("call chains good: ", self.text())

    def test_a_frame_larger_than_the_copy(self):
        chains = self.chains("large", "fp")
        self.assertCutBy(chains, "copy_ended")
        self.assertIn("behind the 256 bytes of stack that were copied (CSINK_STACKS=unwind", self.text())

    def test_the_copy_grows_with_the_frames(self):
        # The first samples, until the rings are drained, have the usual copy.
        chains = self.chains("large", "unwind", ms=1500)
        self.assertGreaterEqual(chains["reach_start"], 0.7 * chains["chains"], chains)

    def test_a_frame_larger_than_any_copy(self):
        self.assertCutBy(self.chains("larger", "unwind"), "copy_ended")
        self.assertNotIn("frame pointer", self.text())

    def test_a_frame_of_64_megabytes(self):
        # The page behind the written ones was never in memory.
        self.assertCutBy(self.chains("giant", "unwind"), "copy_ended", "unreadable")

    def test_code_without_tables(self):
        chains = self.chains("jit", "unwind")
        self.assertCutBy(chains, "jit")
        self.assertIn("at JIT code without unwind rows", self.text())

    def test_the_bottom_of_a_fiber_is_known(self):
        chains = self.chains("fiber", "unwind")
        self.assertGreaterEqual(chains["known_ends"].get("fiber", 0), 0.9 * chains["chains"], chains)
        self.assertEqual(chains["grade"], "good", chains)
        self.assertIn("at the bottom of a fiber", self.text())

    def test_recursion_is_deeper_than_the_limit(self):
        chains = self.chains("deep", "unwind", program="callers_no_frames", args=(1000,))
        self.assertCutBy(chains, "depth", "copy_ended")
        chains = self.chains("deep", "fp", program="callers", args=(1000,))
        self.assertCutBy(chains, "depth")

    def test_frame_pointers_that_end(self):
        chains = self.chains("deep", "fp", program="callers_no_frames", args=(100,))
        self.assertCutBy(chains, "copy_ended", "frame_pointers")

    def test_smashed_frames(self):
        plugin = "none"
        chains = self.chains("smashed", "fp", program="stack_storms", args=(plugin,))
        self.assertGreater(chains["cut"], 0.5 * chains["chains"], chains)

    def test_tables_near_a_threads_stack(self):
        chains = self.chains("odd", "unwind")
        self.assertGreaterEqual(chains["reach_start"], 0.9 * chains["chains"], chains)


if __name__ == "__main__":
    csink_e2e.main()
