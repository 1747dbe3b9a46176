"""csink run over trees: a row for each process, however short, and what could not be followed."""

import os
import shutil
import subprocess
import sys
import tempfile

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, samples_of


class TreeTest(E2eTest):
    def tree(self, *command, status=0, options=(), **env):
        folder = self.fresh_folder()
        environment = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool")
        environment["PATH"] = csink_e2e.PROGRAMS + ":" + environment.get("PATH", "/usr/bin:/bin")
        environment.update(env)
        run = self.run_command([csink_e2e.TOOL, "run", "-e", "task-clock", *options, "--format",
                                "json", "-o", folder + "/report.tree", "--", *command],
                               environment, folder)
        self.assertEqual(run.status, status, run.stderr)
        return run

    def shell(self, script, **more):
        return self.tree("sh", "-c", script, **more)

    def rows(self, run, program):
        return [p for p in run.reports[0]["processes"] if p["program"] == program]

    def notes(self, run):
        return [n for n in run.reports[0]["verdict"]["notes"] if n.startswith("not followed")]


class Rows(TreeTest):
    def test_processes_without_a_sample_have_rows(self):
        run = self.shell("for i in 1 2 3; do true; /bin/true; done; split 140; :")
        trues = self.rows(run, "true")
        self.assertEqual(len(trues), 3, run.reports[0]["processes"])
        self.assertEqual({p["samples"] for p in trues}, {0})
        self.assertEqual(len({p["pid"] for p in trues}), 3)
        self.assertEqual({p["parent_pid"] for p in trues}, {self.rows(run, "dash")[0]["pid"]})
        self.assertEqual({p["command"] for p in trues}, {"/bin/true"})
        self.assertGreater(sum(p["user_seconds"] + p["system_seconds"] for p in trues), 0)
        self.assertEqual(run.spools, [])
        self.assertEqual(run.stderr, "")

    def test_samples_of_small_processes_are_all_there(self):
        run = self.shell("for i in 1 2 3 4 5 6 7 8; do split 28; done; :")
        report = run.reports[0]
        rows = self.rows(run, "split")
        self.assertEqual(len(rows), 8)
        for row in rows:
            self.assertGreaterEqual(row["samples"], 14)  # of 28, and what a loaded machine steals
        self.assertEqual(sum(p["samples"] for p in report["processes"]),
                         report["events"][0]["samples"])
        self.assertGreater(samples_of(report, "work::Sixty"),
                           0.4 * sum(p["samples"] for p in rows))
        self.assertNothingLost(report)

    def test_images_of_one_process_follow_each_other(self):
        run = self.shell("exec env A=1 nice -n 1 sh -c 'exec split 140'")
        rows = run.reports[0]["processes"]
        self.assertEqual(len({p["pid"] for p in rows}), 1, rows)
        self.assertEqual([(p["generation"], p["program"]) for p in rows],
                         [(0, "dash"), (1, "env"), (2, "nice"), (3, "dash"), (4, "split")])

    def test_exec_that_fails_leaves_one_row(self):
        run = self.tree("forks", "exec_fails", "6", "20")
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertEqual(len(self.rows(run, "forks")), 1)
        self.assertGreater(samples_of(run.reports[0], "ParentWork"), 60)

    def test_forked_children_have_rows_and_their_own_samples(self):
        run = self.tree("forks", "fork", "6", "20")
        rows = self.rows(run, "forks")
        self.assertEqual(len(rows), 7)
        report = run.reports[0]
        self.assertGreater(samples_of(report, "ChildWork"), 0.6 * 6 * 20)
        self.assertGreater(samples_of(report, "ParentWork"), 0.6 * 2 * 20)

    def test_every_way_to_make_a_process(self):
        for mode, count in (("vfork", 10), ("spawn", 10), ("system", 6), ("raw_fork", 4),
                            ("fork_threads", 4)):
            run = self.tree("forks", mode, str(count), "30")
            self.assertEqual(run.stdout, "wrong 0\n", mode)
            self.assertEqual(run.stderr, "", mode)
            self.assertEqual(run.spools, [], mode)

    def test_make_with_four_jobs(self):
        if not shutil.which("make"):
            self.skipTest("no make")
        makefile = os.path.join(self.folder, "Makefile")
        with open(makefile, "w", encoding="utf-8") as f:
            f.write("all: " + " ".join(f"t{i}" for i in range(12)) + "\n"
                    "t%:\n\t@split 28; true $@; sh -c 'exec true $@'\n")
        run = self.tree("make", "-s", "-j4", "-f", makefile)
        self.assertEqual(len(self.rows(run, "make")), 1)
        self.assertEqual(len(self.rows(run, "split")), 12)
        make = self.rows(run, "make")[0]["pid"]
        shells = [p for p in self.rows(run, "dash") if p["parent_pid"] == make]
        self.assertEqual(len(shells), 12)
        pids = {p["pid"] for p in shells}
        self.assertTrue(all(p["parent_pid"] in pids for p in self.rows(run, "split")))


