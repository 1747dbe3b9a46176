"""Names that try to be code, a profile without samples, and a profile of many rows."""

import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__))))
from browser import BrowserTest  # noqa: E402

# Writes pages of made profiles: tests/browser/made_pages.cpp.
MAKER = os.environ["CSINK_MADE_PAGES"]
VIEWS = ("summary", "functions", "lines", "modules", "threads", "flame", "source", "time")


class MadePages(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory(prefix="csink-browser-")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def page(self, kind, *arguments):
        path = os.path.join(self.folder.name, kind + ".html")
        with open(path, "wb") as out:
            subprocess.run([MAKER, kind, *arguments], stdout=out, check=True, timeout=300)
        return path

    def look_for_markup(self, path, view):
        """Opens a view, and looks for what a name could have become."""
        self.open(path, f"#view={view}&find=%3Cscript%3E&fn=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
        self.open(path, "#view=" + view)
        self.settle()
        self.assertIsNone(self.js("return window.executed || null"))
        self.assertEqual(self.js("return document.querySelectorAll('img, iframe, object, embed, svg').length"), 0)
        self.assertEqual(self.js("return document.scripts.length"), 2)

    def test_names_stay_names_in_a_comparison(self):
        for seed in range(3):
            path = self.page("hostile-diff", str(seed))
            for view in ("compare", "changes", "changes&side=a", "functions&side=a", "flame"):
                self.look_for_markup(path, view)
            self.open(path, "#view=compare&sampling=1")
            self.assertGreater(len(self.rows()), 10)
        self.assert_quiet()

    def test_a_comparison_with_an_empty_profile(self):
        path = self.page("empty-diff")
        for view in ("compare", "changes", "changes&side=a", "summary&side=a", "functions&side=a", "functions"):
            self.open(path, "#view=" + view)
            self.settle()
        self.open(path)
        self.assertIn("B", self.text(".lines"))
        self.assert_quiet()

    def test_names_stay_names(self):
        for seed in range(6):
            path = self.page("hostile", str(seed))
            for view in VIEWS:
                self.look_for_markup(path, view)
        self.assertIn("[U+202E]", self.js("return document.body.textContent") + self.function_names(path))
        self.assert_quiet()

    def function_names(self, path):
        self.open(path, "#view=functions")
        return "".join(row[1] for row in self.rows())

    def test_names_stay_text_in_an_svg(self):
        for seed in range(6):
            self.open(self.page("hostile", str(seed)), "#view=flame")
            self.js("window.dispatchEvent(new Event('beforeprint'))")
            text = self.js("return new XMLSerializer().serializeToString(document.querySelector('.flame-paper svg'))")
            names = {element.tag.split("}")[1] for element in xml.etree.ElementTree.fromstring(text).iter()}
            self.assertLessEqual(names, {"svg", "g", "rect", "text", "title"})
            self.assertIsNone(self.js("return window.executed || null"))
        self.assert_quiet()

    def test_an_empty_profile_says_so(self):
        path = self.page("empty")
        for view in VIEWS:
            self.open(path, "#view=" + view)
            self.settle()
        self.open(path)
        self.assertIn("no samples", self.text("#view"))
        self.assert_quiet()

    def test_one_sample(self):
        path = self.page("one")
        for view in VIEWS:
            self.open(path, "#view=" + view)
            self.settle()
        for view in ("functions", "modules"):
            self.open(path, "#view=" + view)
            self.assertEqual(len(self.rows()), 1)
            # There are no stacks, so there is no total.
            self.assertNotIn("total", self.text(".grid-head"))
        self.open(path, "#view=flame")
        self.assertIn("--stacks", self.text("#view"))
        self.assert_quiet()

    def best_of(self, measure, limit, what):
        """A shared machine takes the processor away: of several tries the best counts."""
        best = None
        for _ in range(5):
            value = measure()
            best = value if best is None else min(best, value)
            if best <= limit:
                return
        self.fail(f"{what}: {best}, not {limit}")

    def test_many_rows_stay_fluent(self):
        path = self.page("many", "200000")
        self.assertLess(os.path.getsize(path), 600_000 + 100 * 200_000)

        def ready():
            self.open(path, "#view=functions")
            return self.js("return window.readyAt")
        self.best_of(ready, 1500, "milliseconds until the page can be used")

        def longest_of(act):
            self.open(path, "#view=functions")
            self.settle()
            self.js("window.longTasks.length = 0")
            act()
            self.settle()
            return self.js("return Math.max(0, ...window.longTasks)")

        def scroll():
            for step in range(1, 20):
                self.js("document.querySelector('.grid').scrollTop += arguments[0]", 977 * step)
                self.settle()
        self.best_of(lambda: longest_of(scroll), 100, "milliseconds of one task while scrolling")

        def type_text():
            for letter in "function12":
                self.driver.find_element("css selector", "#find").send_keys(letter)
                self.settle()
        self.best_of(lambda: longest_of(type_text), 100, "milliseconds of one task while typing")
        self.assert_quiet()

    def test_a_million_places_are_folded(self):
        path = self.page("many", "1000000")
        self.open(path)
        self.assertIn("This page was made smaller", self.text("#view .warning"))
        self.open(path, "#view=functions")
        self.assertGreater(len(self.rows()), 10)
        self.assert_quiet()


if __name__ == "__main__":
    unittest.main(verbosity=2)
