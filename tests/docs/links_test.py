#!/usr/bin/env python3
"""Every link of README.md, ARCHITECTURE.md, CONTRIBUTING.md, CHANGELOG.md and docs/ leads to a file, and to a heading in it."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")


def prose(path):
    """The page without its fenced blocks."""
    return re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)


def anchor(heading):
    """As GitHub makes it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def broken(page):
    """The links of a page that lead nowhere."""
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"\w+:", link):
            continue
        name, _, wanted = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            yield link
        elif wanted and target.suffix == ".md" and wanted not in map(anchor, re.findall(r"^#+ (.*)$", prose(target), re.M)):
            yield link


class Links(unittest.TestCase):
    def test_they_lead_somewhere(self):
        pages = [ROOT / name for name in TOP] + sorted((ROOT / "docs").glob("**/*.md"))
        self.assertGreater(len(pages), 50)
        self.assertEqual([(str(page.relative_to(ROOT)), link) for page in pages for link in broken(page)], [])

    def test_readme_leads_to_every_page(self):
        text = (ROOT / "README.md").read_text()
        self.assertEqual([page.name for page in (ROOT / "docs").glob("*.md") if f"(docs/{page.name}" not in text], [])

    def test_anchors(self):
        self.assertEqual(anchor("CSINK_INCLUDE and `CSINK_EXCLUDE`"), "csink_include-and-csink_exclude")
        self.assertEqual(anchor("What ± means: [a](b.md)"), "what--means-a")


if __name__ == "__main__":
    unittest.main()
