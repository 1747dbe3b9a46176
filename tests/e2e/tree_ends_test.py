"""How the processes of a tree end, and what they use that no sample shows: by wait calls and other records."""

import signal
import subprocess

import csink_e2e
from csink_e2e import E2eTest

SOURCE = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char** environ;
__attribute__((noinline)) static void Burn(double seconds) {
  volatile unsigned long x = 1;
  while (clock() < seconds * CLOCKS_PER_SEC)
    for (int i = 0; i < 10000; i++) x = x * 3 + 1;
}
static void RawExit(int status) {
#if defined(__x86_64__)
  __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(status) : "rcx", "r11", "memory");
#else
  register long number __asm__("x8") = SYS_exit_group;
  register long first __asm__("x0") = status;
  __asm__ volatile("svc 0" : : "r"(number), "r"(first) : "memory");
#endif
}
static void Child(const char* way) {
  Burn(0.3);
  if (!strcmp(way, "raw")) RawExit(3);
  if (!strcmp(way, "killed")) raise(SIGKILL);
  _exit(0);
}
int main(int argc, char** argv) {
  const char* way = argv[1];
  if (!strcmp(way, "burn")) return Burn(0.3), 0;
  if (!strcmp(way, "top-raw")) Burn(0.3), RawExit(3);
  if (!strcmp(way, "spawn")) {
    pid_t pid = 0;
    char* words[] = {argv[2], "burn", NULL};
    if (posix_spawn(&pid, argv[2], NULL, NULL, words, environ) != 0) return 1;
    return waitpid(pid, NULL, 0) == pid ? 0 : 1;
  }
  if (!strcmp(way, "daemon")) {
    if (fork() == 0) {
      if (fork() == 0) Child("exit");
      _exit(0);
    }
    sleep(2);
    return 0;
  }
  pid_t pid = fork();
  if (pid == 0) Child(way);
  siginfo_t info;
  int status = 0;
  if (argc > 2 && !strcmp(argv[2], "waitid")) return waitid(P_PID, pid, &info, WEXITED) ? 1 : 0;
  if (argc > 2 && !strcmp(argv[2], "nobody")) return sleep(2), 0;
  return waitpid(pid, &status, 0) == pid ? 0 : 1;
}
"""


class TreeEnds(E2eTest):
    def setUp(self):
        super().setUp()
        self.program = self.build("ends")

    def build(self, name, *options):
        path = f"{self.folder}/{name}"
        with open(path + ".c", "w", encoding="ascii") as file:
            file.write(SOURCE)
        done = subprocess.run(["cc", "-O1", *options, "-o", path, path + ".c"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest("needs a C compiler: " + done.stderr)
        return path

    def tree(self, *words, status=0, options=()):
        folder = self.fresh_folder()
        run = self.run_command([csink_e2e.TOOL, "run", *options, "--format", "json", "-o", folder + "/report.tree",
                                "--", self.program, *words],
                               csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool"), folder)
        self.assertEqual(run.status, status, run.stderr)
        (report,) = run.reports
        ledger = report["ledger"]
        remainders = sum(row["seconds"] for row in ledger["remainders"])
        self.assertAlmostEqual(ledger["explained_seconds"] + remainders, ledger["cpu_seconds"], places=6)
        self.assertEqual(report["user_seconds"], ledger["user_seconds"])
        return report

    def states(self, report):
        return sorted(process["state"] for process in report["processes"])

    def causes(self, report):
        return {row["cause"] for row in report["ledger"]["remainders"]}

    def test_an_exit_past_libc_is_called_by_its_status(self):
        report = self.tree("top-raw", status=3)
        self.assertEqual((report["state"], report["end"]), ("exited", "exit 3"))
        notes = " ".join(report["verdict"]["notes"])
        self.assertIn("exited with status 3", notes)
        self.assertNotIn("killed", notes)

    def test_the_exit_of_a_child_is_that_of_its_wait(self):
        for how in ("waitpid", "waitid"):
            with self.subTest(how=how):
                self.assertEqual(self.states(self.tree("raw", how)), ["complete", "exited"])

    def test_killed_is_said_by_a_wait_status(self):
        report = self.tree("killed")
        self.assertEqual(self.states(report), ["complete", "killed"])
        self.assertIn(f"killed by {signal.Signals(signal.SIGKILL).name}", " ".join(report["verdict"]["notes"]))

    def test_an_end_that_nobody_waited_for_is_unknown(self):
        self.assertEqual(self.states(self.tree("killed", "nobody")), ["complete", "unknown"])

    def test_a_daemon_is_in_the_header(self):
        report = self.tree("daemon")
        self.assertGreaterEqual(report["user_seconds"], 0.25)
        self.assertEqual(report["ledger"]["processes"], 3)

    def test_a_static_child_is_named_with_its_time(self):
        static = self.build("static", "-static")
        report = self.tree("spawn", static, options=("--source", "timer"))
        rows = [row for row in report["ledger"]["remainders"] if row["cause"] == "static-program"]
        self.assertEqual(len(rows), 1, report["ledger"])
        self.assertEqual(rows[0]["evidence"]["program"], static)
        self.assertGreaterEqual(rows[0]["seconds"], 0.25)

    def test_what_the_settings_exclude_is_no_unknown(self):
        report = self.tree("spawn", self.build("other"), options=("--exclude", "other"))
        self.assertIn("excluded-by-settings", self.causes(report))
        self.assertLess(report["ledger"]["unknown_seconds"], 0.05)


if __name__ == "__main__":
    csink_e2e.main()
