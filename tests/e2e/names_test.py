"""Code that is not where its file says has the right names all the same."""

import collections
import ctypes
import http.server
import json
import os
import shutil
import socket
import signal
import subprocess
import tempfile
import threading

import csink_e2e as e2e


class OddText(e2e.E2eTest):

    def share(self, report, name):
        return e2e.samples_of(report, name) / max(1, e2e.total_samples(report))

    def test_text_that_moved_to_other_memory_keeps_its_names(self):
        run = self.profile("odd_text", "moved", 150)
        self.assertGreater(self.share(run.report, "Movable"), 0.9, run.report["functions"])

    def test_a_program_that_removed_its_file_is_named_at_its_end(self):
        copy = os.path.join(self.folder, "copy")
        shutil.copy(e2e.program_path("odd_text"), copy)
        run = self.profile(copy, "deleted", 150)
        self.assertFalse(os.path.exists(copy))
        self.assertGreater(self.share(run.report, "Movable"), 0.9, run.report["verdict"])

    def test_a_library_from_memory_is_named_at_the_end(self):
        run = self.profile("odd_text", "memfd", 150, os.path.join(e2e.PROGRAMS, "plugin.so"))
        self.assertGreater(self.share(run.report, "PluginHot"), 0.9, run.report["verdict"])

    def test_a_dump_that_a_jit_maps_names_its_code(self):
        run = self.profile("odd_text", "jitdump", 150, self.folder)
        self.assertGreater(self.share(run.report, "Work of the dump"), 0.9,
                           run.report["functions"])
        work = e2e.functions_named(run.report, "Work of the dump")[0]
        self.assertEqual(work["module"], "[jit]")


class StartedThreads(e2e.E2eTest):

    def test_threads_of_the_library_are_named_by_what_they_run(self):
        run = self.profile("started_threads", 200)
        routines = [thread["start_routine"] for thread in run.report["threads"]
                    if e2e.total_samples(thread) > 0 and thread["start_routine"]]
        self.assertEqual(len(routines), 7, run.report["threads"])
        names = {routine.split("(")[0] if "lambda" not in routine else routine.split("::")[-1]
                 for routine in routines}
        self.assertEqual(names, {"{lambda()#1}", "{lambda()#2}", "Function", "Worker::Member",
                                 "Worker::operator", "Later", "Worker::Later"}, routines)

    def routines(self, run):
        return collections.Counter(
            t["start_routine"] for t in run.report["threads"] if e2e.total_samples(t) > 0 and t["start_routine"])

    def test_threads_of_glib_are_named_by_what_they_run(self):
        try:
            ctypes.CDLL("libglib-2.0.so.0")
        except OSError as error:
            self.skipTest(str(error))
        run = self.profile("library_threads", 100)
        self.assertEqual(self.routines(run), {"Single": 1, "Pooled": 2})

    def test_threads_of_openmp_are_named_by_their_first_region(self):
        if not os.path.exists(e2e.program_path("openmp")):
            self.skipTest("OpenMP is not here")
        self.assertEqual(self.routines(self.profile("openmp", 100)), {"main._omp_fn.0": 3})


