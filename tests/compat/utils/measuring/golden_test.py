"""What the utilities print when clocks, costs and events are known: options, columns, formats."""

import json
import re

import measure_runs

# Costs from 0 to 100,000, and a clock that moves at every third reading: 1212 measurements have each
# pair of them as often as every other.
STEPS = "0,0,500"
COSTS = ",".join(str(1000 * i) for i in range(101))


class Cost(measure_runs.UtilityTest):
    def cost(self, *options):
        run = self.run_tool("papi_cost", *options, preload="known_clock", CSINK_KNOWN_STEPS=STEPS,
                            CSINK_KNOWN_COSTS=COSTS, CSINK_KNOWN_EVENTS="1")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_plain(self):
        self.assert_golden("papi_cost", self.cost("-t", "1212"))

    def test_everything(self):
        self.assert_golden("papi_cost_all", self.cost("-t", "1212", "-b", "10", "-d", "-p", "-s"))

    def test_words_for_letters(self):
        words = self.cost("--iterations=1212", "--bins=10", "--distribution", "--percentiles", "--deviations")
        self.assertEqual(words, self.cost("-dps", "-b10", "-t1212", "TESTS_QUIET"))

    def test_defaults_of_the_manual(self):
        text = self.cost("-d")
        self.assertEqual(set(re.findall(r"over (\d+) iterations", text)), {"100000"})
        profile = re.search(r"Cost distribution profile\n\n((?: *-?\d+:.*\n)+)", text).group(1)
        self.assertEqual(len(profile.splitlines()), 100)

    def test_json(self):
        found = json.loads(self.cost("--json", "-t", "1212", "-b", "10"))
        self.assertEqual(found["tool"], "papi_cost")
        names = [operation["name"] for operation in found["operations"]]
        self.assertEqual(names[:6], ["loop latency", "PAPI_start/stop", "PAPI_read", "PAPI_read_ts", "PAPI_accum",
                                     "PAPI_reset"])
        read = found["operations"][2]
        self.assertEqual(read["iterations"], 1212)
        self.assertEqual((read["cycles"]["min"], read["cycles"]["p50"]), (0, 50000))
        self.assertEqual(sum(part["iterations"] for part in read["bins"]), 1212)
        self.assertEqual(len(read["above_mean"]), 10)
        self.assertFalse(found["operations"][3]["clock_inside"])

    def test_wrong_use(self):
        for options in (["-t", "0"], ["-t", "many"], ["-b", "-1"], ["-t"], ["-q"], ["2000"]):
            run = self.run_tool("papi_cost", *options)
            self.assertEqual((run.returncode, run.stdout), (2, ""), options)
            self.assertRegex(run.stderr, "(?m)^(.*/)?papi_cost: .+\n.*--help", options)


class CostAnywhere(measure_runs.UtilityTest):
    def test_measures_with_what_there_is_and_says_with_what(self):
        run = self.run_tool("papi_cost", "-t", "20", "--json")
        if run.returncode and "no event can be counted" in run.stderr:
            self.skipTest("perf events are refused here")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        found = json.loads(run.stdout)
        if "instead_because" in found:
            self.assertIn("PAPI_TOT_CYC", found["instead_because"])
            self.assertNotIn("PAPI_TOT_CYC", found["events"])
        else:
            self.assertEqual(found["events"][0], "PAPI_TOT_CYC")
        for operation in found["operations"]:
            self.assertGreater(operation["cycles"]["max"], 0, operation["name"])
        text = self.run_tool("papi_cost", "-t", "20").stdout
        self.assertIn(f"Events       : {' '.join(found['events'])}", text)


