"""The arm64 guest of scripts/pmu-vm: is it built, boot it, and what a boot printed."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "guest"
STAGE = BUILD / "stage"
MARK = "@@section "
SKIP = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def boot(script, extra=(), overlay=None, **settings):
    """Runs a shell script in the guest; its output cut into {section: text}."""
    with tempfile.TemporaryDirectory(prefix="csink-guest-") as folder:
        program = pathlib.Path(folder, "main.sh")
        program.write_text(script)
        environment = dict(os.environ, EXTRA=" ".join(map(str, extra)), **settings)
        if overlay:
            environment["OVERLAY"] = str(overlay)
        done = subprocess.run([str(ROOT / "scripts" / "pmu-vm"), "run", str(program)],
                              env=environment, capture_output=True, text=True, errors="replace",
                              check=False, stdin=subprocess.DEVNULL)
    sys.stderr.write(done.stderr)
    if done.returncode == 125:
        print(done.stdout)
        print("the guest did not run")
        sys.exit(1)
    return sections(done.stdout)


def sections(text):
    found = {}
    for part in text.split(MARK)[1:]:
        name, _, body = part.partition("\n")
        found[name.strip()] = body
    return found


def needs_build(agent=False):
    if not (BUILD / "tests" / "guest" / "known_loop").is_file():
        skip("no cross build of known_loop; run scripts/build-guest")
    if agent and not (list(STAGE.glob("lib*/**/libagent.so")) and (STAGE / "bin" / "csink").is_file()):
        skip("the cross build has no libagent.so or no csink yet")
