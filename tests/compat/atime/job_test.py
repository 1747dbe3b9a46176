"""atime -p, --cgroup and --live."""

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
import unittest

import apapi_run
import atime_runs
import zone_runs
from card_runs import CardTest

BURN = "import time\nwhile time.process_time() < {}: pass\n"  # s of CPU time, whatever else runs


def burn(seconds):
    return subprocess.Popen([sys.executable, "-c", BURN.format(seconds)])


@unittest.skipUnless(zone_runs.IN_NAMESPACE in os.environ, "see FakePowercap")
class Share(zone_runs.ZoneTest):
    def job(self, *options, status=0):
        run = self.atime("--format", "json", *options, env=self.zones())
        self.assertEqual(run.status, status, run.stderr)
        return json.loads(run.stdout)

    def check(self, report):
        job = report["job"]
        self.assertEqual(job["events"], report["total"]["events"])
        self.assertAlmostEqual(job["estimated_joules"], job["share"] * report["total"]["joules"], places=9)
        self.assertGreater(job["cpu_seconds"], 0)
        self.assertLessEqual(job["share"], 1)
        self.assertAlmostEqual(job["share"], min(1, job["cpu_seconds"] / job["machine_cpu_seconds"]), places=9)

    def test_a_process_is_measured_until_it_ends(self):
        other, process = burn(60), burn(1)
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        report = self.job("-p", process.pid)
        self.assertEqual(process.wait(), 0)
        self.check(report)
        # The other one uses as much, so neither has all of it.
        self.assertLess(report["job"]["share"], 0.9)
        self.assertEqual(report["job"]["name"], f"process {process.pid}")
        self.assertEqual((report["command"], report["exit_status"], report["signal"]), ([], None, None))

    def test_descendants_belong_to_it(self):
        process = subprocess.Popen(["sh", "-c", f"{sys.executable} -c '{BURN.format(1)}'; exit 0"])
        self.addCleanup(process.wait)
        self.check(self.job("-p", process.pid))

    def test_a_program_ends_the_measurement(self):
        process = burn(60)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        report = self.job("-p", process.pid, "sh", "-c", "sleep 0.5; exit 3", status=3)
        self.check(report)
        self.assertEqual(report["exit_status"], 3)

    def test_text_csv_and_openmetrics_tell_it(self):
        process = burn(60)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        run = self.atime("--openmetrics", self.path("a.prom"), "-p", process.pid, "sleep", "0.4", env=self.zones())
        self.assertRegex(run.stdout, rf"\nATIME: CPU time of process {process.pid}: \S+ s, \S+ % of the \S+ s that")
        self.assertRegex(run.stdout, rf"\nATIME: energy of process {process.pid}: \S+ J, an estimate: ")
        self.assertRegex(self.read("a.prom"), rf'\natime_job_energy_joules{{job="process {process.pid}"}} \d')
        run = self.atime("--format", "csv", "-p", process.pid, "sleep", "0.4", env=self.zones())
        [row] = [r for r in csv.DictReader(io.StringIO(run.stdout)) if r["component"] == "job"]
        self.assertEqual((row["value0_acc"], row["energy_low_J"]), (row["energy_J"], ""))
        self.assertGreater(float(row["energy_J"]), 0)
        self.assertLessEqual(float(row["value1_avg"]), 1)

    def test_each_run_has_its_own_share(self):
        process = burn(60)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        report = self.job("-r", 4, "-p", process.pid, "sleep", "0.3")
        [cpu] = [s for s in report["statistics"] if (s["component"], s["type"]) == ("job", "time")]
        with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
            user, system = map(int, stat.read().rpartition(")")[2].split()[11:13])
        # Runs that contained the ones before would have more than twice the process's time together.
        self.assertLessEqual(4 * cpu["mean"], (user + system) / os.sysconf("SC_CLK_TCK"))
        self.assertGreater(cpu["mean"], 0)

    def test_a_control_group_is_measured(self):
        group = own_group()
        if not group:
            self.skipTest("the control group of this test does not count CPU time")
        process = burn(60)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.check(self.job("--cgroup", group, "sleep", "0.4"))


