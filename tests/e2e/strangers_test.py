"""Programs that bring their own allocator, wrappers, profiler or no C library of ours."""

import glob
import os
import shutil

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, samples_of

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs",
                       "strange")
LIBRARIES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")
ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4",
              "mimalloc": "libmimalloc.so.2.0"}
INERT = {"CSINK_OUTPUT": None}


class Strangers(E2eTest):
    def need(self, program):
        path = shutil.which(program)
        if not path:
            self.skipTest(f"no {program}")
        return path

    def need_library(self, name):
        for folder in LIBRARIES:
            for path in sorted(glob.glob(os.path.join(folder, name))):
                return path
        return self.skipTest(f"no {name}")

    def compile(self, source, *flags, compiler=None, name="a.out"):
        compiler = compiler or ("g++" if source.endswith("pp") else "gcc")
        binary = os.path.join(self.folder, name)
        done = self.run_command([self.need(compiler), "-O1", "-g", "-pthread", "-o", binary,
                                 os.path.join(SOURCES, source), *flags],
                                csink_e2e.clean_environment(), self.fresh_folder())
        self.assertEqual(done.status, 0, done.stderr)
        return binary

    def lines(self, text):
        return [l for l in text.splitlines() if not l.startswith(("cpu_ns", "thread "))]

    def same(self, *command, least=0.9, before="", after="", env=None):
        """Same status and output with and without the agent, whose report explains the time.
        `before`, `after`: other libraries to preload."""
        others = " ".join(x for x in (before, after) if x)
        folder = self.fresh_folder()
        plain = self.run_command([str(c) for c in command], csink_e2e.clean_environment() |
                                 ({"LD_PRELOAD": others} if others else {}) | (env or {}), folder)
        self.assertEqual(plain.status, 0, plain.stdout + plain.stderr)
        preload = " ".join(x for x in (before, csink_e2e.AGENT, after) if x)
        run = self.run_agent(*command, LD_PRELOAD=preload, **(env or {}))
        self.assertEqual((run.status, self.lines(run.stdout), run.stderr),
                         (plain.status, self.lines(plain.stdout), plain.stderr))
        self.assertGreaterEqual(explained_seconds(run.report), least * run.user - 0.05)
        return run.report


class Allocators(Strangers):
    def allocator(self, name):
        library = self.need_library(ALLOCATORS[name])
        plain = self.compile("allocs.cpp")
        linked = self.compile("allocs.cpp", "-Wl,--no-as-needed", library, name="linked")
        for case in ({"before": library}, {"after": library}):
            with self.subTest(**case):
                report = self.same(plain, 200000, **case)
                self.assertTrue([f for f in report["functions"] if name in f["module"]],
                                "the allocator's own functions are seen")
        with self.subTest("linked"):
            self.same(linked, 200000)
        with self.subTest("short lives"):
            self.same(os.path.join(csink_e2e.PROGRAMS, "loop"), "plain", 100, before=library, least=0.8)

    def test_jemalloc(self):
        self.allocator("jemalloc")

    def test_tcmalloc(self):
        self.allocator("tcmalloc")

    def test_mimalloc(self):
        self.allocator("mimalloc")

    def test_an_allocator_that_looks_functions_up(self):
        report = self.same(self.compile("own_malloc.c"))
        self.assertGreater(samples_of(report, "Burn"), 0)
        self.same(self.compile("own_malloc.c", "-fPIE", "-rdynamic"),
                  env={"OWN_MALLOC_VERBOSE": "1"})


class Wrappers(Strangers):
    def test_a_program_that_wraps_thread_creation_and_the_environment(self):
        for define in ("-DWRAP_NEXT", "-DWRAP_LIBC"):
            with self.subTest(define):
                binary = self.compile("wraps.c", "-DWRAP_MAIN", define, "-rdynamic")
                if define == "-DWRAP_NEXT":
                    report = self.same(binary)
                    self.assertGreater(samples_of(report, "Burn"), 0)
                    continue
                # Past us to the C library's own: threads that nobody told us of.
                plain, run = self.run_plain(binary), self.run_agent(binary)
                self.assertEqual((run.status, run.stdout), (plain.status, plain.stdout))

    def test_a_preloaded_wrapper_before_and_after_us(self):
        wrapper = self.compile("wraps.c", "-shared", "-fPIC", name="wraps.so")
        program = self.compile("allocs.cpp")
        self.same(program, 200000, before=wrapper)
        self.same(program, 200000, after=wrapper)


class OwnProfilers(Strangers):
    def papi(self, library, *flags, **more):
        binary = self.compile("papi_counts.c", *flags, "-Wl,--no-as-needed", library)
        env = {"LD_LIBRARY_PATH": os.path.dirname(library)}
        before = more.get("before")
        probe = self.run_command([binary], csink_e2e.clean_environment() | env |
                                 ({"LD_PRELOAD": before} if before else {}), self.fresh_folder())
        if probe.status == 4 and "name:" in probe.stdout:
            self.skipTest("this libpapi has no software events here: " + probe.stdout.strip())
        self.assertNotIn("wrong", probe.stdout)
        self.same(binary, env=env, **more)

    def test_our_libpapi(self):
        library = os.environ.get("CSINK_E2E_PAPI", "")
        if not os.path.exists(library):
            self.skipTest("libpapi is not built")
        self.papi(library, "-I", os.path.join(os.path.dirname(os.path.dirname(SOURCES)), "..",
                                              "compat", "papi", "include"))

    def test_debians_libpapi(self):
        if not os.path.exists("/usr/include/papi.h"):
            self.skipTest("no papi.h")
        # A machine without a PMU gets a CPU that libpapi knows; the software events are real.
        shim = self.compile(os.path.join("..", "..", "peers", "known_cpu.c"), "-shared", "-fPIC",
                            "-ldl", name="known_cpu.so")
        self.papi(self.need_library("libpapi.so.7.0"), before=shim)

    def test_a_program_that_unwinds_itself_by_libunwind(self):
        self.same(self.compile("unwinds.c", "-Wl,--no-as-needed",
                               self.need_library("libunwind.so.8")))


class WithoutUs(Strangers):
    """Programs into which nothing can be preloaded run as ever, and we say nothing."""

    def assertInert(self, binary, *args):
        plain = self.run_plain(binary, *args)
        run = self.run_agent(binary, *args)
        self.assertEqual((run.status, self.lines(run.stdout), run.stderr),
                         (plain.status, self.lines(plain.stdout), plain.stderr))
        self.assertEqual((run.reports, run.spools), ([], []))

    def test_static_programs(self):
        for flags in (("-static",), ("-static-pie", "-fPIE")):
            with self.subTest(flags):
                self.assertInert(self.compile("allocs.cpp", *flags), 1000)

    def test_a_musl_program(self):
        # musl's loader looks for what LD_PRELOAD names and complains of the symbols that
        # only glibc has: we cannot prevent that, the guide tells of it.
        binary = self.compile("own_loop.c", compiler="musl-gcc")
        plain = self.run_plain(binary)
        run = self.run_agent(binary)
        self.assertEqual(plain.status, 0)
        self.assertEqual((run.reports, run.spools), ([], []))
        self.assertIn("Error relocating", run.stderr)
        static = self.compile("own_loop.c", "-static", compiler="musl-gcc", name="static")
        self.assertInert(static)


if __name__ == "__main__":
    csink_e2e.main()
