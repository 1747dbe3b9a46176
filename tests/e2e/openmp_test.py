"""The section of a report about parallel regions, of real programs with both runtimes: their lines, threads and how
unevenly their work is spread. The share of the barriers is printed beside the program's own measurement: without a processor
of its own for each thread both say different things (docs/openmp.md)."""

import os
import re
import shutil
import subprocess

import csink_e2e
from csink_e2e import E2eTest, main

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "openmp_regions.c")
COMPILERS = {"libgomp": "gcc", "libomp": "clang-14"}
MS = 30


def line_of(words):
    with open(SOURCE, encoding="utf-8") as f:
        return next(number for number, line in enumerate(f, 1) if words in line and "#pragma" in line)


class OpenMp(E2eTest):
    def build(self, runtime):
        program = os.path.join(self.folder, "regions-" + runtime)
        compiler = shutil.which(COMPILERS[runtime])
        if not compiler:
            self.skipTest("needs " + COMPILERS[runtime])
        made = subprocess.run([compiler, "-D_GNU_SOURCE", "-O1", "-g", "-fopenmp", "-o", program, SOURCE], check=False,
                              capture_output=True, text=True)
        if made.returncode != 0 and re.search("omp.h|-lomp", made.stderr):
            self.skipTest("needs libomp-14-dev")
        self.assertEqual(made.returncode, 0, made.stderr)
        return program

    def check(self, runtime, **env):
        program = self.build(runtime)
        report = os.path.join(self.folder, "report.json")
        folder = self.fresh_folder()
        run = self.run_command([csink_e2e.TOOL, "run", "-e", "task-clock", "--stacks", "unwind", "--wait", "--format", "json",
                                "-o", report, "--", program, str(MS)],
                               csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool", **env), folder)
        self.assertEqual((run.status, run.stderr), (0, ""))
        section = csink_e2e._load(report)["openmp"]
        self.assertEqual([name.split(".")[0] for name in section["runtimes"]], [runtime])
        self.assertEqual(section["threads"], 2)
        regions = {region["line"]: region for region in section["regions"]}
        self.assertEqual(set(regions), {line_of("the uneven region"), line_of("the even region")}, section["regions"])
        for name in ("uneven", "even"):
            region = regions[line_of(f"the {name} region")]
            self.assertEqual((os.path.basename(region["file"]), region["threads"]), ("openmp_regions.c", 2))
            self.assertEqual(region["in"], "main")
            truth, ready = next(map(float, line.split()[1:]) for line in run.stdout.splitlines() if line.startswith(name + " "))
            said = region["barrier"]["share"]
            print(f"  {runtime} {name}: waiting {100 * truth:.1f} %, reported {100 * said:.1f} %, without a processor "
                  f"{100 * ready:.1f} %")
        uneven = regions[line_of("the uneven region")]
        self.assertAlmostEqual(uneven["imbalance"], 1 / 3, delta=0.1)

    def test_libgomp(self):
        self.check("libgomp")

    def test_libomp(self):
        self.check("libomp")

    def test_libgomp_that_sleeps(self):
        self.check("libgomp", OMP_WAIT_POLICY="passive")

    def test_libomp_that_sleeps(self):
        self.check("libomp", KMP_BLOCKTIME="0")


if __name__ == "__main__":
    main()