class MultiplexCost(measure_runs.UtilityTest):
    def measure(self, *options):
        return self.run_tool("papi_multiplex_cost", "-t", "101", *options, preload="known_clock",
                             CSINK_KNOWN_STEPS="7", CSINK_KNOWN_COSTS="100,300")

    def test_files(self):
        run = self.measure("-x", "3")
        if run.returncode and "can be multiplexed" in run.stderr:
            self.skipTest("perf events are refused here")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr, "Running test[s]\n\tKernel multiplexing read\n\tSoftware Multiplexing read\n")
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(names, [f"papi_{name}.dat" for name in ("accum", "read", "read_ts", "reset", "startstop")])
        files = "".join((self.folder / name).read_text() for name in names)
        self.assert_golden("papi_multiplex_cost", run.stdout + files)

    def test_half_of_it(self):
        run = self.measure("-s", "--min=2", "--max=3")
        if run.returncode and "can be multiplexed" in run.stderr:
            self.skipTest("perf events are refused here")
        self.assertEqual(run.stderr, "Running test[s]\n\tKernel multiplexing read\n")
        rows = [line.split("\t") for line in (self.folder / "papi_read.dat").read_text().splitlines()
                if not line.startswith("#")]
        self.assertEqual([row[0].strip() for row in rows], ["2"])
        self.assertEqual([float(value) for value in rows[0][5:]], [0, 0, 0, 0])

    def test_json_writes_no_file(self):
        run = self.measure("-k", "-x", "2", "--json")
        if run.returncode and "can be multiplexed" in run.stderr:
            self.skipTest("perf events are refused here")
        found = json.loads(run.stdout)
        self.assertEqual([row["operation"] for row in found["rows"]],
                         ["PAPI_start/stop", "PAPI_read", "PAPI_read_ts", "PAPI_accum", "PAPI_reset"])
        self.assertIsNone(found["rows"][0]["kernel"])
        self.assertGreater(found["rows"][0]["software"]["mean"], 0)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_nothing_to_do_is_wrong_use(self):
        for options in (["-k", "-s"], ["-m", "3", "-x", "3"], ["-m", "0"]):
            run = self.measure(*options)
            self.assertEqual((run.returncode, run.stdout), (2, ""), options)
        self.assertEqual(list(self.folder.iterdir()), [])


class Clockres(measure_runs.UtilityTest):
    def clockres(self, steps, *options):
        run = self.run_tool("papi_clockres", *options, preload="known_clock", CSINK_KNOWN_STEPS=steps)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_text(self):
        texts = [self.clockres(steps) for steps in ("5", "0,0,10", "0", "3,4,5,6,0")]
        self.assert_golden("papi_clockres", "".join(texts))

    def test_json(self):
        clocks = json.loads(self.clockres("0,1", "--json", "-t", "1001"))["clocks"]
        self.assertEqual([clock["unit"] for clock in clocks], ["cycles", "us", "ns"] * 2)
        self.assertEqual({clock["readings"] for clock in clocks}, {1001})
        self.assertEqual({clock["resolution"] for clock in clocks}, {1})
        still = json.loads(self.clockres("0", "--json", "-t", "11"))["clocks"]
        self.assertEqual({clock["resolution"] for clock in still}, {None})


class CommandLine(measure_runs.UtilityTest):
    EVENTS = ("KNOWN_INT", "KNOWN_UNSIGNED", "UNKNOWN", "KNOWN_REAL", "KNOWN_BITS")

    def count(self, *arguments):
        return self.run_tool("papi_command_line", *arguments, preload="known_library")

    def test_text(self):
        texts = ""
        for options in ((), ("-u",), ("-x",), ("-ux",)):
            run = self.count(*options, *self.EVENTS)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            texts += run.stdout
        # The library's sentences are its own.
        texts = re.sub(r"(?m)^because: \S.*$", "because: TEXT", texts)
        self.assert_golden("papi_command_line", re.sub(r"(?m)^ {9}\S.*\n", "", texts))

    def test_options_after_events(self):
        self.assertEqual(self.count("KNOWN_INT", "-x").stdout, self.count("--hexadecimal", "KNOWN_INT").stdout)

    def test_nothing_to_count(self):
        for arguments in ((), ("UNKNOWN",)):
            run = self.count(*arguments)
            self.assertEqual(run.returncode, 1)
            self.assertIn("No events specified!\nTry running something like: papi_command_line PAPI_TOT_CYC\n",
                          run.stdout)

    def test_json(self):
        run = self.count("--json", *self.EVENTS)
        self.assertEqual(run.returncode, 0)
        events = json.loads(run.stdout)["events"]
        self.assertEqual([event.get("value") for event in events], [-5, 2**64 - 5, None, 1.5, 64])
        self.assertEqual([event.get("units") for event in events], ["", "mJ", None, "W", "flags"])
        self.assertFalse(events[2]["added"])
        self.assertTrue(events[2]["reason"])
        self.assertEqual(self.count("--json", "UNKNOWN").returncode, 1)

    def test_the_work_is_done(self):
        run = self.run_tool("papi_command_line", "--json", "perf::PAGE-FAULTS", "perf::TASK-CLOCK")
        events = json.loads(run.stdout)["events"]
        if not all(event["added"] for event in events):
            self.skipTest(events[0].get("reason", "") + "; " + events[1].get("reason", ""))
        self.assertGreaterEqual(events[0]["value"], 64)
        self.assertGreater(events[1]["value"], 1_000_000)


