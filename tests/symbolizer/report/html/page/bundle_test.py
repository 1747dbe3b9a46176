#!/usr/bin/env python3
"""Tests of scripts/bundle_page.py: what it joins, and what it refuses."""

import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[5]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import bundle_page  # noqa: E402

GOOD = {
    "main.js": "import { a, b } from './one.js';\n// gone\nresult = a(b);\n",
    "one.js": "import { c } from './two.js';\nconst own = 1;\nexport function a(x) { return x + own + c; }\nexport const b = 2;\n",
    "two.js": "const own = 10;\nexport const c = own * 10;\n",
}


class Bundle(unittest.TestCase):
    def refused(self, **change):
        with self.assertRaises(bundle_page.Refused) as caught:
            bundle_page.bundle({**GOOD, **{k.replace("_", "."): v for k, v in change.items()}})
        return str(caught.exception)

    def test_modules_come_behind_those_that_they_import(self):
        self.assertEqual(bundle_page.ordered(GOOD, "main.js"), ["two.js", "one.js", "main.js"])

    def test_names_of_modules_do_not_meet(self):
        script = bundle_page.bundle(GOOD)
        self.assertNotIn("gone", script)
        node = shutil.which("node") or shutil.which("nodejs")
        if not node:
            self.skipTest("node is not installed")
        done = subprocess.run([node, "-e", "var result;" + script.replace("'use strict';", "") + "console.log(result)"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "103")

    def test_what_cannot_be_joined_is_refused(self):
        self.assertIn("import each other", self.refused(two_js="import { a } from './one.js';\nexport const c = a;\n"))
        self.assertIn("there is no module", self.refused(two_js="import { a } from './x.js';\n"))
        self.assertIn("cannot be bundled", self.refused(two_js="import * as x from './one.js';\nexport const c = 1;\n"))
        self.assertIn("cannot be bundled", self.refused(two_js="export default 1;\nexport const c = 1;\n"))
        self.assertIn("no module imports it", self.refused(three_js="export const d = 1;\n"))

    def test_what_would_end_the_element_is_refused(self):
        self.assertIn("</", self.refused(two_js="export const c = '</script>';\n"))
        self.assertIn("not ASCII", self.refused(two_js="export const c = '\u2028';\n"))

    def test_indentation_is_left_out(self):
        script = bundle_page.bundle({**GOOD, "two.js": "\nexport function c() {\n    return '  x';\n}\n"})
        self.assertIn("function c() {\nreturn '  x';\n}\n", script)
        self.assertIn("template literal", self.refused(two_js="export const c = `\n  x`;\n"))
        self.assertEqual(bundle_page.style_of("a {\n  b: c;\n\n}\n"), "a {\nb: c;\n}\n")

    def test_the_hash_is_that_of_a_policy(self):
        # The example of Content Security Policy Level 3, section 2.3.1 has this form: SHA-256 in base64.
        self.assertEqual(bundle_page.hash_of(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")

    def test_the_modules_of_the_page_can_be_joined(self):
        folder = ROOT / "symbolizer/report/html/page"
        named = (ROOT / "symbolizer/report/CMakeLists.txt").read_text(encoding="utf-8")
        for which, where, start in (("page", folder, "main.js"), ("live", folder / "live", "poll.js")):
            modules = bundle_page.modules_in(where)
            self.assertLess(len(bundle_page.bundle(modules, start)), 200_000)
            listed = named.split(f"set({which}_modules", 1)[1].split(")", 1)[0].split()
            self.assertEqual(sorted(f"{name}.js" for name in listed), sorted(modules), "the list of the build")


if __name__ == "__main__":
    unittest.main()
