"""csink run as root on processes that become other users: their samples are there, and what another user
plants is not."""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

import csink_e2e
from csink_e2e import E2eTest, samples_of

NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root, and setpriv to become others")
class UsersTest(E2eTest):
    programs = ("other_users", "split")

    def setUp(self):
        super().setUp()
        # The build tree may be closed to others: what they run is copied.
        self.bin = tempfile.mkdtemp(prefix="csink-e2e-bin-")
        self.addCleanup(shutil.rmtree, self.bin)
        os.chmod(self.bin, 0o755)
        os.chmod(self.folder, 0o711)
        for path in (csink_e2e.AGENT, *map(csink_e2e.program_path, self.programs)):
            shutil.copy(path, self.bin)

    def tree(self, *command, status=0, during=None, options=(), **env):
        folder = self.fresh_folder()
        os.chmod(folder, 0o711)
        environment = csink_e2e.tool_environment(
            CSINK_SPOOL_DIR=folder + "/spool", CSINK_AGENT=os.path.join(self.bin, os.path.basename(csink_e2e.AGENT)))
        environment["PATH"] = self.bin + ":" + environment.get("PATH", "/usr/bin:/bin")
        environment.update(env)
        run = self.run_command([csink_e2e.TOOL, "run", "-e", "task-clock", *options, "--format", "json", "-o",
                                folder + "/report.tree", "--", *map(str, command)], environment, folder, during)
        self.assertEqual(run.status, status, run.stderr)
        return run

    def places(self, run):
        """Those of this run, by the mark of its stderr: other trees may run meanwhile."""
        status = os.stat(run.folder + "/stderr")
        marks = glob.glob(f"/dev/shm/csink-users/*/stderr.{status.st_dev:x}.{status.st_ino:x}")
        return [os.path.dirname(mark) for mark in marks]

    def assertNothingLeft(self, run):
        self.assertEqual(run.spools, [])
        self.assertEqual(self.places(run), [])

    def assertAllThere(self, run):
        """No CPU time of the tree is without samples, and no word was needed."""
        self.assertEqual(run.stderr, "")
        self.assertNothingLost(run.reports[0])
        self.assertNothingLeft(run)


class Changes(UsersTest):
    def test_forked_children_that_drop(self):
        run = self.tree("other_users", "drop", 300)
        self.assertAllThere(run)
        rows = [p for p in run.reports[0]["processes"] if p["samples"] > 150]
        self.assertEqual(len(rows), 2, run.reports[0]["processes"])
        self.assertGreater(samples_of(run.reports[0], "AsFirst"), 300)

    def test_a_process_that_drops_and_executes(self):
        run = self.tree(*AS_NOBODY, "split", 300)
        self.assertAllThere(run)
        rows = [(p["program"], p["samples"] > 150) for p in run.reports[0]["processes"]]
        self.assertEqual(sorted(rows), [("setpriv", False), ("split", True)])

    def test_small_processes_of_another_user(self):
        run = self.tree(*AS_NOBODY, "sh", "-c", "for i in 1 2 3 4 5 6; do split 20; true; /bin/true; done")
        self.assertAllThere(run)
        programs = [p["program"] for p in run.reports[0]["processes"]]
        self.assertEqual((programs.count("split"), programs.count("true")), (6, 6), programs)

    def test_a_process_that_changes_its_user_twice(self):
        run = self.tree("other_users", "twice", 150)
        self.assertAllThere(run)
        self.assertGreater(samples_of(run.reports[0], "AsRoot"), 75)
        self.assertGreater(samples_of(run.reports[0], "AsFirst"), 150)
        self.assertGreater(samples_of(run.reports[0], "AsSecond"), 150)

    def test_an_ordinary_user_has_no_second_place(self):
        folder = self.fresh_folder()
        for path in (folder, folder + "/spool"):
            os.chown(path, NOBODY, NOBODY)
        shutil.copy(csink_e2e.TOOL, self.bin)
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool", CSINK_AGENT=os.path.join(
            self.bin, os.path.basename(csink_e2e.AGENT)))
        places = "ls /dev/shm/csink-users/ 2>&1 | grep -c tree"
        run = self.run_command([*AS_NOBODY, self.bin + "/csink", "run", "--format", "json", "-o",
                                folder + "/report.tree", "--", "sh", "-c", f"{self.bin}/split 200; {places}; true"],
                               env, folder)
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual(run.stdout.split()[-1], "0")
        self.assertGreater(samples_of(run.reports[0], "work::Sixty"), 50)


