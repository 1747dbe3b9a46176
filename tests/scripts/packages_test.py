#!/usr/bin/env python3
"""scripts/lib/packages.sh with stand-ins for dpkg-query, apt-get, sudo and id."""

import os
import pathlib
import subprocess
import tempfile
import unittest

HELPER = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib" / "packages.sh"


class InstallPackages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.bin = pathlib.Path(self.folder.name)
        self.log = self.bin / "calls"
        self.log.touch()
        self.program("id", "echo 0")
        self.program("dpkg-query", "shift 3; for p in \"$@\"; do "
                     "grep -qxF \"$p\" \"$CALLS.missing\" 2>/dev/null || echo \"ii  $p\"; done")
        self.program("apt-get", 'echo "apt-get $*" >>"$CALLS"; [ "$2" != install ] || rm -f "$CALLS.missing"')

    def tearDown(self):
        self.folder.cleanup()

    def program(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def missing(self, *packages):
        pathlib.Path(f"{self.log}.missing").write_text("".join(f"{p}\n" for p in packages))

    def run_helper(self, script, tools=("/usr/bin", "/bin")):
        environment = {"PATH": ":".join([str(self.bin), *tools]), "CALLS": str(self.log)}
        done = subprocess.run(["/bin/bash", "-euc", f". {HELPER}; {script}"], env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr, self.log.read_text().splitlines()

    def test_does_nothing_when_all_are_there(self):
        code, _, err, calls = self.run_helper("install_packages build")
        self.assertEqual((code, err, calls), (0, "", []))

    def test_updates_once_and_installs_what_is_missing(self):
        self.missing("cmake")
        code, _, _, calls = self.run_helper("install_packages build; install_packages test")
        self.assertEqual(code, 0)
        self.assertEqual(calls, ["apt-get -q update",
                                 "apt-get -q install -y --no-install-recommends cmake"])

    def test_a_failing_update_is_no_reason_to_stop(self):
        self.missing("cmake")
        self.program("apt-get", '[ "$2" = install ] && rm -f "$CALLS.missing"')
        code, _, err, _ = self.run_helper("install_packages build")
        self.assertEqual(code, 0)
        self.assertIn("apt-get update had errors", err)

    def test_shows_the_end_of_a_failed_installation(self):
        self.missing("cmake")
        self.program("apt-get", '[ "$2" = update ] || { echo "E: no such package"; exit 100; }')
        code, _, err, _ = self.run_helper("install_packages build || exit 7")
        self.assertEqual(code, 7)
        self.assertIn("E: no such package", err)
        self.assertIn("still missing: cmake", err)

    def test_without_root_or_sudo_says_what_to_type(self):
        self.missing("cmake", "ninja-build")
        self.program("id", "echo 1000")
        self.program("sudo", "exit 1")
        code, _, err, calls = self.run_helper("install_packages build || exit 7")
        self.assertEqual((code, calls), (7, []))
        self.assertIn("apt-get install -y cmake ninja-build", err)

    def test_an_unknown_purpose_is_an_error(self):
        code, _, err, _ = self.run_helper("install_packages nonsense || exit 7")
        self.assertEqual(code, 7)
        self.assertIn('no purpose "nonsense"', err)

    def test_every_purpose_of_the_list_has_packages(self):
        for purpose in ("build", "demo", "test", "guest", "browser", "bench"):
            code, out, _, _ = self.run_helper(f"packages_for {purpose}")
            self.assertEqual(code, 0)
            self.assertGreaterEqual(len(out.split()), 2)

    def test_docs_systems_names_the_libraries_of_the_list(self):
        page = (HELPER.parents[2] / "docs" / "systems.md").read_text()
        table = page.partition("| for | Debian")[2].partition("\n\n")[0]
        named = [package for row in table.splitlines()[2:] for package in row.split("|")[2].split()]
        _, out, _, _ = self.run_helper("packages_for build")
        self.assertEqual(sorted(named), [package for package in out.split() if package.endswith("-dev")])


if __name__ == "__main__":
    unittest.main()