class Decode(measure_runs.UtilityTest):
    def test_text(self):
        run = self.run_tool("papi_decode", preload="known_library")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assert_golden("papi_decode", run.stdout)
        available = self.run_tool("papi_decode", "-a", preload="known_library").stdout
        self.assertEqual(available, "".join(line for line in run.stdout.splitlines(True) if "KNOWN_BITS" not in line))

    def test_json(self):
        presets = json.loads(self.run_tool("papi_decode", "--json", preload="known_library").stdout)["presets"]
        self.assertEqual([preset["available"] for preset in presets], [True, True, True, False])
        self.assertEqual(presets[1]["note"], 'counts "both", here')
        self.assertEqual(presets[2]["natives"], ["pmu::EVENT:mask0", "pmu::EVENT:mask1"])

    def test_all_presets_of_the_library(self):
        lines = self.run_tool("papi_decode").stdout.splitlines()
        self.assertEqual(lines[:2], ["name,derived,postfix,short_descr,long_descr,note,[native,...]", ""])
        names = [line.split(",")[0] for line in lines[2:]]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(set(names), {"PAPI_L1_DCM", "PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_FP_OPS"})


class MemInfo(measure_runs.UtilityTest):
    def test_text(self):
        run = self.run_tool("papi_mem_info", preload="known_library")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assert_golden("papi_mem_info", run.stdout)

    def test_json(self):
        found = json.loads(self.run_tool("papi_mem_info", "--json", preload="known_library").stdout)
        self.assertEqual([tlb["associativity"] for tlb in found["tlbs"]], ["full", 8, 1, None])
        self.assertEqual([cache["level"] for cache in found["caches"]], [1, 1, 2, 3])
        self.assertEqual(found["caches"][3]["size_bytes"], 335544320)
        self.assertEqual(found["caches"][2]["replacement"], "pseudo-lru")


class Small(measure_runs.UtilityTest):
    def test_error_codes(self):
        run = self.run_tool("papi_error_codes", "TESTS_QUIET")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assert_golden("papi_error_codes", re.sub(r"(?m)^(Error code .{4}: ).+$", r"\1TEXT", run.stdout))
        codes = json.loads(self.run_tool("papi_error_codes", "--json").stdout)["codes"]
        self.assertEqual([code["code"] for code in codes], list(range(0, -28, -1)))
        self.assertTrue(all(code["text"] for code in codes))

    def test_version(self):
        run = self.run_tool("papi_version")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "PAPI Version: 7.0.0.0\n", ""))
        found = json.loads(self.run_tool("papi_version", "--json").stdout)
        self.assertEqual((found["library"], found["header"]), ("7.0.0.0", "7.0.0.0"))
        self.assertEqual(found["number"], 7 << 24)

    def test_every_tool_has_help_and_a_man_page(self):
        for tool in ("cost", "clockres", "command_line", "decode", "mem_info", "error_codes", "version",
                     "multiplex_cost"):
            name = f"papi_{tool}"
            run = self.run_tool(name, "-h")
            self.assertEqual(run.returncode, 0, name)
            self.assertIn("--json", run.stdout, name)
            self.assertEqual(run.stdout, self.run_tool(name, "--help").stdout)
            self.assertTrue(self.run_tool(name, "--man").stdout.startswith(f".TH {name} 1"), name)
            self.assertEqual(self.run_tool(name, "--no-such-option").returncode, 2, name)


if __name__ == "__main__":
    measure_runs.main()
