"""csink diff: what changed between runs of a real program."""

import csv
import io
import json
import os
import shutil

from csink_e2e import E2eTest, TOOL, main, plain_name, program_path

SLOWER = 14  # of split: the weight of its first function, 7 as a rule


class Diff(E2eTest):
    """Three runs of one program and three of a slower one, made once."""

    def report(self, name, weight):
        """The JSON report of a run of 300 ms of CPU time, or 510."""
        run = self.profile("split", 300, 1, weight)
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(run.report, file)
        return path

    def diff(self, *args, status=0):
        got, out, err = self.run_tool("diff", *args)
        self.assertEqual(got, status, err)
        return out, err

    def rows(self, *args):
        out, _ = self.diff("--format", "json", *args)
        found = json.loads(out)
        return found, {plain_name(r["function"]).split("::")[-1]: r for r in found["rows"]}

    def test_finds_the_function_that_grew(self):
        before, after = self.report("a.json", 7), self.report("b.json", SLOWER)
        found, rows = self.rows(before, after)
        self.assertLess(rows["Sixty"]["p_value"], 0.001)  # of the sampling error alone
        self.assertFalse(rows["Sixty"]["significant"], "of one run each nothing is")
        self.assertGreater(rows["Sixty"]["change"], 0)
        self.assertLess(rows["Thirty"]["change"], 0)
        self.assertAlmostEqual(rows["Sixty"]["amount"] / rows["Sixty"]["was_amount"], 2, delta=0.4)
        self.assertEqual(found["a"]["runs"], 1)
        self.assertGreater(found["ratio"], 1.3)

        out, _ = self.diff(before, after)
        self.assertNotRegex(next(l for l in out.splitlines() if "Sixty" in l), " t +work")
        self.assertIn("Give three or more runs on each side", " ".join(out.split()))
        out, _ = self.diff("--format", "csv", "--by", "modules", before, after)
        table = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([r["module"] for r in table if float(r["share_b"] or 0) > 0.5], ["split"])

        _, err = self.diff("--fail-if-slower=20", before, after, status=3)
        self.assertIn("slower than", err)
        self.diff("--fail-if-slower=20", after, before)
        # 60 % more in one run each is not more than 45 % for certain.
        _, err = self.diff("--fail-if-slower=45", before, after)
        self.assertRegex(err, r"unclear: slower than .*one run a side: only more than")
        out, err = self.diff(before, before)
        self.assertIn("not tested", out)
        self.assertIn("the same", err)

    def test_programs_with_other_file_names(self):
        paths = []
        for name, weight in (("app-old", 7), ("app-new", SLOWER)):
            program = os.path.join(self.folder, name)
            shutil.copy(program_path("split"), program)
            paths.append(os.path.join(self.folder, name + ".json"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                json.dump(self.profile(program, 300, 1, weight).report, file)
        found, rows = self.rows(*paths)
        self.assertEqual(found["programs"], [{"a": "app-old", "b": "app-new"}])
        self.assertLess(rows["Sixty"]["p_value"], 0.001)
        self.assertGreater(rows["Sixty"]["was"], 0.5)
        out, _ = self.diff(*paths)
        self.assertIn("app-old (A) and app-new (B) are compared as one program", out)

    def test_several_runs_spools_and_folders(self):
        folders = {}
        for side, weight in (("a", 7), ("b", SLOWER)):
            for i in range(3):
                run = self.run_agent("split", 200, 1, weight, CSINK_KEEP="1", CSINK_REPORT="0")
                self.assertEqual(run.status, 0, run.stderr)
                folders.setdefault(side, []).append(run.spool_folder)
        found, rows = self.rows("--a", *folders["a"], "--b", *folders["b"])
        self.assertEqual((found["a"]["runs"], found["b"]["runs"]), (3, 3))
        self.assertEqual(found["test"], "moderated quasi-poisson")
        self.assertEqual(found["order"], "a first")
        self.assertTrue(rows["Sixty"]["significant"], rows["Sixty"])
        self.assertLess(rows["Sixty"]["ratio_low"], 2.1)
        self.assertGreater(rows["Sixty"]["ratio_low"], 1.3)
        self.assertGreater(rows["Sixty"]["findable"], 0.05)
        out, _ = self.diff("--a", *folders["a"], "--b", *folders["b"])
        self.assertRegex(out, r"(?m) t +work::Sixty")
        text = " ".join(out.split())
        self.assertIn("all runs of A began before the runs of B", text)
        self.assertRegex(text, r"these 3 \+ 3 runs would find a change of [\d.]+% in work::Sixty")
        self.assertRegex(text, r"a period of 0\.2 ms \(-e task-clock:u@200000\): [\d.]+% in")
        self.assertLess(found["cpu_p_value"], 0.05)
        self.assertFalse(rows["Thirty"]["significant"], rows["Thirty"])
        # The share of what did not change fell all the same.
        self.assertLess(rows["Thirty"]["change"], -0.05)

        merged = os.path.join(self.folder, "merged.csink")
        status, _, err = self.run_tool("merge", "-o", merged, *folders["a"])
        self.assertEqual(status, 0, err)
        found, _ = self.rows(merged, folders["b"][0])
        self.assertEqual(found["a"]["runs"], 1)

    @staticmethod
    def data_of(page):
        """The data of a page, as a browser finds it."""
        return json.loads(page.split('id="csink-data">', 1)[1].split("</script>", 1)[0])

    def test_a_page_of_spools(self):
        spools = []
        for weight in (7, SLOWER):
            run = self.run_agent("split", 300, 1, weight, CSINK_KEEP="1", CSINK_REPORT="0", CSINK_STACKS="unwind")
            self.assertEqual(run.status, 0, run.stderr)
            spools.append(run.spool_folder)
        path = os.path.join(self.folder, "changes.html")
        out, err = self.diff("-o", path, *spools)
        self.assertEqual((out, err), ("", ""))
        with open(path, encoding="utf-8") as file:
            page = file.read()
        self.assertTrue(page.startswith("<!doctype html>"))
        data = self.data_of(page)
        found, _ = self.rows(*spools)
        compared = data["comparison"]
        for key in ("share", "was", "change", "amount", "ratio_low", "ratio_high", "p_value", "adjusted_p_value", "findable"):
            self.assertEqual(compared["rows"][key], [row[key] for row in found["rows"]], key)
        self.assertEqual([side["profile"] for side in compared["sides"]], [0, 1])
        for profile, spool in zip(data["profiles"], spools):
            report = self.report_of_spool(spool)
            self.assertEqual(sum(profile["samples"]["events"][0]["samples"]), report["events"][0]["samples"])
            self.assertGreater(len(profile["nodes"]["parent"]), 2)
        # Functions with samples have frames that know their row.
        self.assertTrue(any(row >= 0 for row in compared["sides"][1]["frames"]))
        # A pipe takes the page, too.
        piped, _ = self.diff("--format", "html", *spools)
        self.assertEqual(self.data_of(piped)["comparison"], compared)
        # --format wins over the name of the file.
        self.diff("--format", "json", "-o", path, *spools)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["format"], "csink-diff")

    def test_a_page_of_json_reports(self):
        before, after = self.report("a.json", 7), self.report("b.json", SLOWER)
        out, _ = self.diff("--format", "html", before, after)
        data = self.data_of(out)
        self.assertEqual(data["profiles"], [])
        self.assertEqual([side["profile"] for side in data["comparison"]["sides"]], [-1, -1])
        self.assertGreater(len(data["comparison"]["rows"]["share"]), 2)
        out, _ = self.diff("--format", "html", "--fail-if-slower=20", before, after, status=3)
        self.assertIn("csink-data", out)

    def test_wrong_use_of_a_page(self):
        good = self.report("good.json", 7)
        path = os.path.join(self.folder, "x.html")
        for args in (("--format", "html", "--by", "lines"), ("-o", path, "--by", "modules")):
            _, err = self.diff(*args, good, good, status=2)
            self.assertIn("--by is not possible with --format html", err)
        self.assertFalse(os.path.exists(path))
        _, err = self.diff("-o", os.path.join(self.folder, "nowhere", "x.html"), good, good, status=1)
        self.assertIn("cannot write", err)
        self.diff("--format", "htm", good, good, status=2)

    def test_bad_input_is_named(self):
        good = self.report("good.json", 7)
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        junk = os.path.join(self.folder, "junk\xff.json".encode("latin-1").decode("utf-8", "surrogateescape"))
        with open(junk, "wb") as file:
            file.write(b"\xff\xfe{}")
        unreadable = os.path.join(self.folder, "other.json")
        with open(good, encoding="utf-8") as file:
            other = json.load(file)
        other["events"][0]["name"] = "cycles:u"
        with open(unreadable, "w", encoding="utf-8") as file:
            json.dump(other, file)
        for bad, word in ((empty, "no spool"), (junk, "neither"), ("/nowhere", "cannot be read"),
                          (unreadable, "different events"), ("/dev/null", "neither")):
            out, err = self.diff(good, bad, status=1)
            self.assertIn(word, err)
            self.assertEqual(len(err.splitlines()), 1, err)
        self.diff(status=2)
        self.diff(good, status=2)
        self.diff("--a", good, status=2)
        self.diff("--by", "nothing", good, good, status=2)


if __name__ == "__main__":
    main()