PLANT = """
import os, shutil, sys
tree, source = int(os.environ['CSINK_TREE']), sys.argv[1]
place = f'/dev/shm/csink-users/tree.{tree:016x}'
own = f'{place}/{os.getuid()}'
os.makedirs(own, mode=0o700, exist_ok=True)
if source.endswith('.csink'):
    shutil.copy(source, own)  # a spool of another tree
os.symlink('/etc/shadow', own + '/link.vm.4001.1.0.csink')
os.symlink('/etc/shadow', own + '/tree.messages')
os.mkfifo(own + '/fifo.vm.4002.1.0.csink')
os.mkfifo(own + '/tree.records.csink')
open(own + '/junk.vm.4003.1.0.csink', 'w').write('x' * 9000)
os.symlink('/etc', place + '/1')  # in the place of another user
assert not os.access(place, os.R_OK), 'the trees can be listed'
"""


class Planted(UsersTest):
    def plant(self, *more):
        run = self.tree("sh", "-c", " ".join(AS_NOBODY) + f" {sys.executable} {self.bin}/plant.py "
                        + " ".join(more or ("nothing",)) + "; split 150")
        for place in self.places(run):  # left, because what was planted could not be read
            self.addCleanup(shutil.rmtree, place)
        report = run.reports[0]
        self.assertEqual({p["program"] for p in report["processes"]} - {"dash", "setpriv", "split"},
                         {os.path.basename(os.path.realpath(sys.executable))})
        self.assertGreater(samples_of(report, "work::Sixty"), 50)
        return run

    def setUp(self):
        super().setUp()
        with open(self.bin + "/plant.py", "w", encoding="ascii") as f:
            f.write(PLANT)
        done = subprocess.run([*AS_NOBODY, sys.executable, "-c", ""], check=False, capture_output=True)
        if done.returncode != 0:
            self.skipTest("other users cannot run this python")

    def test_links_fifos_and_junk_are_not_read(self):
        run = self.plant()
        self.assertIn("junk.vm.4003.1.0.csink", run.stderr)  # not a spool, and told
        self.assertNotIn("root:", run.stderr)

    def test_a_spool_of_another_tree_is_refused(self):
        other = self.tree("split", 150, options=("--keep",))
        spool = glob.glob(other.folder + "/spool/*/split.*.csink")[0]
        mine = shutil.copy(spool, self.bin)
        os.chmod(mine, 0o644)
        run = self.plant(mine)
        self.assertIn("a spool of another tree, left by another user", run.stderr)


class Messages(UsersTest):
    WRONG = "CSINK_MIN_SAMPLES=many split 100"

    def shell(self, script, launcher=()):
        folder = self.fresh_folder()
        os.chmod(folder, 0o777)
        run = self.tree(*launcher, "sh", "-c", script.replace("LOG", folder + "/log"))
        try:
            with open(folder + "/log", encoding="utf-8") as f:
                return run, f.read()
        except FileNotFoundError:
            return run, None

    def told_once(self, run):
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        self.assertIn("CSINK_MIN_SAMPLES='many'", run.own_lines[0])

    def test_the_stderr_of_csink_run_gets_them_at_once(self):
        run, _ = self.shell(f"{self.WRONG}")
        self.told_once(run)

    def test_a_log_of_the_program_does_not_get_them(self):
        run, log = self.shell(f"exec 2>LOG; {self.WRONG}")
        self.assertEqual(log, "")
        self.told_once(run)

    def test_those_of_another_user_are_told_as_well(self):
        run, log = self.shell(f"exec 2>LOG; {self.WRONG}", AS_NOBODY)
        self.assertEqual(log, "")
        self.told_once(run)

    def test_a_limit_of_file_sizes_is_named_and_kills_nothing(self):
        # By a pipe: the limit holds for a file as stderr, too.
        run = self.tree("sh", "-c", "other_users limit 250 2>&1 | cat; other_users drop 100")
        self.assertIn("RLIMIT_FSIZE", run.stdout)
        self.assertNotIn("sandbox", run.stdout + run.stderr)
        self.assertNotIn("CSINK_SPOOL_DIR", run.stdout + run.stderr)

    def test_a_folder_that_is_removed(self):
        run = self.tree("sh", "-c", "split 100; rm -r $CSINK_SPOOL_DIR; exec 9<&-; kill -9 $$", status=137)
        self.assertIn("was removed while the program ran", run.stderr)


