"""The harness's arithmetic: statistics, accounting of process trees, file formats."""

import os
import random
import struct
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness import (figures, guest_reads, instructions, peers, stats, subjects,  # noqa: E402
                     symbolizers, trees)  # noqa: E402
from harness.sections import fleet, interval, libpapi, memory, ranks, symbolize  # noqa: E402


class Stats(unittest.TestCase):
    def test_quartiles_interpolate_between_neighbours(self):
        self.assertEqual(stats.quartiles([4, 1, 3, 2]), (1.75, 2.5, 3.25))

    def test_quartiles_of_nothing_are_an_error(self):
        self.assertRaises(ValueError, stats.quartiles, [])

    def test_ratios_pair_the_rounds(self):
        self.assertEqual(stats.ratios([2, 9], [1, 3]), [2, 3])
        self.assertRaises(ValueError, stats.ratios, [1], [1, 2])

    def test_the_interval_of_a_constant_is_that_constant(self):
        columns = {"a": [6.0] * 5, "b": [2.0] * 5}
        ratio = stats.bootstrap_interval(lambda c: stats.median(c["a"]) / stats.median(c["b"]),
                                         columns)
        self.assertEqual(ratio, (3.0, 3.0))

    def test_rounds_are_resampled_as_a_whole(self):
        # b follows a, so their ratio never varies although both do.
        a = [1.0, 2.0, 3.0, 5.0, 8.0]
        low, high = stats.bootstrap_interval(lambda c: sum(c["a"]) / sum(c["b"]),
                                             {"a": a, "b": [2 * x for x in a]})
        self.assertEqual((low, high), (0.5, 0.5))

    def test_the_interval_covers_the_median_of_a_spread(self):
        values = [float(x) for x in range(1, 22)]
        low, high = stats.bootstrap_interval(lambda c: stats.median(c["v"]), {"v": values})
        self.assertLess(low, 11)
        self.assertGreater(high, 11)


class Ranks(unittest.TestCase):
    def test_every_rank_but_0_has_one_parent(self):
        for count in (1, 2, 17, 18, 1_000):
            children = [child for rank in range(count) for child in ranks.children_of(rank, count)]
            self.assertEqual(sorted(children), list(range(1, count)))

    def test_the_depth_grows_with_the_logarithm(self):
        self.assertEqual([ranks.depth_of(count - 1) for count in ranks.RANKS], [0, 1, 2, 3, 4])
        self.assertEqual((ranks.depth_of(16), ranks.depth_of(17)), (1, 2))


class Fleet(unittest.TestCase):
    def test_copies_are_profiles_of_their_own(self):
        columns = ["profile", "label", "host", "pid", "start_time", "function"]
        with tempfile.TemporaryDirectory() as folder:
            rows, size = fleet.write_fleet(folder, [(columns, [["x", "", "h", "1", "t", "a,b"], ["x", "", "h", "1", "t", "c"]])], 4)
            texts = []
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    texts.append(f.read().splitlines())
        self.assertEqual((rows, size > 0), (8, True))
        self.assertEqual({text[0] for text in texts}, {",".join(columns)})
        self.assertEqual(len({text[1].split(",")[0] for text in texts}), 4)
        self.assertEqual(sorted(text[1].split(",")[1] for text in texts), ["1.0", "1.0", "1.1", "1.1"])
        self.assertTrue(all(text[1].endswith('"a,b"') and text[2].endswith(",c") for text in texts))


class Libpapi(unittest.TestCase):
    def test_lines_of_a_name_and_a_number_are_read(self):
        self.assertEqual(libpapi.parse("read1 12.5\nnoise of a library\nhits 7\n"),
                         {"read1": 12.5, "hits": 7.0})

    def test_every_promise_is_a_figure_with_its_limit(self):
        columns = {f"{v} {n}": [10.0 if v == "Debian" else 6.0] * 5
                   for v in ("Debian", "ours") for n in libpapi.ROWS}
        made = libpapi.figures(columns)
        promised = [n for n, row in libpapi.ROWS.items() if row[3] is not None]
        self.assertEqual(len(made), len(promised) + 1)  # read4 also beside the plain read
        verdicts = {f.what: f.reached for f in made}
        self.assertTrue(verdicts["PAPI_read of 1 event"])  # 0.6 <= 0.80
        self.assertFalse(verdicts["PAPI_accum of 4 events"])  # 0.6 > 0.5

    def test_without_our_library_there_are_no_figures(self):
        self.assertEqual(libpapi.figures({f"Debian {n}": [1.0] for n in libpapi.ROWS}), [])

    def test_interval_turns_are_parsed_and_judged(self):
        columns = interval.parse("bare 10.0\napapi 14.0\nnoise\nbare 10.0\napapi 14.0\n"
                                 "plain 40.0\nplain 40.0\napapi_follow 30\nplain_follow 40\n"
                                 "apapi_follow 30\nplain_follow 40\n")
        self.assertEqual(columns["apapi"], [14.0, 14.0])
        columns = {name: values * 4 for name, values in columns.items()}
        self.assertEqual([f.reached for f in interval.figures(columns)], [True, True, False])
        columns["apapi"] = [16.0] * 8
        self.assertFalse(interval.figures(columns)[0].reached)
        self.assertEqual(interval.figures({"plain": [1.0]}), [])
        self.assertIn("0.25", interval.floor_note(columns))