class DebugInformation(e2e.E2eTest):

    def build(self, name, source, command):
        for tool in ("gcc", "g++", "objcopy"):
            if not shutil.which(tool):
                self.skipTest(f"{tool} is not here")
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(source)
        subprocess.run(command, shell=True, check=True, cwd=self.folder)
        return os.path.join(self.folder, "main")

    def hot(self, program):
        report = self.profile(program).report
        return {function["function"] for function in report["functions"]
                if function["events"][0]["samples"] > 0.05 * e2e.total_samples(report)}

    def test_an_alias_does_not_replace_the_functions_name(self):
        source = """
volatile unsigned long sink;
__attribute__((noinline)) int real_name(long n) { for (long i = 0; i < n; i++) sink += i * 3; return 0; }
int bar(long) __attribute__((alias("real_name")));
int _weak(long) __attribute__((weak, alias("real_name")));
int main(void) { for (int r = 0; r < 40; r++) real_name(5000000); return 0; }
"""
        program = self.build("main.c", source, "gcc -O1 -g -o main main.c")
        self.assertEqual(self.hot(program), {"real_name"})
        subprocess.run(["strip", "--strip-debug", program], check=True)
        self.assertEqual(self.hot(program), {"bar"})

    def test_functions_without_a_symbol_have_their_names(self):
        source = """
volatile unsigned long sink;
namespace outer { struct Box { struct Inner { void spin(long); template <class T> void turn(T); }; static void stat(long); }; }
void outer::Box::Inner::spin(long n) { for (long i = 0; i < n; i++) sink += i * 3; }
template <class T> void outer::Box::Inner::turn(T n) { for (T i = 0; i < n; i++) sink ^= i * 7; }
void outer::Box::stat(long n) { for (long i = 0; i < n; i++) sink -= i * 5; }
int main() {
  outer::Box::Inner box;
  for (int r = 0; r < 40; r++) { box.spin(2000000); box.turn<int>(2000000); outer::Box::stat(2000000); }
}
"""
        program = self.build("main.cc", source,
                             "g++ -O1 -g -fno-inline -o whole main.cc && objcopy -w -N '_ZN5outer*' whole main")
        self.assertEqual(self.hot(program), {"outer::Box::Inner::spin(long)", "outer::Box::stat(long)",
                                             "void outer::Box::Inner::turn<int>(int)"})


class Trees(e2e.E2eTest):
    """csink run, which reports when the processes have ended."""

    PLUGIN = os.path.join(e2e.PROGRAMS, "plugin.so")
    # Line ends, backslashes that mean one or do not, the kernel's words for a file that is gone, other
    # bytes than UTF-8, and a mark that turns the direction of text.
    ODD_NAMES = (b"line\nbreak", b"two\n\nends\n", b"back\\012slash", b"ends (deleted)", b"two  blanks", b"tab\there",
                 b"latin1-\xe9\xff", b"rtl-\xe2\x80\xaetxt")

    def run_tree(self, *command):
        folder = self.fresh_folder()
        report = os.path.join(folder, "tree.json")
        spools = os.path.join(folder, "spools")
        os.mkdir(spools, 0o700)
        done = subprocess.run([e2e.TOOL, "run", "--format", "json", "-o", report, "--", *command],
                              env=e2e.tool_environment(CSINK_SPOOL_DIR=spools), stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=e2e.HANG_SECONDS)
        err = done.stderr.decode("utf-8", "replace")
        self.assertEqual(done.returncode, 0, err)
        self.assertEqual(os.listdir(spools), [], err)
        with open(report, encoding="utf-8") as f:
            return json.load(f)

    def assertNames(self, report, function):
        share = e2e.samples_of(report, function) / max(1, e2e.total_samples(report))
        self.assertGreater(share, 0.9, (report["verdict"], report["functions"]))

    def test_a_program_that_removed_its_file(self):
        for ms in (150, 30):  # A process with few samples leaves a record in the place of a spool.
            copy = os.path.join(self.folder, "copy")
            shutil.copy(e2e.program_path("odd_text"), copy)
            self.assertNames(self.run_tree(copy, "deleted", str(ms)), "Movable")
            self.assertFalse(os.path.exists(copy))

    def test_a_library_from_memory(self):
        report = self.run_tree(e2e.program_path("odd_text"), "memfd", "150", self.PLUGIN)
        self.assertNames(report, "PluginHot")

    def test_a_library_that_was_removed(self):
        self.need_root()  # /proc/PID/map_files
        report = self.run_tree(e2e.program_path("odd_text"), "unlinked", "150", self.PLUGIN)
        self.assertNames(report, "PluginHot")

    def test_many_processes_with_the_same_removed_library(self):
        self.need_root()
        command = f"for i in 1 2 3 4; do {e2e.program_path('odd_text')} memfd 60 {self.PLUGIN}; done"
        self.assertNames(self.run_tree("sh", "-c", command), "PluginHot")

    def test_a_program_of_another_mount_namespace(self):
        self.need_root()
        inside, outside = (os.path.join(self.folder, name) for name in ("inside", "outside"))
        os.mkdir(inside)
        os.mkdir(outside)
        shutil.copy(e2e.program_path("odd_text"), inside)
        # Another program with this path for everybody else.
        shutil.copy(e2e.program_path("split"), os.path.join(outside, "odd_text"))
        command = ["unshare", "-m", "sh", "-c", f"mount --bind {inside} {outside} && exec {outside}/odd_text plain 150"]
        if subprocess.run(["unshare", "-m", "mount", "--bind", inside, outside], capture_output=True, check=False).returncode:
            self.skipTest("mounts are not permitted")
        self.assertNames(self.run_tree(*command), "Movable")

    def test_odd_names_of_programs(self):
        for name in self.ODD_NAMES:
            with self.subTest(name=name):
                path = os.path.join(self.folder, os.fsdecode(name))
                shutil.copy(e2e.program_path("odd_text"), path)
                self.assertNames(self.run_tree(path, "plain", "150"), "Movable")
                run = self.profile(path, "plain", 150)
                self.assertNames(run.report, "Movable")
                os.remove(path)