def own_group():
    """The folder of this process's control group, if it counts CPU time."""
    with open("/proc/self/cgroup", encoding="ascii") as lines:
        for line in lines:
            _, controllers, path = line.strip().split(":", 2)
            for base in ("/sys/fs/cgroup", "/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct"):
                for folder in (base + path, base):
                    if controllers in ("", "cpuacct", "cpu,cpuacct") and os.path.exists(folder + "/cgroup.procs") and \
                            any(os.path.exists(f"{folder}/{name}") for name in ("cpu.stat", "cpuacct.usage")):
                        return folder.rstrip("/")
    return None


class Ends(CardTest):
    @staticmethod
    def is_measuring(pid):
        """Whether atime has a timer's thread beside its main thread."""
        return len(os.listdir(f"/proc/{pid}/task")) > 1

    def test_a_signal_ends_it_with_a_report(self):
        job = subprocess.Popen(["sleep", "60"])
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([atime_runs.ATIME, "--format", "json", "-p", str(job.pid)],
                                       env=apapi_run.clean_environment() | self.environment(), text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # Before the measurement, a signal is an end without a report.
            while not self.is_measuring(process.pid):
                time.sleep(0.05)
            time.sleep(0.3)
            process.send_signal(number)
            out, err = process.communicate(timeout=apapi_run.HANG_SECONDS)
            self.assertEqual(process.returncode, 0, err)
            report = json.loads(out)
            # A card's energy is not shared by CPU time.
            self.assertIsNone(report["job"]["estimated_joules"])
            self.assertEqual(report["job"]["events"], [])
            self.assertGreater(report["total"]["joules"], 1)
        self.assertIsNone(job.poll(), "the job goes on")

    def test_what_cannot_be_measured_is_one_line(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        for options, why in ((["-p", gone.pid], "there is no process"), (["-p", "1x"], "not a list of process ids"),
                             (["-p", ""], "not a list"), (["-p", "0"], "not a list"), (["-p", "1,"], "not a list"),
                             (["--cgroup", "no/such"], "not a control group"), (["-r", "2", "-p", "1"], "needs a program"),
                             (["-p", "1", "--cgroup", "a"], "exclude each other")):
            run = self.atime(*options, env=self.environment())
            self.assertEqual((run.status, run.stdout), (1, ""), options)
            self.assertOneLine(run.stderr, "^atime: .*" + why)

    def test_counters_of_programs_do_not_follow_it(self):
        run = self.atime("-p", os.getpid(), env=self.software_events())
        self.assertEqual(run.status, 1)
        self.assertIn("component perf counts a program that atime starts; it cannot count a job that runs", run.stderr)


class Live(CardTest):
    def shown(self, *arguments):
        """What atime writes on a terminal that is its standard error."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be made here (is /dev/pts mounted?): {error}")
        self.addCleanup(os.close, ours)
        done = subprocess.run([atime_runs.ATIME, *map(str, arguments)], stderr=theirs, stdout=subprocess.PIPE,
                              env=apapi_run.clean_environment() | self.environment(), check=False,
                              timeout=apapi_run.HANG_SECONDS)
        os.write(theirs, b"end")
        os.close(theirs)
        text = b""
        while not text.endswith(b"end"):
            text += os.read(ours, 4096)
        self.assertEqual(done.returncode, 0)
        return text[:-3].decode()

    def test_a_terminal_has_a_line_that_goes(self):
        text = self.shown("--live", "sleep", "1.4")
        self.assertRegex(text, r"^(\ratime: \d+ s, [\d.]+ J, [\d.]+ W\x1b\[K)+\r\x1b\[K$")
        joules = float(text.split(", ")[1].split()[0])
        self.assertTrue(25 < joules < 500, text)  # 50 W, for a second or, on a busy machine, more

    def test_it_is_wanted_or_there_is_no_program(self):
        self.assertEqual(self.shown("sleep", "1.4"), "")
        job = subprocess.Popen(["sleep", "2.5"])
        self.addCleanup(job.wait)
        self.assertIn("CPU time of the job 0 s", self.shown("-p", job.pid))

    def test_a_file_has_none(self):
        run = self.atime("--live", "sleep", "1.3", env=self.environment())
        self.assertEqual((run.status, run.stderr), (0, ""))


@unittest.skipIf(zone_runs.IN_NAMESPACE in os.environ, "this is that run")
class FakePowercap(unittest.TestCase):
    def test_in_a_mount_namespace(self):
        zone_runs.run_in_namespace(self, __file__, "Share")


if __name__ == "__main__":
    apapi_run.main()