class Servers(UsersTest):
    programs = ()

    def need_user(self, name):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            self.skipTest("no user " + name)

    def test_nginx(self):
        if not os.path.exists("/usr/sbin/nginx"):
            self.skipTest("no nginx")
        self.need_user("www-data")
        folder = tempfile.mkdtemp(prefix="csink-e2e-nginx-")
        self.addCleanup(shutil.rmtree, folder)
        os.chmod(folder, 0o755)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        with open(folder + "/page.txt", "w", encoding="ascii") as f:
            f.write(" ".join(str(i * i) for i in range(60000)))
        with open(folder + "/conf", "w", encoding="ascii") as f:
            f.write(f"""user www-data; worker_processes 2; pid {folder}/pid; error_log {folder}/errors; daemon off;
events {{ worker_connections 64; }}
http {{ access_log off; gzip on; gzip_types *; gzip_comp_level 9; server {{ listen 127.0.0.1:{port}; root {folder}; }} }}
""")

        def ask(_):
            def answers():
                with socket.socket() as s:
                    return s.connect_ex(("127.0.0.1", port)) == 0
            self.wait_for(answers, "nginx")
            request = urllib.request.Request(f"http://127.0.0.1:{port}/page.txt", headers={"Accept-Encoding": "gzip"})
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            for _ in range(40):
                opener.open(request).read()
            with open(folder + "/pid", encoding="ascii") as f:
                os.kill(int(f.read()), 3)  # SIGQUIT: ends when the requests are answered
        run = self.tree("nginx", "-c", folder + "/conf", during=ask, PATH="/usr/sbin:/usr/bin:/bin")
        with open(folder + "/errors", encoding="utf-8") as f:
            self.assertNotIn("csink: ", f.read())
        report = run.reports[0]
        of_workers = sum(p["samples"] for p in report["processes"] if p["parent_pid"] != 0)
        self.assertGreater(of_workers, 100, report["processes"])
        zlib = sum(f["events"][0]["samples"] for f in report["functions"] if "libz" in f["module"])
        self.assertGreater(zlib, 0.5 * of_workers)
        self.assertNothingLeft(run)

    def test_postgresql(self):
        programs = glob.glob("/usr/lib/postgresql/*/bin")
        if not programs or not shutil.which("su"):
            self.skipTest("no postgresql, or no su")
        user = self.need_user("postgres")
        folder = tempfile.mkdtemp(prefix="csink-e2e-postgres-")
        self.addCleanup(shutil.rmtree, folder)
        os.chown(folder, user.pw_uid, user.pw_gid)
        server = sorted(programs)[-1]
        subprocess.run(["su", "postgres", "-s", "/bin/sh", "-c",
                        f"cd {folder} && {server}/initdb -D data -A trust -N --locale=C"], check=True, capture_output=True)
        query = "select sum(length(md5(i::text))) from generate_series(1, 400000) i"
        run = self.tree("su", "postgres", "-s", "/bin/sh", "-c",
                        f"cd {folder}; {server}/pg_ctl -s -w -D data -l log -o '-k {folder} -c listen_addresses=' start && "
                        f"{server}/psql -h {folder} -At -c '{query}' postgres; {server}/pg_ctl -s -w -D data -m fast stop")
        self.assertEqual(run.stdout.split()[-1], str(400000 * 32))
        with open(folder + "/log", encoding="utf-8") as f:
            self.assertNotIn("csink: ", f.read())
        backends = [p for p in run.reports[0]["processes"] if p["program"] == "postgres"]
        self.assertGreater(sum(p["samples"] for p in backends), 100, run.reports[0]["processes"])
        self.assertNothingLeft(run)


if __name__ == "__main__":
    csink_e2e.main()
