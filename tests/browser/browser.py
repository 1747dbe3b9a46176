"""Chromium for the tests of the HTML report, over Debian's chromium-driver and python3-selenium.

A test that has no browser exits with 77 and the reason.
"""

import os
import shutil
import sys
import time
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(77)

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
if not CHROMIUM or not DRIVER:
    print("skipped: chromium or chromium-driver is not installed")
    sys.exit(77)

# Long tasks (longer than 50 ms), and the time at which the page can be used.
WATCH = """
window.longTasks = [];
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) window.longTasks.push(entry.duration);
}).observe({type: 'longtask', buffered: true});
new MutationObserver((_, observer) => {
  if (!document.documentElement.dataset.ready) return;
  window.readyAt = performance.now();
  observer.disconnect();
}).observe(document, {attributes: true, subtree: true, childList: true});
"""


def start(width=1280, height=900):
    """A browser without a window that keeps its console and all requests."""
    options = Options()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    return driver


class BrowserTest(unittest.TestCase):
    """One browser for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.driver = start()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def emulate(self, width, dark):
        """A screen of this width, light or dark."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})

    def open(self, path, place=""):
        """Loads a page and waits until it can be used."""
        self.driver.get("about:blank")
        self.driver.get("file://" + os.path.abspath(path) + place)
        self.wait(lambda: self.js("return document.documentElement.dataset.ready === 'yes'"), "the page is not ready")

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def settle(self):
        """Waits for two frames."""
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));")

    def text(self, selector):
        return self.js("const e = document.querySelector(arguments[0]); return e ? e.textContent : null;", selector)

    def rows(self):
        """Texts of the visible rows of a table with many rows: a list of lists of cells. Shortened names are whole."""
        return self.js("""return [...document.querySelectorAll('.grid-body .grid-row')].filter(row => !row.hidden)
            .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
            .map(row => [...row.children].map(({firstChild: text}) => text.textContent.includes('\\u2026') ? text.title : text.textContent));""")

    def assert_quiet(self):
        """Nothing was written to the console, and no request left the file."""
        console = [entry["message"] for entry in self.driver.get_log("browser")]
        self.assertEqual(console, [])
        for entry in self.driver.get_log("performance"):
            if '"Network.requestWillBeSent"' not in entry["message"]:
                continue
            self.assertRegex(entry["message"], r'"url":"(file|about|data|blob):', "a request")
