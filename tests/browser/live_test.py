"""The live page of csink view: a program that enters a thousand new functions a second, watched in the browser."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__))))
from browser import BrowserTest  # noqa: E402

TOOL = os.environ["CSINK_E2E_TOOL"]
AGENT = os.environ["CSINK_E2E_AGENT"]
FUNCTIONS = 12000
# Each function takes a millisecond of CPU time, once, and so has about one sample; not each has any. It looks at the clock every
# 100 us: the kernel's part of each look has no samples. The last one goes on until the program is killed.
HEAD = """#include <time.h>
static volatile unsigned long sink;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
#define F(n) __attribute__((noinline)) void fn_##n(void) { \\
  const double end = now() + 0.001; \\
  while (now() < end) for (int i = 0; i < 40000; ++i) sink += n; }
"""
TAIL = "int main(void) { for (int i = 0; i < sizeof all / sizeof *all; ++i) all[i](); for (;;) ++sink; }\n"


class Live(BrowserTest):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="csink-live-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def environment(self, **changes):
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("CSINK_", "LD_"))}
        return kept | {"LC_ALL": "C", "DEBUGINFOD_URLS": "", "CSINK_CACHE": "0", "CSINK_SPOOL_DIR": self.folder} | changes

    def start(self, command, **changes):
        child = subprocess.Popen(command, env=self.environment(**changes), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(lambda: child.poll() is None and child.kill())
        return child

    def program(self):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            self.skipTest("no C compiler")
        source = os.path.join(self.folder, "many.c")
        with open(source, "w", encoding="ascii") as text:
            text.write(HEAD + "".join(f"F({n})\n" for n in range(FUNCTIONS)) + "void (*const all[])(void) = {\n" +
                       "".join(f"fn_{n},\n" for n in range(FUNCTIONS)) + "};\n" + TAIL)
        program = os.path.join(self.folder, "many")
        subprocess.run([compiler, "-O1", "-w", "-o", program, source], check=True)
        return self.start([program], LD_PRELOAD=AGENT, CSINK_REPORTER=TOOL, CSINK_OUTPUT="/dev/null")

    def functions(self):
        """The number of functions that the table shows."""
        found = re.match(r"([\d,]+) ", self.text("#view .note") or "")
        return int(found.group(1).replace(",", "")) if found else 0

    def test_a_thousand_functions_a_second(self):
        child = self.program()
        self.wait(lambda: [name for name in os.listdir(self.folder) if name.endswith(".csink")], "no spool")
        viewer = self.start([TOOL, "view", "--no-browser", str(child.pid)])
        address = viewer.stdout.readline().strip()
        self.driver.get(address + "#view=functions&sort=name&up=1&find=fn_")
        self.wait(lambda: self.js("return document.documentElement.dataset.ready === 'yes'"), "the page is not ready")
        self.wait(lambda: self.functions() > 500, "too few functions")

        # The user scrolls and types while updates come.
        self.js("document.querySelector('.grid').scrollTop = 28 * 200; document.getElementById('find').focus();")
        before = self.functions()
        self.wait(lambda: self.functions() > before + 2000, "the page fell behind", 60)
        self.assertEqual(self.js("return document.querySelector('.grid').scrollTop"), 28 * 200)
        self.assertEqual(self.js("return document.activeElement.id"), "find")
        self.assertEqual(self.js("return document.getElementById('find').value"), "fn_")
        self.assertEqual(self.js("return location.hash"), "#view=functions&sort=name&find=fn_&up=1")
        self.assertTrue(all(row[1].startswith("fn_") for row in self.rows()), self.rows())

        # Paused, the page stays as it is.
        self.js("document.querySelector('.live button').click();")
        self.settle()
        self.assertIn("paused", self.text(".live"))
        self.js("document.querySelector('.live button').click();")
        self.wait(lambda: self.functions() >= 0.5 * FUNCTIONS, "the page fell behind", 60)

        child.send_signal(signal.SIGKILL)
        self.wait(lambda: "has ended" in self.text(".live"), "the end is not said")
        self.assertEqual(viewer.wait(60), 0)
        self.assertGreaterEqual(self.functions(), 0.5 * FUNCTIONS)
        console = [entry["message"] for entry in self.driver.get_log("browser")]
        self.assertEqual(console, [])
        for entry in self.driver.get_log("performance"):
            if '"Network.requestWillBeSent"' in entry["message"]:
                self.assertRegex(entry["message"], r'"url":"(about|data):|"url":"' + address.replace(".", r"\."), "another request")


if __name__ == "__main__":
    unittest.main(verbosity=2)
