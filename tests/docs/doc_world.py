"""The folder in which the commands of docs/ run: an installed Countersink, a program ./app and what runs of it left."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
APPS = ("app", "server", "new", "old", "solve", "solver", "static_program")
# What stands for the placeholders of synopses.
WORDS = {"FILE": "app.csink", "FOLDER": "spools", "FUNCTION": "Simulate", "EVENT": "task-clock", "FORMAT": "json", "COMMAND": "status",
         "PROGRAM": "./app 500", "SPOOL": "app.csink", "OPTIONS": "", "ADDRESSES": "/dev/null", "TIME": "1s", "N": "1", "FIFO": "ctl"}


class World:
    """Owns: the folder and the programs that it started; close() ends and removes them."""

    def __init__(self, build):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="csink-docs-", dir="/var/tmp"))
        self.prefix, self.folder = self.top / "prefix", self.top / "work"
        self.running = None
        self.folder.mkdir(mode=0o700)
        (self.top / "run").mkdir(mode=0o700)
        subprocess.run(["cmake", "--install", build, "--prefix", self.prefix], check=True, stdout=subprocess.DEVNULL)
        library = next(self.prefix.glob("lib*/**/libagent.so")).parent
        papi = next(self.prefix.glob("lib*/**/countersink/papi"))
        # What an installation and `csink papi` do: the bare names are found.
        self.env = {"PATH": f"{self.prefix}/bin:{papi}/bin:/usr/bin:/bin", "LD_LIBRARY_PATH": f"{library}:{papi}/lib", "LC_ALL": "C",
                    "PKG_CONFIG_PATH": f"{library}/pkgconfig:{papi}/lib/pkgconfig", "HOME": str(self.top), "TERM": "dumb",
                    "XDG_RUNTIME_DIR": str(self.top / "run"), "DEBUGINFOD_URLS": "", "PREFIX": str(self.prefix),
                    "PYTHONDONTWRITEBYTECODE": "1"}
        self.fill()

    def fill(self):
        source = ROOT / "docs" / "examples" / "shares.cpp"
        subprocess.run(["g++", "-O2", "-g", "-fno-omit-frame-pointer", source, "-o", self.folder / "app"], check=True)
        for name in APPS[1:]:
            shutil.copy(self.folder / "app", self.folder / name)
        locks = ROOT / "tests" / "programs" / "held_locks.c"
        subprocess.run(["gcc", "-O2", "-g", "-static", "-pthread", "-I", ROOT, locks, "-o", self.folder / "held_locks_static"],
                       check=True)
        (self.folder / "Makefile").write_text("all:\n\t./app\n")
        for name in ("spools", "before", "after", "fleet"):
            (self.folder / name).mkdir(mode=0o700)
        keep = "CSINK_REPORT=0 CSINK_SPOOL_DIR={0} LD_PRELOAD=libagent.so ./app 1500 && mv {0}/app.*.csink {1}"
        json = "CSINK_FORMAT=json CSINK_OUTPUT={} LD_PRELOAD=libagent.so ./app {}"
        for command in (keep.format("spools", "app.csink"), keep.format("spools", "spools/a.csink"), keep.format("spools", "A"),
                        keep.format("spools", "B"), json.format("before.json", 1500), json.format("after.json", 1500),
                        "cp before.json A1; cp before.json A2; cp before.json A3; cp after.json B1; cp after.json B2; cp after.json B3",
                        "csink run --wait --format json -o before/1.json -- sh -c './app 500; sleep 0.3'",
                        "csink run --wait --format json -o after/1.json -- sh -c './app 500; sleep 0.3'"):
            status, output = self.run(command, 60)
            if status != 0:
                raise RuntimeError(f"{command}: exit status {status}\n{output}")

    def pid(self):
        """The number of a program that runs under the agent, with a control fifo."""
        if self.running is None or self.running.poll() is not None:
            self.running = subprocess.Popen(["./app", "100000000"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                            env=self.env | {"LD_PRELOAD": "libagent.so", "CSINK_CONTROL": "ctl"})
            # Until it has samples to show.
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                if self.run(f"csink ctl {self.running.pid} status | grep 'samples [1-9][0-9]'", 30)[0] == 0:
                    break
                time.sleep(0.1)
        return self.running.pid

    def rest(self):
        """Ends the running program, so that it takes no CPU time from the next commands."""
        if self.running is not None:
            self.running.kill()
            self.running.wait()
            self.running = None

    def run(self, command, seconds, ends=True):
        """(exit status, output). Not `ends`: the command goes on by itself, and is interrupted after `seconds`."""
        child = subprocess.Popen(["/bin/bash", "-c", command], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                 start_new_session=True)
        try:
            output, _ = child.communicate(timeout=seconds)
            return child.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 2 if not ends else 9)
            output, _ = child.communicate(timeout=60)
            return (0 if not ends else 124), output

    def close(self):
        self.rest()
        shutil.rmtree(self.top, ignore_errors=True)
