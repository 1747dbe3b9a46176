"""scripts/growth counts what is tracked, and compares with the last row of its record."""

import csv
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "growth"
loader = importlib.machinery.SourceFileLoader("growth", str(SCRIPT))
growth = importlib.util.module_from_spec(importlib.util.spec_from_loader("growth", loader))
loader.exec_module(growth)

MAP = """## Rooms

| core/a | x; y; z; w |

## Where to add

| to add | touch |
|---|---|
| a format | one row; one source; a test |
| a word | one row |
"""


class Growth(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def write(self, name, text, track=True):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if track:
            subprocess.run(["git", "-C", self.root, "add", name], check=True)

    def test_figures(self):
        self.write("ARCHITECTURE.md", MAP)
        self.write("docs/a.md", "three short words\n")
        self.write("docs/data/a.csv", "no words at all\n")
        self.write("core/a/long.cpp", "x\n" * 401)
        self.write("core/a/short.h", "x\n" * 400)
        self.write("tests/core/a_test.cpp", "x\n" * 500)
        self.write("core/a/untracked.cpp", "x\n" * 1000, track=False)
        for number in range(41):
            self.write(f"agent/b/{number}.h", "x\n")
        self.assertEqual(growth.measure(self.root), {
            "product_lines": 842, "test_lines": 500, "doc_words": 3, "long_files": 1, "large_folders": 1,
            "most_places": 3})

    def test_the_record_is_complete(self):
        with growth.RECORD.open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(rows[0]["release"], "1.0.0")
        for row in rows:
            self.assertEqual(list(row), ["release", *growth.FIGURES])
            self.assertTrue(all(value.isdigit() for name, value in row.items() if name != "release"), row)

    def test_one_line(self):
        done = subprocess.run([SCRIPT, "--line"], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"\Agrowth since [\d.]+: lines of product [\d,]+ \([+-][\d,]+\); .*\n\Z")

    def test_without_a_checkout(self):
        done = subprocess.run([SCRIPT, "--root", "/"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("growth: no checkout to count", done.stderr)


if __name__ == "__main__":
    unittest.main()
