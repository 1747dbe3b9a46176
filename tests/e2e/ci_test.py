"""The example workflows of docs/ci.md: valid YAML of the shape that GitHub and GitLab want, and their commands run
in a repository with two commits. gh and curl, which would talk to a server, are replaced by programs that keep what they get."""

import os
import re
import subprocess

import csink_e2e
from csink_e2e import E2eTest, main

try:
    import yaml
except ImportError:
    yaml = None

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "ci.md")
MAKEFILE = "app: app.c\n\t$(CC) -O1 -o app app.c\n"
APP = """#include <stdio.h>
int main(int argc, char** argv) {
  volatile unsigned long x = 1;
  for (long i = 0; i < %d; ++i) x = x * 3 + 1;
  return argc != 2 || puts(argv[1]) < 0;
}
"""
KEEP = """#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done >> "$KEPT/{name}"
"""


def workflow(heading):
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    part = text[text.index(f"\n## {heading}\n"):]
    return yaml.safe_load(re.search(r"(?ms)^```yaml\n(.*?)^```$", part).group(1))


class Ci(E2eTest):
    def setUp(self):
        super().setUp()
        if yaml is None:
            self.skipTest("needs python3-yaml")
        self.kept = os.path.join(self.folder, "kept")
        bin_folder = os.path.join(self.folder, "bin")
        for folder in (self.kept, bin_folder):
            os.mkdir(folder)
        for name in ("gh", "curl"):
            path = os.path.join(bin_folder, name)
            with open(path, "w", encoding="utf-8") as f:
                f.write(KEEP.format(name=name))
            os.chmod(path, 0o755)
        os.symlink(csink_e2e.TOOL, os.path.join(bin_folder, "csink"))
        self.env = csink_e2e.tool_environment(KEPT=self.kept, HOME=self.folder, GIT_CONFIG_NOSYSTEM="1",
                                              PATH=bin_folder + ":" + os.environ["PATH"])

    def run_shell(self, *scripts, status=0, **env):
        """The scripts in one shell that ends at the first failure, as both services do."""
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", "\n".join(scripts)], cwd=self.repository,
                              env=self.env | env, capture_output=True, text=True, check=False, timeout=csink_e2e.HANG_SECONDS)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def make_repository(self, new_work):
        """Two commits of a program that says its argument. Returns the first one's hash."""
        self.repository = os.path.join(self.fresh_folder(), "repository")
        os.mkdir(self.repository)
        commit = "git add . && git -c user.name=a -c user.email=a@b commit -q -m x && git rev-parse HEAD"
        for name, text in (("Makefile", MAKEFILE), ("app.c", APP % 8_000_000)):
            with open(os.path.join(self.repository, name), "w", encoding="utf-8") as f:
                f.write(text)
        base = self.run_shell("git init -q .", commit).stdout.strip()
        with open(os.path.join(self.repository, "app.c"), "w", encoding="utf-8") as f:
            f.write(APP % new_work)
        self.run_shell(commit)
        return base

    def kept_words(self, name):
        with open(os.path.join(self.kept, name), encoding="utf-8") as f:
            return f.read()

    def comment(self):
        with open(os.path.join(self.repository, "bench.md"), encoding="utf-8") as f:
            return f.read()

    def test_github(self):
        flow = workflow("GitHub")
        # YAML 1.1 reads the key "on" as true.
        self.assertEqual(flow[True], "pull_request")
        self.assertEqual(flow["permissions"], {"contents": "read", "pull-requests": "write"})
        job = flow["jobs"]["bench"]
        self.assertIsInstance(job["runs-on"], str)
        steps = job["steps"]
        self.assertEqual([("uses" in step) != ("run" in step) for step in steps], [True] * len(steps))
        self.assertEqual(steps[0]["with"], {"fetch-depth": 0})
        build, compare, comment = (step for step in steps if "run" in step)
        self.assertEqual(comment["if"], "always()")  # also after status 3
        base = self.make_repository(24_000_000)
        values = {"github.event.pull_request.base.sha": base, "github.event.pull_request.number": "17", "github.token": "secret"}
        expand = lambda text: re.sub(r"\$\{\{ *(\S+) *\}\}", lambda m: values[m.group(1)], text)
        summary = os.path.join(self.folder, "summary.md")
        self.run_shell(expand(build["run"]))
        self.run_shell(expand(compare["run"]), status=3)
        self.run_shell(expand(comment["run"]), GITHUB_STEP_SUMMARY=summary,
                       **{name: expand(value) for name, value in comment["env"].items()})
        with open(summary, encoding="utf-8") as f:
            self.assertEqual(f.read(), self.comment())
        self.assertIn("A is slower than B", self.comment())
        self.assertEqual(self.kept_words("gh").split("\n"), ["pr", "comment", "17", "--body-file", "bench.md", ""])

    def test_gitlab(self):
        job = workflow("GitLab")["bench"]
        for part in ("script", "after_script"):
            self.assertEqual([type(line) for line in job[part]], [str] * len(job[part]))
        self.assertEqual((job["variables"], job["artifacts"]["when"]), ({"GIT_DEPTH": 0}, "always"))
        base = self.make_repository(24_000_000)
        env = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_API_V4_URL": "https://lab/api/v4", "CI_PROJECT_ID": "5",
               "CI_MERGE_REQUEST_IID": "6", "BENCH_TOKEN": "secret"}
        self.run_shell(*job["script"], status=3, **env)
        self.run_shell(*job["after_script"], **env)
        words = self.kept_words("curl").splitlines()
        self.assertIn("PRIVATE-TOKEN: secret", words)
        self.assertIn("body@bench.md", words)
        self.assertEqual(words[-1], "https://lab/api/v4/projects/5/merge_requests/6/notes")
        self.assertIn("A is slower than B", self.comment())


if __name__ == "__main__":
    main()