class Rough(TreeTest):
    def test_programs_that_close_everything(self):
        files = os.path.join(self.folder, "files")
        os.makedirs(files)
        run = self.tree("descriptors", "closeall", "40", files)
        self.assertEqual(run.stdout, "alive 8 of 8\n")
        self.assertEqual(len(self.rows(run, "descriptors")), 1)

    def test_a_limit_on_file_sizes_kills_nobody(self):
        run = self.shell("ulimit -f 0; split 28 | cat >/dev/null; exit 5", status=5)
        self.assertNotIn("File size", run.stderr)

    def test_kill_9_costs_its_victim_alone(self):
        run = self.shell("split 28; (kill -9 $(exec sh -c 'echo $PPID')); split 28; :")
        self.assertEqual(len(self.rows(run, "split")), 2)

    def test_damaged_records_are_named_and_the_rest_is_read(self):
        run = self.shell("for f in $CSINK_SPOOL_DIR/*.csink; do :; done; split 28; "
                         "printf 'CSINKREC rubbish' >> $CSINK_SPOOL_DIR/tree.records.csink; "
                         "split 28; :")
        self.assertEqual(len(self.rows(run, "split")), 2)
        self.assertTrue(any("damaged in 1 place" in n
                            for n in run.reports[0]["verdict"]["notes"]))

    def test_a_daemon_does_not_hold_the_tree(self):
        run = self.tree("descriptors", "daemonize", "60")
        self.assertGreater(explained_seconds(run.reports[0]), 0.03)


