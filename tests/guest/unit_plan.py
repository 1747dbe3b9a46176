"""The plan that runs the unit tests of the cross build in the guest."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from machine import BUILD, MARK, ROOT, boot, needs_build, skip


# They compare clocks that interrupt with CPU time. In the guest's own time (an instruction a ns) those do
# not miss what a busy host does not let it run; the others run in real time, which is quicker.
TIMED = ("counting_test", "overflow_test", "papi_overflow_test", "papi_profil_test")


def plan_unit_all(checks):
    """Every unit test of the cross build, on aarch64."""
    needs_build()
    subprocess.run(["cmake", "--build", str(BUILD), "--target", "portable_tests"], check=True)
    plan_unit(checks, leave_out=())


def plan_unit(checks, leave_out=("portable",)):
    """The unit tests of the cross build that may differ on aarch64."""
    needs_build()
    listing = subprocess.run(["ctest", "--show-only=json-v1"], cwd=BUILD, capture_output=True,
                             text=True, check=True)
    tests = []
    for test in json.loads(listing.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if "unit" not in properties.get("LABELS", []):
            continue
        command = test.get("command", [""])
        needs_host = "host-tools" in properties["LABELS"]
        if set(leave_out) & set(properties["LABELS"]):
            print(f"left to plan unit_all: {test['name']}")
            continue
        if command[0].startswith(f"{BUILD}/") and not needs_host:
            tests.append((test["name"], command, properties))
        else:
            print(f"left out, it needs a program of the host: {test['name']}")
    if not tests:
        skip("the cross build has no unit tests")
    with tempfile.TemporaryDirectory(prefix="csink-unit-") as folder:
        overlay = pathlib.Path(folder)
        # The same paths as here: tests name their data by absolute path.
        for source in (BUILD, ROOT / "tests", ROOT / "docs"):
            shutil.copytree(source, overlay / source.relative_to("/"), symlinks=True, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("CMakeFiles", "*.a", "*.o", ".ninja*", "stage",
                                                          "build.ninja", "__pycache__"))
        found = {}
        for timed, settings in ((True, {}), (False, {"ICOUNT": "none"})):
            part = [test for test in tests if (test[0] in TIMED) == timed]
            script = "".join(unit_test_lines(*test) for test in part)
            found.update(boot(script, overlay=overlay, POKE="0", MEM="1024", LIMIT="800", **settings))
    for name, _, _ in tests:
        body = found.get(f"unit {name}", "no output")
        status = re.search(r"^@@status (\d+)$", body, re.MULTILINE)
        good = status is not None and status.group(1) in ("0", "77")
        last = [l for l in body.splitlines() if "PASSED" in l or "SKIPPED" in l or "FAILED" in l]
        checks.that(good, name, last[-1].strip() if last else body[-300:].strip())
        if not good:
            print(body)


def unit_test_lines(name, command, properties):
    folder = properties.get("WORKING_DIRECTORY", str(BUILD))
    environment = " ".join(f"'{e}'" for e in properties.get("ENVIRONMENT", []))
    words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
    # The console is slow: only the end of what a failing test says is passed on.
    return f"""
echo "{MARK}unit {name}"
cd '{folder}' && env {environment} timeout 300 {words} >/tmp/log 2>&1
rc=$?
if [ $rc = 0 ]; then tail -n 3 /tmp/log; else tail -n 80 /tmp/log; fi
echo "@@status $rc"
"""
