"""Files and folders that somebody else has planted, and what root's reports may show."""

import json
import os
import shutil
import stat
import subprocess
import time

import csink_e2e
from csink_e2e import E2eTest, agent_environment, program_path

NOBODY = 65534
SECRET = "int the_password_is_swordfish;"


def read(path):
    with open(path, encoding="utf-8", errors="replace") as text:
        return text.read()


class Snapshots(E2eTest):
    """snapshot FILE: the file's name comes from whoever may write to the fifo."""

    def setUp(self):
        super().setUp()
        self.fifo = os.path.join(self.folder, "ctl")
        env = agent_environment(self.fresh_folder(), CSINK_CONTROL=self.fifo)
        self.child = subprocess.Popen([program_path("controlled"), "steps", "100", "1"], env=env, cwd=self.folder,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: self.child.communicate("\n", timeout=csink_e2e.HANG_SECONDS))
        self.assertTrue(self.child.stdout.readline().startswith("step "))

    def snapshot(self, path):
        return self.run_tool("ctl", self.fifo, "snapshot", path)[0]

    def test_replaces_reports_only(self):
        report = os.path.join(self.folder, "report")
        self.assertEqual([self.snapshot(report), self.snapshot(report)], [0, 0])
        self.assertEqual(json.loads(read(report))["format"], "csink-report")
        empty = os.path.join(self.folder, "empty")
        with open(empty, "w", encoding="utf-8"):
            pass
        self.assertEqual(self.snapshot(empty), 0)
        for content in ("precious\n", "#!/bin/sh\ncsink run -- app\n", "PERFILE2h" + "\0" * 2000, "{\n  \"format\": \"x\"\n}\n"):
            other = os.path.join(self.folder, "other")
            with open(other, "w", encoding="utf-8") as text:
                text.write(content)
            self.assertEqual(self.snapshot(other), 1, content)
            self.assertEqual(read(other), content)

    def test_follows_no_link(self):
        target = os.path.join(self.folder, "target")
        self.assertEqual(self.snapshot(target), 0)
        before = read(target)
        for name, make in (("soft", os.symlink), ("hard", os.link)):
            path = os.path.join(self.folder, name)
            make(target, path)
            self.assertEqual(self.snapshot(path), 1, name)
            self.assertEqual(read(target), before, name)
        dangling = os.path.join(self.folder, "dangling")
        os.symlink(os.path.join(self.folder, "new"), dangling)
        self.assertEqual(self.snapshot(dangling), 1)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "new")))