class SampledFromOutside(TreeTest):
    """Static children of a program that has the agent: csink-attach samples them."""

    LOOP = csink_e2e.program_path("static_loop")

    def assertSampled(self, run, rows, least):
        report = run.reports[0]
        self.assertEqual(self.notes(run), [])
        self.assertEqual(run.spools, [])
        found = self.rows(run, "static_loop")
        self.assertEqual(len(found), rows, report["processes"])
        self.assertGreaterEqual(min(p["samples"] for p in found), least)
        self.assertGreaterEqual(min(p["depth"] for p in found), 1)
        # csink-attach is a process of the tree for the kernel, but none that lacks a profile. Begins and ends of five
        # processes are in none, and take milliseconds on a slow machine.
        lacking = [n for n in report["verdict"]["notes"] if "in no profile" in n]
        self.assertFalse([n for n in lacking if "csink-attach" in n or "static" in n], lacking)
        self.assertLess(report["verdict"]["lost_seconds"]["unprofiled_processes"], 0.1 * least / 1000 * rows, lacking)
        return report

    def test_a_static_child_of_a_shell(self):
        run = self.shell(f"echo $({self.LOOP} plain 300 | wc -l); {self.LOOP} plain 300 >/dev/null; :")
        self.assertEqual(run.stderr, "")
        self.assertEqual(run.stdout, "1\n")
        report = self.assertSampled(run, 2, 200)
        self.assertGreater(samples_of(report, "Loop"), 400)
        self.assertEqual({p["parent_pid"] for p in self.rows(run, "static_loop")} -
                         {p["pid"] for p in report["processes"]}, set())

    def test_children_by_posix_spawn(self):
        run = self.tree("follow", "static", self.LOOP)
        self.assertEqual(run.stdout.splitlines()[-1], "wrong 0")
        self.assertEqual(self.notes(run), [])

    def test_a_script_with_a_static_interpreter(self):
        script = os.path.join(self.folder, "script")
        with open(script, "w", encoding="utf-8") as f:
            f.write("#! " + self.LOOP + " plain\n")
        os.chmod(script, 0o755)
        # static_loop takes the script's name for the time, which is 0.
        run = self.shell(f"split 28; {script}; :")
        self.assertEqual(self.notes(run), [])

    def test_the_program_sees_what_it_would_see(self):
        busybox = shutil.which("busybox")
        if not busybox:
            self.skipTest("no busybox (busybox-static)")
        with open(busybox, "rb") as f:
            if b"ld-linux" in f.read(1 << 20):
                self.skipTest("busybox is linked dynamically here")
        script = (f"trap '' USR2; {busybox} sh -c 'ls -l /proc/self/fd | wc -l; "
                  "grep -E \"^(Sig(Blk|Ign|Cgt)|ShdPnd)\" /proc/self/status; "
                  "env | grep -v -E \"^(CSINK_|LD_PRELOAD|_=)\" | sort; wait; exit 7'; echo $?")
        environment = csink_e2e.tool_environment()
        environment["PATH"] = csink_e2e.PROGRAMS + ":" + environment.get("PATH", "/usr/bin:/bin")
        plain = subprocess.run(["sh", "-c", script], env=environment, capture_output=True,
                               text=True, check=True, cwd=self.folder)
        run = self.shell(script + "; split 100 >/dev/null")
        self.assertEqual(self.comparable(run.stdout), self.comparable(plain.stdout))
        self.assertEqual(run.stderr, plain.stderr)

    @staticmethod
    def comparable(text):
        """Without the working directory, and without glibc's signals 32 and 33, which posix_spawn ignores."""
        lines = [line for line in text.splitlines() if not line.startswith(("PWD=", "OLDPWD="))]
        return [f"SigIgn: {int(line.split()[1], 16) & ~0x180000000:x}" if line.startswith("SigIgn") else line
                for line in lines]

    def test_events_that_cannot_be_opened(self):
        # csink-attach starts, but has no descriptors for events.
        run = self.shell(f"split 28; (ulimit -n 6; {self.LOOP} plain 30); :")
        self.assertEqual(self.notes(run), [f"not followed: {self.LOOP} is statically linked"])

    def test_settings_and_limits_under_which_it_is_not_sampled(self):
        for options, script in ((("--exclude", "nothing"), f"{self.LOOP} plain 5"),
                                ((), f"(ulimit -v 4000000; {self.LOOP} plain 5)")):
            with self.subTest(options=options):
                run = self.shell(f"split 28; {script}; :", options=options)
                self.assertEqual(self.notes(run), [f"not followed: {self.LOOP} is statically linked"])

    def test_an_exec_that_fails_fails_as_before(self):
        program = os.path.join(self.folder, "static_copy")
        shutil.copy(self.LOOP, program)
        os.chmod(program, 0o644)
        run = self.shell(f"split 28; {program}; echo $?")
        self.assertEqual(run.stdout.splitlines()[-1], "126")
        self.assertIn("Permission denied", run.stderr)


