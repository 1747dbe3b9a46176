#!/usr/bin/env python3
"""scripts/compare_peers: what it reads of the profilers' outputs, and the tables it makes of them."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from lib import peer_programs, peer_tools  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("compare_peers", str(SCRIPTS / "compare_peers"))
SPEC = importlib.util.spec_from_loader("compare_peers", LOADER)
compare_peers = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(compare_peers)


class Rows(unittest.TestCase):
    def expect(self, answer, name, share):
        self.assertEqual(answer.name, name)
        self.assertAlmostEqual(answer.share, share, places=1)

    def test_perf(self):
        self.expect(peer_tools.perf_row("\n    59.00%  shares  [.] Simulate\n    29.50%  shares  [.] Sort\n"), "Simulate", 59)

    def test_perf_names_the_module_of_a_bare_address(self):
        self.expect(peer_tools.perf_row("    24.00%  liblzma.so.5.4.1  [.] 0x0000000000015a20\n"),
                    "liblzma.so.5.4.1 0x0000000000015a20", 24)

    def test_pprof(self):
        self.expect(peer_tools.pprof_row("Total: 50 samples\n      26  52.0%  52.0%       26  52.0% Simulate\n"), "Simulate", 52)

    def test_gprofng_without_the_total(self):
        text = " sec.      %   sec.      %\n0.001 100.00  0.001 100.00   <Total>\n0.001  61.00  0.001 100.00   Simulate(unsigned int, long)\n"
        self.expect(peer_tools.gprofng_row(text), "Simulate(unsigned int, long)", 61)

    def test_callgrind_without_the_total(self):
        text = "198,684,038 (100.0%)  PROGRAM TOTALS\n119,129,220 (59.96%)  /a/shares.cpp:Simulate(unsigned int, long) [/tmp/shares]\n"
        self.assertAlmostEqual(peer_tools.callgrind_row(text).share, 59.96)

    def test_uftrace_adds_up_the_times_and_leaves_the_scheduler_out(self):
        text = ("  113.587 ms   60.000 ms         500  Simulate\n   60.300 ms   90.300 ms          15  linux:schedule (pre-empted)\n"
                "   36.833 ms   40.000 ms         500  Sort\n")
        self.expect(peer_tools.uftrace_row(text), "Simulate", 60)

    def test_csink(self):
        report = {"functions": [{"function": "Simulate(unsigned int, long)", "events": [{"share": 0.603}]}]}
        self.expect(peer_tools.csink_row(report), "Simulate", 60.3)

    def test_no_row_is_an_answer_with_the_tools_words(self):
        answer = peer_tools.perf_row("Error: no data\n")
        self.assertIsNone(answer.share)
        self.assertEqual(answer.note, "Error: no data")


class Page(unittest.TestCase):
    program = peer_programs.Program("shares", ["./shares"], "Simulate 60 %", ("Simulate",))

    def test_a_wrong_function_is_marked(self):
        self.assertEqual(compare_peers.cell(self.program, peer_tools.Answer("Simulate", 59.6)), "`Simulate` 60 %")
        self.assertIn("(not it)", compare_peers.cell(self.program, peer_tools.Answer("futex_wait", 100)))
        self.assertTrue(compare_peers.cell(self.program, peer_tools.Answer(note="no profile")).startswith("nothing"))

    def test_ratio(self):
        self.assertEqual(compare_peers.ratio(2.1, 2.0), "1.05")
        self.assertEqual(compare_peers.ratio(None, 2.0), "-")

    def test_table_escapes_bars(self):
        self.assertEqual(compare_peers.table(["a", "b"], [["x|y", "z"]]), "| a | b |\n|---|---|\n| x\\|y | z |\n")

    def test_ten_programs_with_a_truth_each(self):
        programs = peer_programs.programs()
        self.assertEqual(len(programs), 10)
        self.assertTrue(all(program.truth and program.finds for program in programs))


if __name__ == "__main__":
    unittest.main()
