"""Code made while the program runs is called as its maker's map calls it."""

import os
import shutil

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, functions_named, sampled_seconds, samples_of

NODE = """
function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
let sum = 0;
for (let i = 0; i < 4; ++i) sum += fibonacci(33);
console.log(sum);
"""

JAVA = """
public class Hot {
  static long collatz(long n) {
    long steps = 0;
    while (n != 1) { n = n % 2 == 0 ? n / 2 : 3 * n + 1; ++steps; }
    return steps;
  }
  public static void main(String[] a) {
    long most = 0;
    for (long n = 1; n < 1500000; ++n) most = Math.max(most, collatz(n));
    System.out.println(most);
  }
}
"""

GO = """
package main

import (
\t"fmt"
\t"net"
\t"sync"
)

//go:noinline
func HotLoop(n uint64) uint64 {
\tx := uint64(88172645463325252)
\tfor i := uint64(0); i < n; i++ {
\t\tx = x*6364136223846793005 + 1442695040888963407
\t}
\treturn x
}

func main() {
\t_, err := net.LookupHost("localhost") // the C library's resolver: dynamic cgo
\tvar wait sync.WaitGroup
\tsums := make([]uint64, 4)
\tfor i := range sums {
\t\twait.Add(1)
\t\tgo func(i int) { sums[i] = HotLoop(200000000); wait.Done() }(i)
\t}
\twait.Wait()
\tfmt.Println(err == nil, sums[0] == sums[3])
}
"""


class Jit(E2eTest):
    def jit(self, mode):
        run = self.profile("jit", mode, 400000)
        self.addCleanup(lambda: os.path.exists(self.map_of(run)) and os.unlink(self.map_of(run)))
        return run

    def map_of(self, run):
        return f"/tmp/perf-{run.pid}.map"

    def assertNamed(self, run):
        period = sampled_seconds(run.report) / run.report["events"][0]["samples"]
        for name, key in (("First of the JIT", "a_ns"), ("Second of the JIT", "b_ns")):
            seconds = samples_of(run.report, name) * period
            self.assertGreaterEqual(seconds, 0.9 * run.values(key)[0] / 1e9, name)
            self.assertLessEqual(seconds, 1.05 * run.values(key)[0] / 1e9, name)
            row = functions_named(run.report, name)[0]
            self.assertEqual((row["module"], row["source"]), ("[jit]", "perf-map"))
        self.assertFalse([n for n in run.report["verdict"]["notes"] if "without a file" in n])

    def test_a_map_names_the_functions(self):
        self.assertNamed(self.jit("map"))

    def test_a_map_written_at_the_end(self):
        self.assertNamed(self.jit("late"))

    def test_code_that_was_replaced_has_its_last_name(self):
        run = self.jit("moved")
        self.assertNamed(run)
        self.assertEqual(samples_of(run.report, "Stale code"), 0)

    def test_without_a_map_it_is_one_row(self):
        run = self.jit("nomap")
        rows = [f for f in run.report["functions"] if f["module"] == "[anonymous]"]
        self.assertEqual([f["function"] for f in rows], ["[code without a file]"])
        self.assertTrue([n for n in run.report["verdict"]["notes"] if "without a file" in n])

    def test_the_map_of_another_user_is_not_believed(self):
        self.need_root()
        run = self.run_agent("jit", "map", 400000, CSINK_REPORT="0", CSINK_KEEP="1")
        self.assertEqual(run.status, 0, run.stderr)
        path = self.map_of(run)
        self.addCleanup(os.unlink, path)
        self.assertTrue(functions_named(self.report_of_spool(*run.spools), "First of the JIT"))
        os.chown(path, 4242, 4242)
        report = self.report_of_spool(*run.spools)
        self.assertFalse(functions_named(report, "First of the JIT"))
        self.assertIn(f"{path} belongs to another user", report["verdict"]["notes"])


class Runtimes(E2eTest):
    def need(self, program):
        path = shutil.which(program)
        if not path:
            self.skipTest(f"no {program}")
        return path

    def same(self, *command, least=0.85, **env):
        plain = self.run_plain(*command)
        run = self.run_agent(*command, **env)
        self.addCleanup(lambda: shutil.rmtree(f"/tmp/hsperfdata_{run.pid}", ignore_errors=True))
        self.assertEqual((run.status, run.stdout, run.stderr),
                         (plain.status, plain.stdout, plain.stderr))
        report = self.any_report(run)
        self.assertGreaterEqual(explained_seconds(report), least * run.user - 0.1)
        return run

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return path

    def share(self, report, *needles):
        hits = sum(f["events"][0]["samples"] for f in report["functions"]
                   if any(n in f["function"] for n in needles))
        return hits / report["events"][0]["samples"]

    def test_node(self):
        script = self.write("fibonacci.js", NODE)
        run = self.same(self.need("node"), script)
        self.assertGreater(self.share(run.report, "[code without a file]"), 0.3)
        run = self.same(self.need("node"), "--perf-basic-prof", script)
        path = f"/tmp/perf-{run.pid}.map"
        self.assertTrue(os.path.exists(path))
        os.unlink(path)
        self.assertGreater(self.share(run.report, "fibonacci"), 0.4)

    def test_java(self):
        self.need("java")
        source = self.write("Hot.java", JAVA)
        classes = os.path.join(self.folder, "classes")
        self.same(self.need("javac"), "-d", classes, source, least=0.7)
        run = self.same("java", "-cp", classes, "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:+DumpPerfMapAtExit", "Hot")
        os.unlink(f"/tmp/perf-{run.pid}.map")
        self.assertGreater(self.share(run.report, "Hot.collatz", "Hot::collatz", "Hot.main"), 0.5)

    def test_go(self):
        # Goroutines are switched by SIGURG, the signal that we would drain by.
        source = self.write("hot.go", GO)
        binary = os.path.join(self.folder, "hot")
        built = self.run_command(
            [self.need("go"), "build", "-o", binary, source],
            csink_e2e.clean_environment() | {"HOME": self.folder, "GOCACHE": self.folder + "/cache",
                                             "CGO_ENABLED": "1", "GOFLAGS": "-mod=mod",
                                             "GO111MODULE": "off"}, self.fresh_folder())
        self.assertEqual(built.status, 0, built.stderr)
        # It ends by a system call of its own: the spool is left, and reported by csink.
        run = self.same(binary)
        self.assertGreater(self.share(self.any_report(run), "main.HotLoop"), 0.9)


if __name__ == "__main__":
    csink_e2e.main()