class Folders(E2eTest):
    """A usual folder for spools that somebody else made first."""

    def setUp(self):
        super().setUp()
        run = self.run_agent("split", 100, CSINK_REPORT="0")
        self.spool = run.spools[0]
        self.victim = os.path.dirname(self.spool)
        self.runtime = os.path.join(self.folder, "runtime")
        os.mkdir(self.runtime)
        self.usual = os.path.join(self.runtime, "csink")

    def csink(self, *args):
        env = csink_e2e.tool_environment(XDG_RUNTIME_DIR=self.runtime)
        env.pop("CSINK_SPOOL_DIR", None)
        done = subprocess.run([csink_e2e.TOOL, *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, timeout=csink_e2e.HANG_SECONDS)
        return done.returncode, done.stdout + done.stderr

    def refused(self):
        for args in (("report",), ("report", self.usual), ("report", self.usual + "/")):
            _, said = self.csink(*args)
            self.assertIn(self.usual, said)
            self.assertIn("not used: it is a symbolic link or another user's", said)
            self.assertNotIn(os.path.basename(self.spool), said)
        self.assertTrue(os.path.exists(self.spool))

    def test_a_link_is_not_followed(self):
        os.symlink(self.victim, self.usual)
        self.refused()

    def test_a_folder_that_others_may_write_to_is_not_used(self):
        shutil.copytree(self.victim, self.usual)
        os.chmod(self.usual, 0o777)
        self.refused()

    def test_a_folder_of_another_user_is_not_used(self):
        self.need_root()
        shutil.copytree(self.victim, self.usual)
        os.chown(self.usual, NOBODY, NOBODY)
        self.refused()

    def test_a_link_in_the_place_of_a_trees_folder_is_not_followed(self):
        os.mkdir(self.usual, 0o700)
        os.symlink(self.victim, os.path.join(self.usual, "tree.0000000000000001"))
        for args in (("report",), ("report", os.path.join(self.usual, "tree.0000000000000001"))):
            _, said = self.csink(*args)
            self.assertNotIn(os.path.basename(self.spool), said)

    def test_ones_own_folder_is_used(self):
        shutil.copytree(self.victim, self.usual)
        os.chmod(self.usual, 0o700)
        status, said = self.csink("report")
        self.assertEqual(status, 0, said)
        self.assertIn(os.path.join(self.usual, os.path.basename(self.spool)), said)
        self.assertNotIn("not used", said)

    def test_a_listing_removes_nothing(self):
        """An hour, a week or a year later: the file's time says nothing, the spool's own does."""
        shutil.copytree(self.victim, self.usual)
        os.chmod(self.usual, 0o700)
        before = sorted(os.listdir(self.usual))
        old = time.time() - 400 * 86400
        for name in before:
            os.utime(os.path.join(self.usual, name), (old, old))
        self.csink("report")
        self.assertEqual(sorted(os.listdir(self.usual)), before)
        # A complete spool is kept even when old ones are to go; --clean takes no files.
        self.assertEqual(self.csink("report", "--clean", self.usual)[0], 2)


class TimeNamespaces(E2eTest):
    def test_a_process_of_another_one_runs(self):
        self.need_root()
        if not os.path.exists("/proc/self/ns/time") or not shutil.which("unshare"):
            self.skipTest("no time namespaces")
        folder = self.fresh_folder()
        env = agent_environment(folder, CSINK_REPORT="0")
        spools = os.path.join(folder, "spool")
        child = subprocess.Popen(["unshare", "--time", "--boottime", "100000", "--fork", "--kill-child",
                                  program_path("split"), "60000"], env=env, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)

        def row():
            if child.poll() is not None:
                self.skipTest("unshare --time does not work here: " + child.stderr.read())
            return [line for line in self.run_tool("report", CSINK_SPOOL_DIR=spools)[1].splitlines() if " split " in line]

        rows = self.wait_for(row, "the spool of the program")
        self.assertIn(" running ", rows[0])


class OtherUsers(E2eTest):
    """The debug information of another user's program names files that only root may read."""

    def setUp(self):
        super().setUp()
        self.need_root()
        if not shutil.which("gcc"):
            self.skipTest("no gcc")
        os.chmod(self.folder, 0o755)

    def program_whose_source_is(self, path, name):
        source = os.path.join(self.folder, name + ".c")
        with open(source, "w", encoding="utf-8") as text:
            text.write(f'#include <time.h>\n#line 1 "{path}"\nint main(void) {{ volatile long x = 0;\n'
                       "while (clock() < 200000) for (int i = 0; i < 100000; ++i) x += i;\nreturn 0; }\n")
        binary = os.path.join(self.folder, name)
        subprocess.run(["gcc", "-g", "-O1", source, "-o", binary], check=True)
        return binary

    def page_of(self, binary, owner):
        """Root's page of a spool that belongs to `owner`, and its mode."""
        run = self.run_agent(binary, CSINK_REPORT="0")
        for spool in run.spools:
            os.chown(spool, owner, owner)
        page = os.path.join(self.folder, os.path.basename(binary) + ".html")
        status, _, err = self.run_tool("report", "--format", "html", "-o", page, *run.spools)
        self.assertEqual(status, 0, err)
        return read(page)

    def write(self, name, mode):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as text:
            text.write((SECRET + "\n") * 5)
        os.chmod(path, mode)
        return path

    def test_root_reads_sources_with_the_rights_of_the_program_s_user(self):
        secret = self.program_whose_source_is(self.write("secret", 0o600), "a")
        self.assertIn("swordfish", self.page_of(secret, 0), "root's own program")
        self.assertNotIn("swordfish", self.page_of(secret, NOBODY))
        # Root's group is none of the user's.
        group = self.program_whose_source_is(self.write("group", 0o640), "b")
        self.assertNotIn("swordfish", self.page_of(group, NOBODY))
        public = self.program_whose_source_is(self.write("public", 0o644), "c")
        self.assertIn("swordfish", self.page_of(public, NOBODY))
        own = self.write("own", 0o600)
        os.chown(own, NOBODY, NOBODY)
        self.assertIn("swordfish", self.page_of(self.program_whose_source_is(own, "d"), NOBODY))

    def test_the_page_of_another_user_s_program_is_for_root_alone(self):
        if not shutil.which("setpriv"):
            self.skipTest("no setpriv")
        attacher = os.path.join(os.path.dirname(csink_e2e.AGENT), "csink-attach")
        if not os.path.exists(attacher):
            self.skipTest("no csink-attach")
        child = subprocess.Popen(["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups",
                                  shutil.copy(program_path("split"), self.folder), "20000"],
                                 stdout=subprocess.DEVNULL)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        page = os.path.join(self.folder, "page.html")
        with open(page, "w", encoding="utf-8"):
            os.chmod(page, 0o644)
        for path in (page, os.path.join(self.folder, "new.html")):
            status, _, err = self.run_tool("attach", "--duration", "0.5", "-o", path, child.pid,
                                           CSINK_SPOOL_DIR=self.fresh_folder() + "/spool")
            if status == 1 and "perf_event_open" in err:
                self.skipTest("no events of other processes here: " + err)
            self.assertEqual(status, 0, err)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)


class Outputs(E2eTest):
    def setUp(self):
        super().setUp()
        self.spools = self.run_agent("split", 100, CSINK_REPORT="0").spools

    def test_a_folder_that_is_made_is_said(self):
        path = os.path.join(self.folder, "reprots", "x.txt")
        status, _, err = self.run_tool("report", "-o", path, *self.spools)
        self.assertEqual(status, 0, err)
        self.assertIn(f"the folder {os.path.dirname(path)} did not exist and was made", err)
        self.assertEqual(self.run_tool("report", "-o", path, *self.spools)[2], "")

    def test_a_closed_pipe_is_in_the_status(self):
        command = f'"{csink_e2e.TOOL}" export --format=ndjson "$0" | true; echo "${{PIPESTATUS[0]}}"'
        ended = subprocess.run(["bash", "-c", "trap - PIPE; " + command, self.spools[0]], capture_output=True, text=True,
                               check=True, restore_signals=True, env=csink_e2e.tool_environment())
        # The reader may have been slow to end: then all was written into the pipe.
        self.assertIn((ended.stdout.strip(), ended.stderr), (("141", ""), ("0", "")))
        ignored = subprocess.run(["bash", "-c", "trap '' PIPE; exec 3>&1; { sleep 1; \"$1\" export --format=ndjson \"$0\"; "
                                  "echo $? >&3; } | true", self.spools[0], csink_e2e.TOOL], capture_output=True,
                                 text=True, check=True, env=csink_e2e.tool_environment())
        self.assertEqual(ignored.stdout.strip(), "1")
        self.assertIn("the output was closed before all was written", ignored.stderr)


if __name__ == "__main__":
    csink_e2e.main()
