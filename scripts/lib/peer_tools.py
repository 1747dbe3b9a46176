"""The profilers of docs/comparison.md: how each is started, and what it says at the end. Used by scripts/compare_peers.

Each tool is asked for one sample a millisecond of CPU time where it has a choice.
"""

import dataclasses
import glob
import json
import os
import re
import subprocess

PACKAGES = ("linux-perf", "google-perftools", "libgoogle-perftools-dev", "binutils", "valgrind", "uftrace", "papi-tools",
            "likwid", "heaptrack", "bzip2", "xz-utils", "sqlite3", "python3", "g++")


@dataclasses.dataclass
class Answer:
    """What a profiler says is hottest. share: percent; None: it says nothing. note: its own words why."""
    name: str = ""
    share: float = None
    note: str = ""


def first_row(text, pattern):
    """The answer of the first line that matches `pattern` with groups `share` and `name`."""
    for line in text.splitlines():
        match = re.match(pattern, line)
        if match and not match["name"].startswith("<Total>"):
            return Answer(match["name"].strip(), float(match["share"]))
    return Answer(note=next((line.strip() for line in text.splitlines() if line.strip()), "no output"))


def with_module(name, module):
    """An address alone gets its module's name: files without symbols have no other."""
    return f"{os.path.basename(module)} {name}" if re.match(r"(\?\?\?:)?0x[0-9a-f]+$", name) and module else name


def perf_row(text):
    pattern = r"\s*(?P<share>[\d.]+)%\s+(?P<module>\S+)\s+\[.\]\s+(?P<name>\S.*)"
    answer = first_row(text, pattern)
    if answer.share is not None:
        line = next(line for line in text.splitlines() if re.match(pattern, line))
        answer.name = with_module(answer.name, re.match(pattern, line)["module"])
    return answer


def pprof_row(text):
    return first_row(text, r"\s*\d+\s+(?P<share>[\d.]+)%\s+[\d.]+%\s+\d+\s+[\d.]+%\s+(?P<name>\S.*)")


def gprofng_row(text):
    return first_row(text, r"\s*[\d.]+\s+(?P<share>[\d.]+)\s+[\d.]+\s+[\d.]+\s+(?P<name>\S.*)")


def callgrind_row(text):
    return first_row(text, r"\s*[\d,]+ \(\s*(?P<share>[\d.]+)%\)\s+(?P<name>(?!PROGRAM TOTALS)\S.*)")


def uftrace_row(text):
    """uftrace prints times; the share is of all self times but those of the scheduler."""
    units = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}
    rows = []
    for line in text.splitlines():
        match = re.match(r"\s*[\d.]+\s+(?:us|ms|s|m)\s+([\d.]+)\s+(us|ms|s|m)\s+\d+\s+(\S.*)", line)
        if match and not match[3].startswith("linux:"):
            rows.append((float(match[1]) * units[match[2]], match[3].strip()))
    total = sum(seconds for seconds, _ in rows)
    if not rows or not total:
        return Answer(note=next((line.strip() for line in text.splitlines() if line.strip()), "no output"))
    seconds, name = max(rows)
    return Answer(name, 100 * seconds / total)


def csink_row(report):
    if not report.get("functions"):
        return Answer(note="no samples")
    hottest = report["functions"][0]
    return Answer(hottest["function"].split("(")[0] if "(" in hottest["function"] else hottest["function"],
                  100 * hottest["events"][0]["share"])


def output_of(argv, **more):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace", check=False, **more)
    return done.stdout


class Tool:
    """One profiler. `slow`: it gets the small variants of the programs."""
    name = ""
    slow = False
    needs_own_build = False  # it follows programs that were compiled for it

    def command(self, argv, folder):
        """(argv, environment) of the program under the tool, with its files in `folder`."""
        raise NotImplementedError

    def answer(self, argv, folder):
        raise NotImplementedError

    def text(self, argv, folder):
        """The report that a user reads."""
        return ""


class Csink(Tool):
    name = "csink"

    def __init__(self, prefix):
        self.csink = str(prefix / "bin" / "csink")

    def command(self, argv, folder):
        return [self.csink, "run", "--format", "json", "-o", str(folder / "report.json"), "--", *argv], {}

    def answer(self, argv, folder):
        file = folder / "report.json"
        return csink_row(json.loads(file.read_text())) if file.is_file() else Answer(note="no report")


