"""scripts/cmake/CsinkCommit.cmake: where the commit of --version comes from, and that an unchanged one is not written."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = "scripts/cmake/CsinkCommit.cmake"
ARCHIVED = "scripts/cmake/commit.txt"


class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "sources"
        for name in (SCRIPT, ARCHIVED, ".gitattributes", "core/version/version.cpp.in"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        # What a source archive holds is tested below; here the sources are those of a repository.
        (self.root / ARCHIVED).write_text("$Format:%H$\n")
        self.output = self.root.parent / "version.cpp"

    def run_program(self, *command):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()

    def git(self, *words, at=None):
        return self.run_program("git", "-C", str(at or self.root), "-c", "user.name=n", "-c", "user.email=n@n", *words)

    def commit(self, at=None):
        self.git("init", "-q", at=at)
        self.git("add", ".", at=at)
        self.git("commit", "-q", "-m", "Begin", at=at)
        return self.git("rev-parse", "HEAD", at=at)[:12]

    def text(self, sources=None):
        sources = sources or self.root
        self.run_program("cmake", f"-DSOURCE={sources}", f"-DTEMPLATE={sources}/core/version/version.cpp.in",
                         f"-DOUTPUT={self.output}", "-P", f"{sources}/{SCRIPT}")
        return self.output.read_text()

    def test_comes_from_the_repository(self):
        commit = self.commit()
        self.assertIn(f"(commit {commit})", self.text())

    def test_is_unknown_without_one(self):
        self.assertIn("(commit unknown)", self.text())

    def test_is_not_that_of_a_repository_around_the_sources(self):
        self.commit(at=self.root.parent)
        self.assertIn("(commit unknown)", self.text())

    def test_comes_from_a_source_archive(self):
        commit = self.commit()
        archive = self.root.parent / "sources.tar"
        self.git("archive", "--prefix=unpacked/", f"--output={archive}", "HEAD")
        self.run_program("tar", "-xf", str(archive), "-C", str(self.root.parent))
        self.assertIn(f"(commit {commit})", self.text(self.root.parent / "unpacked"))

    def test_is_written_only_when_it_changed(self):
        self.commit()
        self.text()
        os.utime(self.output, (1, 1))
        self.text()
        self.assertEqual(self.output.stat().st_mtime, 1)


if __name__ == "__main__":
    unittest.main()