class GuestReads(unittest.TestCase):
    TEXT = "reads fast=0 one=1868.0 two=2734.5\nchecks 1\nreads fast=1 one=250.0 two=700.0\n"

    def test_both_ways_are_read(self):
        self.assertEqual(guest_reads.parse(self.TEXT), ([1868.0, 2734.5], [250.0, 700.0]))
        self.assertIsNone(guest_reads.parse(self.TEXT.replace("fast=1", "fast=0")))
        self.assertIsNone(guest_reads.parse(""))

    def test_a_ratio_below_five_misses(self):
        made = guest_reads.figures(guest_reads.parse(self.TEXT))
        self.assertEqual([f.reached for f in made], [True, False])
        self.assertEqual(made[0].measured, "7.5")
        self.assertEqual(len(guest_reads.rows(guest_reads.parse(self.TEXT))), 4)

    def test_without_a_cross_build_there_is_a_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(guest_reads.measure(folder), (None, "scripts/build-guest has not run"))


class Instructions(unittest.TestCase):
    class Context:
        """A program of 7 instructions a turn of its loop, 56 more when it reads, 5000 to start."""
        def run(self, argv, environment):
            what, times = argv[-2], int(argv[-1])
            total = 5000 + times * (7 + (56 if what == "read1" else 0))
            return type("Usage", (), {"stderr": f"==1== Events    : Ir\n==1== Collected : {total}\n"})

    def test_the_start_and_the_loop_are_taken_off(self):
        self.assertEqual(instructions.of_one_call(self.Context(), "program", {}, "read1", 100), 56)

    def test_a_run_without_a_count_is_an_error(self):
        self.assertRaises(instructions.NotCounted, instructions.collected, "valgrind: no such tool")


