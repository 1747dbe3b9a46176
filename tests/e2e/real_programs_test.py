"""Programs that people run: the same result as without us, and their time explained."""

import os
import random
import shutil
import sys

import csink_e2e
from csink_e2e import E2eTest, explained_seconds

PYTHON_LOOP = """
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
print(max(collatz(n) for n in range(1, 150000)))
"""

SQL = """
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
insert into t select i, 'row ' || (i * 7919 % 300000), i / 3.0 from n;
create index t_b on t(b);
select count(*), sum(length(b)), round(sum(c)) from t where b like 'row 1%';
select a.b from t a join t b on a.b = 'row ' || b.a order by a.c desc limit 3;
"""


class RealPrograms(E2eTest):
    def need(self, program):
        path = shutil.which(program)
        if not path:
            self.skipTest(f"no {program}")
        return path

    def same(self, *command, least=0.95):
        """Same status, stdout and stderr; most of the user time (by ticks) is explained."""
        plain = self.run_plain(*command)
        run = self.profile(*command)
        self.assertEqual((run.status, run.stdout), (plain.status, plain.stdout))
        self.assertGreaterEqual(explained_seconds(run.report), least * run.user - 0.02)
        self.assertTrue(run.report["functions"])
        return run.report

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return path

    def test_xz(self):
        dice = random.Random(3)
        words = ["".join(dice.choices("abcdefghijkl", k=dice.randint(2, 8))) for _ in range(999)]
        data = self.write("data", " ".join(dice.choices(words, k=400000)))
        report = self.same(self.need("xz"), "-9", "-c", "-T1", "--check=crc32", data)
        # Debian's liblzma is stripped: its code is grouped, not given to a wrong neighbour.
        rows = [f for f in report["functions"] if "liblzma" in f["module"]]
        total = report["events"][0]["samples"]
        self.assertGreater(sum(f["events"][0]["samples"] for f in rows), 0.9 * total)
        missing = [m["module"] for m in report["verdict"]["modules_without_symbols"]]
        if any(f["source"] == "fde" for f in rows):
            self.assertTrue([m for m in missing if "liblzma" in m], missing)
            self.assertRegex(rows[0]["function"], r"\[liblzma\.so[^+]*\+0x[0-9a-f]+\]")

    def test_python(self):
        report = self.same(sys.executable, "-c", PYTHON_LOOP)
        self.assertGreater(report["events"][0]["samples"], 200)

    def test_sqlite(self):
        sql = self.write("in.sql", SQL)
        self.same(self.need("sqlite3"), ":memory:", f".read {sql}", least=0.9)

    def test_perl(self):
        self.same(self.need("perl"), "-e", "$x = ($x * 17 + $_) % 9973 for 1 .. 18e6; print $x")

    def test_bash(self):
        # It brings its own getenv and setenv.
        self.same(self.need("bash"), "-c", "x=1; for ((i = 0; i < 350000; i++)); do "
                  "x=$(((x * 17 + i) % 9973)); done; echo $x")

    def test_awk_in_a_pipe(self):
        self.need("awk")
        self.profile("sh", "-c", "seq 300000 | awk '{s += $1 * 2} END {print s}' | sort")

    def test_a_compilation(self):
        compiler = self.need("g++")
        source = self.write("a.cpp", "#include <map>\n#include <regex>\n#include <string>\n"
                            "int main() { std::map<std::string, int> m; "
                            "return std::regex_match(\"a\", std::regex(\"b\")) + m.size(); }\n")
        folder = self.fresh_folder()
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool")
        run = self.run_command([csink_e2e.TOOL, "run", "-e", "task-clock", "--format", "json",
                                "-o", folder + "/report.tree", "--", compiler, "-O1", "-c",
                                source, "-o", folder + "/a.o"], env, folder)
        self.assertEqual((run.status, run.stdout, run.stderr), (0, "", ""))
        self.assertTrue(os.path.exists(folder + "/a.o"))
        report = run.reports[0]
        programs = {p["program"] for p in report["processes"]}
        self.assertIn("cc1plus", programs)
        self.assertGreaterEqual(explained_seconds(report), 0.9 * run.user - 0.05)


if __name__ == "__main__":
    csink_e2e.main()