class NotFollowed(TreeTest):

    def test_other_machines_and_set_id_programs_are_named(self):
        self.need_root()
        foreign = os.path.join(self.folder, "foreign")
        with open(csink_e2e.program_path("split"), "rb") as f:
            image = bytearray(f.read())
        image[18:20] = b"\xf3\x00"  # EM_RISCV
        with open(foreign, "wb") as f:
            f.write(image)
        os.chmod(foreign, 0o755)
        set_id = os.path.join(self.folder, "set_id")
        shutil.copy("/bin/true", set_id)
        os.chown(set_id, 65534, 65534)
        os.chmod(set_id, 0o4755)
        run = self.shell(f"split 28; {foreign} 2>/dev/null; {set_id}; :")
        self.assertEqual(sorted(self.notes(run)),
                         [f"not followed: {foreign} is built for another architecture or word size",
                          f"not followed: {set_id} is setuid or setgid"])

    def with_capabilities(self):
        """A program with a file capability, in a folder that an ordinary user reaches."""
        self.need_root()
        setcap = shutil.which("setcap") or shutil.which("setcap", path="/usr/sbin:/sbin")
        if not setcap or not shutil.which("setpriv"):
            self.skipTest("needs setcap (libcap2-bin) and setpriv")
        folder = tempfile.mkdtemp(prefix="csink-e2e-caps-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, folder)
        os.chmod(folder, 0o755)
        for path in (csink_e2e.AGENT, csink_e2e.TOOL, csink_e2e.program_path("secure"),
                     csink_e2e.program_path("split")):
            shutil.copy(path, folder)
        done = subprocess.run([setcap, "cap_net_raw+ep", folder + "/secure"], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            self.skipTest("no file capabilities here: " + done.stderr.strip())
        return folder

    def as_nobody(self, home, *command, **env):
        folder = self.fresh_folder()
        os.chmod(self.folder, 0o711)
        for path in (folder, folder + "/spool"):
            os.chown(path, 65534, 65534)
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool", **env) | {
            "CSINK_AGENT": home + "/libagent.so"}
        return self.run_command(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                 *command], env, folder)

    def test_file_capabilities_are_named_and_respected(self):
        home = self.with_capabilities()
        # The agent alone: the loader ignores it, and the program runs as ever.
        secure = home + "/secure"
        plain = self.as_nobody(home, secure, "60")
        self.assertIn("secure 1", plain.stdout)
        run = self.as_nobody(home, "env", "LD_PRELOAD=" + home + "/libagent.so", secure, "60")
        self.assertEqual((run.status, run.stdout, run.spools),
                         (plain.status, plain.stdout, []), run.stderr)
        # csink run says why there is nothing.
        command = [home + "/csink", "run", "-e", "task-clock", "--format", "json", "-o"]
        run = self.as_nobody(home, *command, "report.tree", "--", secure, "60")
        self.assertEqual((run.status, run.stdout), (plain.status, plain.stdout), run.stderr)
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        self.assertIn("has file capabilities", run.own_lines[0])
        # Within a tree it is a row of what was not followed.
        run = self.as_nobody(home, *command, "report.tree", "--", "sh", "-c",
                             f"{home}/split 60; {secure} 60; :")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(self.notes(run), [f"not followed: {secure} has file capabilities"])

    def test_an_environment_without_us_is_named(self):
        run = self.tree("follow", "environment", "20")
        self.assertEqual(len(self.notes(run)), 1)
        self.assertIn("(8 times)", self.notes(run)[0])
        run = self.tree("follow", "environment", "20", CSINK_FOLLOW="all")
        self.assertEqual(self.notes(run), [])
        # A child that has a sample before its exec has two rows.
        self.assertEqual(len({p["pid"] for p in self.rows(run, "follow")}), 9)


class NobodyWaited(TreeTest):
    """CPU time that wait4 does not have: the parent ignores SIGCHLD."""

    def test_the_time_of_a_process_without_a_profile_lowers_the_grade(self):
        burner = "import time\nwhile time.process_time() < 0.6: pass"
        # The child's image has an empty environment, so it is not followed.
        script = ("import os, signal, sys, time; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
                  "os.fork() or os.execve(sys.executable, [sys.executable, '-c', sys.argv[1]], {}); "
                  "time.sleep(1.5)")
        run = self.tree(sys.executable, "-c", script, burner)
        if run.reports[0]["source"] != "ring":
            self.skipTest("the inherited counter needs perf events")
        verdict = run.reports[0]["verdict"]
        self.assertGreater(verdict["lost_seconds"]["unprofiled_processes"], 0.4)
        self.assertEqual(verdict["grade"], "poor")
        # Nobody waited for it, so its number and its program are not known.
        self.assertRegex(" ".join(verdict["notes"]), r"is in no profile: .* unknown")


if __name__ == "__main__":
    csink_e2e.main()