BURN_FOLDER = []  # of the program that all tests of servers report on


class Server(http.server.BaseHTTPRequestHandler):
    """/buildid/ID/debuginfo of what it was given; everything else is 404."""

    files = {}
    asked = []

    def do_GET(self):
        Server.asked.append(self.path)
        body = Server.files.get(self.path)
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


class DebugFileServers(e2e.E2eTest):

    def setUp(self):
        super().setUp()
        for tool in ("gcc", "objcopy", "strip", "readelf"):
            if not shutil.which(tool):
                self.skipTest(f"{tool} is not here")
        if subprocess.run(["sh", "-c", "ldconfig -p | grep -q libdebuginfod.so.1"],
                          check=False).returncode != 0:
            self.skipTest("libdebuginfod1 is not here")
        self.server = http.server.HTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        Server.files, Server.asked = {}, []
        self.environment = {
            "DEBUGINFOD_URLS": f"http://127.0.0.1:{self.server.server_address[1]}",
            "DEBUGINFOD_CACHE_PATH": os.path.join(self.folder, "cache"),
            "XDG_CACHE_HOME": os.path.join(self.folder, "xdg"),
            "HOME": self.folder,
        }

    @classmethod
    def tearDownClass(cls):
        for folder in BURN_FOLDER:
            shutil.rmtree(folder, ignore_errors=True)

    def shell(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, check=True,
                              capture_output=True, text=True)
        return done.stdout

    built = None  # what every test here needs once: spools, path asked for, debug file

    def stripped_spool(self):
        """The spool of a stripped program, and the path under which its debug file is asked for."""
        if DebugFileServers.built:
            spools, path, debug = DebugFileServers.built
            for name, content in spools:
                with open(os.path.join(self.folder, name), "wb") as f:
                    f.write(content)
            return [os.path.join(self.folder, name) for name, _ in spools], path, debug
        with open(os.path.join(self.folder, "burn.c"), "w", encoding="utf-8") as f:
            f.write('#include <time.h>\n'
                    'static __attribute__((noinline)) void Hidden(void) {\n'
                    '  while (clock() < 100000) for (volatile int i = 0; i < 100000; ++i);\n'
                    '}\n'
                    'int main(void) { Hidden(); return 0; }\n')
        BURN_FOLDER.append(tempfile.mkdtemp(prefix="csink-e2e-", dir="/dev/shm"))
        burn = os.path.join(BURN_FOLDER[0], "burn")
        self.shell(f"gcc -O1 -g -Wl,--build-id burn.c -o {burn} && "
                   f"objcopy --only-keep-debug {burn} burn.debug && strip {burn}")
        notes = self.shell(f"readelf -n {burn}")
        build_id = notes.split("Build ID:")[1].split()[0]
        run = self.run_agent(burn, CSINK_REPORT="0")
        with open(os.path.join(self.folder, "burn.debug"), "rb") as f:
            debug = f.read()
        kept = []
        for spool in run.spools:
            with open(spool, "rb") as f:
                kept.append((os.path.basename(spool), f.read()))
        DebugFileServers.built = kept, f"/buildid/{build_id}/debuginfo", debug
        return run.spools, *DebugFileServers.built[1:]

    def report(self, spools):
        status, out, err = self.run_tool("report", "--format", "json", *spools, **self.environment)
        self.assertEqual(status, 0, err)
        return out, err

    def test_name_functions_for_who_asks_for_it(self):
        spools, path, debug = self.stripped_spool()
        self.assertNotIn('"Hidden"', self.run_tool("report", "--format", "json", *spools)[1])
        self.assertEqual(Server.asked, [])
        Server.files[path] = debug
        out, err = self.report(spools)
        self.assertIn('"Hidden"', out)
        self.assertIn("burn.c", out)
        self.assertEqual(err, "")
        asked = Server.asked.count(path)
        self.assertEqual(asked, 1)
        self.report(spools)
        self.assertEqual(Server.asked.count(path), 1, "what came is kept")

    def test_that_have_nothing_are_not_asked_again(self):
        spools, path, _ = self.stripped_spool()
        out, err = self.report(spools)
        self.assertNotIn('"Hidden"', out)
        self.assertEqual(err, "")
        self.assertEqual(Server.asked.count(path), 1)
        self.report(spools)
        self.assertEqual(Server.asked.count(path), 1, "that there is nothing is remembered")

    def test_give_no_names_with_another_build_id(self):
        spools, path, debug = self.stripped_spool()
        self.shell("echo 'int main(void) { return 7; }' > other.c && "
                   "gcc -g -Wl,--build-id other.c -o other")
        with open(os.path.join(self.folder, "other"), "rb") as f:
            Server.files[path] = f.read()
        self.assertNotEqual(Server.files[path], debug)
        self.assertNotIn('"main"', self.report(spools)[0])

    def test_that_cannot_be_reached_cost_one_line(self):
        spools, _, _ = self.stripped_spool()
        self.environment["DEBUGINFOD_URLS"] = "http://127.0.0.1:1"
        out, err = self.report(spools)
        self.assertIn("burn", out)
        self.assertIn("debuginfod", err)
        self.assertEqual(err.count("\n"), 1, err)

    def test_that_never_answer_cost_ten_seconds_in_all(self):
        spools, _, _ = self.stripped_spool()
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(16)
            self.environment["DEBUGINFOD_URLS"] = f"http://127.0.0.1:{silent.getsockname()[1]}"
            out, err = self.report(spools)
            self.assertIn("burn", out)
            self.assertIn("no answer within 10 s", err)
            self.assertEqual(err.count("\n"), 1, err)

    def test_that_never_answer_are_left_by_ctrl_c(self):
        spools, _, _ = self.stripped_spool()
        for number, command in enumerate((["report"], ["view", "--no-browser"], ["export", "--format", "folded"])):
            with self.subTest(command=command), socket.socket() as silent:
                silent.bind(("127.0.0.1", 0))
                silent.listen(16)
                self.environment["DEBUGINFOD_URLS"] = f"http://127.0.0.1:{silent.getsockname()[1]}"
                # A cache of its own: the library may remember the file as missing.
                self.environment["DEBUGINFOD_CACHE_PATH"] = os.path.join(self.folder, f"cache{number}")
                waits = subprocess.Popen(
                    ["env", "--default-signal=INT", e2e.TOOL, *command, *spools[:1]],
                    env=e2e.tool_environment(**self.environment), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.addCleanup(waits.kill)
                connection, _ = silent.accept()
                self.addCleanup(connection.close)
                waits.send_signal(signal.SIGINT)
                _, err = waits.communicate(timeout=e2e.HANG_SECONDS)
                self.assertEqual((waits.returncode, err), (-signal.SIGINT, b""))

    def test_are_not_asked_while_a_program_waits(self):
        self.stripped_spool()
        Server.asked = []
        status, _, err = self.run_tool("run", "--", os.path.join(BURN_FOLDER[0], "burn"),
                                       **self.environment)
        self.assertEqual(status, 0, err)
        run = self.run_agent(os.path.join(BURN_FOLDER[0], "burn"), **self.environment)
        self.assertEqual(run.status, 0)
        self.assertEqual(Server.asked, [])


if __name__ == "__main__":
    e2e.main()
