"""Programs built with sanitizers: same output, same findings, and a report."""

import os
import subprocess

import csink_e2e
from csink_e2e import samples_of
from strangers_test import Strangers

# What the sanitizers are there for must still be found: (flag, extra source, words of the finding)
ERRORS = {
    "address": "int main(int c, char** v) { char* p = new char[c]; delete[] p; return p[v[0][0] & 0]; }\n",
    "undefined": "int main(int c, char**) { volatile int x = 0x7fffffff; x = x + c; return 0; }\n",
    "thread": "#include <thread>\nint g; int main() { std::thread t([] { for (int i = 0; i < 1000;"
              " ++i) ++g; }); for (int i = 0; i < 1000; ++i) ++g; t.join(); return 0; }\n",
    "leak": "int main() { for (int i = 0; i < 9; ++i) { volatile char* p = new char[100]; *p = 1; }"
            " return 0; }\n",
}
FINDINGS = {"address": "heap-use-after-free", "undefined": "signed integer overflow",
            "thread": "data race", "leak": "detected memory leaks"}
# ASan starts its own leak check at the end by a tracer thread, TSan needs a quiet address space.
ENVIRONMENT = {"ASAN_OPTIONS": "abort_on_error=0", "LSAN_OPTIONS": "exitcode=23"}


class Sanitized(Strangers):
    def sanitizer(self, flag, compiler):
        self.need(compiler)
        clang = compiler.startswith("clang")
        flags = [f"-fsanitize={flag}"] + (["-lstdc++", "-lm"] if clang else [])
        program = self.compile("allocs.cpp", *flags, compiler=compiler)
        rounds = {"thread": 100000, "address": 60000}.get(flag, 100000)
        probe = self.run_command([program, "100"], csink_e2e.clean_environment() | ENVIRONMENT,
                                 self.fresh_folder())
        if probe.status != 0:
            self.skipTest(f"{flag} of {compiler} does not run here: {probe.stderr[:200]}")
        with self.subTest("same behaviour"):
            self.same(program, rounds, env=ENVIRONMENT, least=0.8)
        with self.subTest("same finding"):
            self.finding(flag, flags, compiler)
        return program, rounds

    def finding(self, flag, flags, compiler):
        source = os.path.join(self.folder, flag + ".cpp")
        with open(source, "w", encoding="ascii") as f:
            f.write(ERRORS[flag])
        program = self.compile(source, *flags, compiler=compiler, name="faulty")
        folder = self.fresh_folder()
        plain = self.run_command([program], csink_e2e.clean_environment() | ENVIRONMENT, folder)
        run = self.run_agent(program, **ENVIRONMENT)
        self.assertIn(FINDINGS[flag], plain.stderr)
        self.assertIn(FINDINGS[flag], run.stderr)
        self.assertEqual(run.status, plain.status)

    def test_gcc_address(self):
        program, rounds = self.sanitizer("address", "g++")
        # The order that its own message asks for, too.
        library = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True,
                                 check=True, text=True).stdout.strip()
        self.same(program, rounds, before=os.path.realpath(library), env=ENVIRONMENT, least=0.8)

    def test_gcc_thread(self):
        self.sanitizer("thread", "g++")

    def test_gcc_undefined(self):
        self.sanitizer("undefined", "g++")

    def test_gcc_leak(self):
        self.sanitizer("leak", "g++")

    def test_gcc_address_inside(self):
        self.same(self.compile("allocs.cpp", "-fsanitize=address", "-static-libasan"), 60000,
                  env=ENVIRONMENT, least=0.8)

    def test_clang_address(self):
        self.sanitizer("address", "clang++-14")

    def test_clang_thread(self):
        self.sanitizer("thread", "clang++-14")

    def test_clang_undefined(self):
        self.sanitizer("undefined", "clang++-14")


class Controlled(Strangers):
    """csink.h in programs that are built with a sanitizer: the calls reach the agent, and the
    sanitizer has nothing to say about them."""

    def controlled(self, flag, compiler):
        tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        include = os.path.join(tests, "..", "agent", "include")
        flags = [f"-fsanitize={flag}", "-fno-sanitize-recover=all", "-D_GNU_SOURCE", "-I", include]
        program = self.compile(os.path.join(tests, "programs", "phases.c"), *flags, compiler=compiler)
        alone = self.run_command([program, "pauses", "1", "1"], csink_e2e.clean_environment(),
                                 self.fresh_folder())
        if "failed" not in alone.stdout:
            self.skipTest(f"{flag} of {compiler} does not run here: {alone.stderr[:200]}")
        self.assertEqual((alone.status, alone.stderr, alone.values("failed")), (0, "", [38.0] * 2))
        marks = self.profile(program, "marks", 4, 20)
        self.assertEqual(marks.values("failed"), [])
        names = {p["name"]: p for p in marks.report["phases"]}
        for name in ("alpha", "beta"):
            self.assertAlmostEqual(names[name]["cpu_seconds"],
                                   marks.values(name + "_ns")[0] / 1e9, delta=0.03)
        threads = self.profile(program, "threads", 60, 4)
        self.assertEqual(threads.values("failed"), [])
        sampled = threads.values("sampled_ns")[0] / 1e9
        self.assertGreater(samples_of(threads.report, "Alpha"), 0.8 * sampled * 1000)
        self.assertLessEqual(samples_of(threads.report, "Beta"), 8)
        forked = self.profile(program, "fork", 60)
        self.assertEqual((forked.values("child_status"), forked.values("parent_status")), ([1], [1]))

    def test_gcc_address(self):
        self.controlled("address", "gcc")

    def test_gcc_thread(self):
        self.controlled("thread", "gcc")

    def test_gcc_undefined(self):
        self.controlled("undefined", "gcc")

    def test_clang_address(self):
        self.controlled("address", "clang-14")

    def test_clang_thread(self):
        self.controlled("thread", "clang-14")


if __name__ == "__main__":
    csink_e2e.main()
