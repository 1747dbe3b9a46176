"""What the check programs share: the tracked files, verdicts, self-tests.

Exit codes of every check: 0 clean, 1 violations (each printed), 2 wrong use,
77 nothing to check, the reason printed (ctest counts it as skipped).
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIP = 77


def tracked_files(root, suffixes=None):
    """Paths relative to root. Git's list (with new files that it does not ignore); in a
    tree without git, every file outside build folders."""
    git = subprocess.run(
        # A checkout that another user owns (containers) is fine: this only reads.
        ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if git.returncode == 0:
        names = [n for n in git.stdout.split("\0") if n]
    else:
        names = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()]
        names = [n for n in names if not n.startswith((".git/", "build/", "build-", ".work/"))
                 and "__pycache__" not in n and n != ".git"]
    paths = [pathlib.PurePosixPath(n) for n in sorted(set(names))]
    return [p for p in paths
            if (suffixes is None or p.suffix in suffixes) and (root / p).is_file()]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def verdict(problems, checked):
    """Prints the problems and exits with the verdict."""
    for problem in problems:
        print(problem)
    print(f"{len(problems)} violation(s), {checked} checked")
    sys.exit(1 if problems else 0)


def parser(doc):
    result = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    result.add_argument("--root", type=pathlib.Path, default=ROOT, help="the source tree")
    result.add_argument("--self-test", action="store_true",
                        help="plant violations and see that each is found")
    return result


def main(doc, check, self_test, add_options=lambda options: None):
    """A check as a program. check(args) gives (problems, how many it checked) or does not return;
    self_test(args) does not return."""
    options = parser(doc)
    add_options(options)
    args = options.parse_args()
    if args.self_test:
        self_test(args)
    verdict(*check(args))


class SelfTest:
    """Collects expectations of a check about planted trees."""

    def __init__(self):
        self.failed = 0
        self.done = 0

    def tree(self, files):
        """A temporary folder with these files; keep the object alive."""
        folder = tempfile.TemporaryDirectory(prefix="csink-check-")
        for name, text in files.items():
            path = pathlib.Path(folder.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder

    def expect(self, what, problems, *words):
        """Exactly one problem a word, or none at all without words."""
        problems = [str(p) for p in problems]
        good = len(problems) == len(words) and all(
            any(word in p for p in problems) for word in words)
        self.done += 1
        if not good:
            self.failed += 1
            print(f"FAILED: {what}: wanted {list(words)}, found {problems}")

    def expect_each(self, problems_in, good, planted):
        """`problems_in(root)` finds nothing in the files `good`, and with each replacement in them
        what its words say; planted: what -> (file, old text, new text, words)."""
        folder = self.tree(good)
        self.expect("agreement", problems_in(pathlib.Path(folder.name)))
        for what, (name, old, new, words) in planted.items():
            folder = self.tree({**good, name: good[name].replace(old, new)})
            self.expect(what, problems_in(pathlib.Path(folder.name)), *words)

    def exit(self):
        print(f"self-test: {self.done - self.failed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.done else 0)


if __name__ == "__main__":  # the list alone, for the shell scripts: checks.py .h .cpp
    for listed in tracked_files(ROOT, set(sys.argv[1:]) or None):
        print(listed)