class Perf(Tool):
    name = "perf"

    def command(self, argv, folder):
        return ["perf", "record", "-q", "-e", "task-clock:u", "-F", "1000", "-o", str(folder / "perf.data"), "--", *argv], {}

    def text(self, argv, folder):
        return output_of(["perf", "report", "--stdio", "-f", "--no-children", "-F", "overhead,dso,sym", "-i", str(folder / "perf.data")])

    def answer(self, argv, folder):
        rows = [line for line in self.text(argv, folder).splitlines() if not line.startswith("#")]
        return perf_row("\n".join(rows))


class Gperftools(Tool):
    name = "gperftools"

    def command(self, argv, folder):
        library = sorted(glob.glob("/usr/lib/*/libprofiler.so.0"))[0]
        # By env: a launcher in front of it (setpriv) must not be the program that is profiled.
        return ["env", f"LD_PRELOAD={library}", f"CPUPROFILE={folder / 'cpu.prof'}", "CPUPROFILE_FREQUENCY=1000", *argv], {}

    def text(self, argv, folder):
        # A forked child gets a file of its own with the process number: the first file is the started program's.
        file = folder / "cpu.prof"
        if not file.is_file() or file.stat().st_size == 0:
            return "no profile"
        return output_of(["google-pprof", "--text", argv[0], str(file)], cwd=folder.parent)

    def answer(self, argv, folder):
        return pprof_row(self.text(argv, folder))


class Gprofng(Tool):
    name = "gprofng"

    def command(self, argv, folder):
        return ["gprofng", "collect", "app", "-p", "on", "-F", "on", "-o", str(folder / "test.er"), *argv], {}

    def text(self, argv, folder):
        # Descendants have experiments of their own inside the first one.
        experiment = folder / "test.er"
        return output_of(["gprofng", "display", "text", "-functions", str(experiment), *map(str, sorted(experiment.glob("_*.er")))])

    def answer(self, argv, folder):
        return gprofng_row(self.text(argv, folder))


class Callgrind(Tool):
    name = "callgrind"
    slow = True

    def command(self, argv, folder):
        return ["valgrind", "-q", "--tool=callgrind", "--trace-children=yes",
                f"--callgrind-out-file={folder}/callgrind.%p", *argv], {}

    def text(self, argv, folder):
        # The largest of the tree's files: the annotations of several cannot be added up.
        files = sorted(folder.glob("callgrind.*"), key=lambda file: file.stat().st_size)
        return output_of(["callgrind_annotate", str(files[-1])]) if files else "no output file"

    def answer(self, argv, folder):
        answer = callgrind_row(self.text(argv, folder))
        module = re.search(r"\[(.*)\]$", answer.name)
        name = re.sub(r"^\S*[/?]\S*:|\s+\[.*", "", answer.name)
        answer.name = with_module(name, module[1] if module else "")
        return answer


class Uftrace(Tool):
    name = "uftrace"
    needs_own_build = True

    def command(self, argv, folder):
        return ["uftrace", "record", "--no-libcall", "-d", str(folder / "uftrace.data"), *argv], {}

    def text(self, argv, folder):
        return output_of(["uftrace", "report", "-d", str(folder / "uftrace.data"), "-s", "self"])

    def answer(self, argv, folder):
        return uftrace_row(self.text(argv, folder))


def profilers(prefix):
    return [Csink(prefix), Perf(), Gperftools(), Gprofng(), Callgrind(), Uftrace()]


def install_missing():
    """apt-get install of what is not there. Returns the packages with their versions."""
    installed = lambda name: output_of(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}|${Version}", name]).startswith("ii")
    missing = [name for name in PACKAGES if not installed(name)]
    if missing:
        command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing]
        subprocess.run(command if os.geteuid() == 0 else ["sudo", *command], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))
    return {name: output_of(["dpkg-query", "-W", "-f", "${Version}", name]) for name in PACKAGES}


def own_build(argv):
    """A program of scripts/lib/peer_programs.py in its variant with calls of mcount; others as they are."""
    return [argv[0] + "-pg", *argv[1:]] if argv[0].startswith("./") else argv