class Trees(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_cpu_time_of_waited_grandchildren_counts(self):
        burn = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"
        idle = trees.run(["/bin/sh", "-c", "true"], self.folder.name)
        tree = trees.run(["/bin/sh", "-c", f"/bin/sh -c '{burn}'; true"], self.folder.name)
        self.assertGreater(tree.cpu_s, 3 * idle.cpu_s)

    def test_an_unexpected_status_is_an_error_with_the_last_words(self):
        with self.assertRaisesRegex(trees.RunFailed, "ended with 3: why"):
            trees.run(["/bin/sh", "-c", "echo why >&2; exit 3"], self.folder.name)

    def test_a_signal_is_shown_as_the_shell_does(self):
        killed = trees.run(["/bin/sh", "-c", "kill -9 $$"], self.folder.name, expect=(137,))
        self.assertEqual(killed.status, 137)

    def test_the_callers_environment_does_not_leak_in(self):
        os.environ["CSINK_BENCH_LEAK"] = "1"
        self.addCleanup(os.environ.pop, "CSINK_BENCH_LEAK")
        self.assertNotIn("CSINK_BENCH_LEAK", trees.run(["env"], self.folder.name).stdout)

    def test_every_variant_runs_once_a_round(self):
        calls = []
        results = trees.rounds(3, {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")},
                               "test")
        self.assertEqual((calls.count("a"), calls.count("b")), (3, 3))
        self.assertEqual({name: len(r) for name, r in results.items()}, {"a": 3, "b": 3})


class GperftoolsProfile(unittest.TestCase):
    def write(self, *words):
        f = tempfile.NamedTemporaryFile(delete=False)
        self.addCleanup(os.unlink, f.name)
        f.write(struct.pack(f"={len(words)}Q", *words) + b"7f00-7f01 r-xp maps text\n")
        f.close()
        return f.name

    def test_sums_the_counts_of_all_stacks(self):
        path = self.write(0, 3, 0, 1000, 0, 5, 2, 0x10, 0x20, 7, 1, 0x30, 0, 1, 0)
        self.assertEqual(peers.gperftools_samples(path), 12)

    def test_a_file_without_an_end_is_an_error(self):
        self.assertRaises(ValueError, peers.gperftools_samples, self.write(0, 3, 0, 1000, 0, 5, 1, 9))


SMAPS = """\
1000-3000 r-xp 00000000 fe:00 1   /usr/lib/libagent.so
Size:                  8 kB
Rss:                   8 kB
3000-4000 rw-p 00002000 fe:00 1   /usr/lib/libagent.so
Size:                  4 kB
Rss:                   4 kB
4000-9000 rw-p 00000000 00:00 0
Size:                 20 kB
Rss:                  12 kB
a000-b000 rw-p 00000000 00:00 0
Size:                  4 kB
Rss:                   4 kB
c000-e000 rw-s 00000000 00:1a 7   /dev/shm/csink-0/true.host.1.2.0.csink
Size:                  8 kB
Rss:                   4 kB
f000-20000 rw-s 00000000 00:0f 9   anon_inode:[perf_event]
Size:                 68 kB
Rss:                   0 kB
"""


class AgentMemory(unittest.TestCase):
    def test_adds_library_with_its_zeroed_data_spool_and_whole_rings(self):
        self.assertEqual(memory.agent_kib(SMAPS), (24, 4, 68))


class Symbolize(unittest.TestCase):
    READELF = "  [13] .text   PROGBITS  0000000000001000 001000 000200 00  AX  0   0 16\n"
    NM = """\
0000000000001000 0000000000000040 T big
0000000000001000 0000000000000040 t alias
0000000000001100 0000000000000080 W weak
0000000000001180 0000000000000010 t small
0000000000009000 0000000000000080 T elsewhere
0000000000001190 T sizeless
0000000000001140 0000000000000080 d data
"""

    def test_the_newest_llvm_is_taken_by_number(self):
        self.assertEqual(symbolizers.newest_llvm("llvm-9 - a\nllvm-22 - b\nllvm-14 - c\n"), "llvm-22")
        self.assertIsNone(symbolizers.newest_llvm("llvm - a\n"))

    def test_functions_are_those_with_room_in_text(self):
        start, size = subjects.text_section(self.READELF)
        self.assertEqual((start, size), (0x1000, 0x200))
        found = subjects.functions(self.NM, start, size)
        self.assertEqual(found, [(0x1000, 0x40), (0x1100, 0x80)])
        self.assertRaises(subjects.NotHere, subjects.text_section, "no sections")

    def test_the_same_seed_gives_the_same_addresses_within_functions(self):
        found = subjects.functions(self.NM, 0x1000, 0x200)
        one, two = (subjects.hot(found, random.Random(3)) for _ in range(2))
        self.assertEqual(one, two)
        self.assertEqual(len(one), 2 * subjects.PER_FUNCTION)
        self.assertTrue(all(0x1000 <= a < 0x1040 or 0x1100 <= a < 0x1180 for a in one))

    def test_limits_are_held_against_the_right_peer(self):
        runs = {symbolize.OURS: [(0.04, 20.0)] * 3, symbolize.TIER1: [(0.04, 20.0)] * 3,
                symbolize.GIMLI: [(0.1, 100.0)] * 3, symbolize.LLVM: [(0.2, 90.0)] * 3,
                "addr2line": [(0.01, 5.0)]}
        raw = symbolize.figures("A", "raw", "200 hot", runs)
        self.assertEqual([f.reached for f in raw], [True, True, False, True])  # 0.4, 0.2, 0.2, 0.22
        self.assertEqual([f.measured[:4] for f in raw], ["0.40", "0.20", "0.20", "0.22"])
        self.assertEqual(symbolize.figures("C", "zlib", "", runs)[0].limit, "<= 0.6 x gimli addr2line")
        # One run is no median: the best of the others counts.
        stripped = symbolize.figures("D", "stripped", "", runs)
        self.assertEqual([f.limit for f in stripped], ["<= 1 x gimli addr2line"])

    def test_without_our_tool_or_a_peer_there_are_no_figures(self):
        self.assertEqual(symbolize.figures("A", "raw", "", {symbolize.LLVM: [(1, 1)] * 3}), [])
        self.assertEqual(symbolize.figures("D", "stripped", "", {symbolize.OURS: [(1, 1)] * 3}), [])


class Document(unittest.TestCase):
    def test_a_missed_figure_is_shown_as_missed(self):
        section = figures.Section("cost", "X", ["a"], [["1|2"]],
                                  figures=[figures.Figure("w", "<= 1", "2.00", False)])
        text = figures.document([("CPU", "none")], [section])
        self.assertIn("0 of 1 figures", text)
        self.assertIn("| w | <= 1 | 2.00 |", text)
        self.assertIn("| 1\\|2 |", text)

    def test_a_section_without_a_table_in_the_page_has_a_file_with_its_notes(self):
        section = figures.Section("memory", "X", ["a", "b"], [["1,2", "3"]], ["n"], [figures.Figure("w", "<= 1", "0.5", True)],
                                  "Measured now at c; load 1.")
        self.assertIn("* [X](data/memory.csv)\n", figures.document([("CPU", "none")], [section]))
        self.assertEqual(figures.data_files([section]),
                         {"memory.csv": '# X\n# Measured now at c; load 1.\n# n\na,b\n"1,2",3\n',
                          "figures.csv": "# Figures, their limits and what was measured\nfigure,limit,measured,\nw,<= 1,0.5,reached\n"})

    def test_a_section_survives_its_file(self):
        section = figures.Section("x", "X", ["a"], [["1"]], ["n"],
                                  [figures.Figure("w", "<= 1", "0.50", True)], "head")
        self.assertEqual(figures.Section.from_dict(section.to_dict()), section)


if __name__ == "__main__":
    unittest.main()
