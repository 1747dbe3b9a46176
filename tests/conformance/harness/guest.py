"""The suites in the arm64 guest of scripts/pmu-vm, on counters that really count.

One boot runs many tests. The guest counts instructions and cycles, and nothing else: every other
event opens and reads 0. Therefore the tests get a preset file with PAPI_TOT_INS and PAPI_TOT_CYC
alone: what a test finds there it can count, and no verdict rests on a counter that stands still.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import run
from .build import Builder, Toolchain
from .catalogue import catalogue

ROOT = pathlib.Path(__file__).resolve().parents[3]
MARK = "@@section "
PRESETS = """CPU,arm_ac57
PRESET,PAPI_TOT_INS,NOT_DERIVED,INST_RETIRED
PRESET,PAPI_TOT_CYC,NOT_DERIVED,CPU_CYCLES
"""

# Tests on instructions and cycles; what runs for minutes in an emulator is left out. A boot with a
# poker every 200,000 instructions for those that sample (docs/hardware-pmu.md says why): their
# thresholds are a million and more.
PLAN = (("""
all_native_events attach_validate cmpinfo code2name describe destroy first get_event_component hwinfo
inherit johnmay2 low-level max_multiplex mendes-alt multiattach multiattach2 remove_events reset
reset_multiplex second version zero zero_attach zero_flip zero_fork zero_named
cycles_validation papi_tot_cyc papi_tot_ins""", 0), ("""
overflow overflow2 overflow_allcounters overflow_index overflow_one_and_read overflow_single_event
overflow_twoevents profile""", 200000))


def toolchain(sysroot):
    return Toolchain(c=("aarch64-linux-gnu-gcc", f"--sysroot={sysroot}"), fortran=("gfortran",),
                     ar="aarch64-linux-gnu-ar", nm="aarch64-linux-gnu-nm")


def script(tests, limit_s):
    lines = ["cat /proc/uptime >/dev/null"]
    for test in tests:
        lines.append(f"""echo "{MARK}{test.key}"
(cd bin/{test.suite} && PATH=$PWD:$PATH LD_LIBRARY_PATH=/app/lib PAPI_CSV_EVENT_FILE=/app/presets.csv \\
    timeout -s KILL {limit_s} ./{test.name} TESTS_QUIET 2>&1)
echo "@@status $? $(cut -d' ' -f1 /proc/uptime)\"""")
    return "\n".join(lines) + "\n"


def boot(folder, tests, library, limit_s=60, **settings):
    """{key: Outcome} of these tests; the binaries are in folder/bin."""
    with tempfile.TemporaryDirectory(prefix="csink-guest-") as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "lib").mkdir()
        shutil.copy(library, scratch / "lib" / "libpapi.so.7.0")
        (scratch / "presets.csv").write_text(PRESETS)
        for test in [*tests, *(t for t in catalogue() if t.helper)]:
            (scratch / "bin" / test.suite).mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "bin" / test.suite / test.name, scratch / "bin" / test.suite)
        (scratch / "main.sh").write_text(script(tests, limit_s))
        environment = dict(os.environ, EXTRA=f"{scratch / 'bin'} {scratch / 'lib'} {scratch / 'presets.csv'}", **settings)
        done = subprocess.run([ROOT / "scripts" / "pmu-vm", "run", scratch / "main.sh"], env=environment,
                              capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL)
    print(done.stderr.strip())
    return read(done.stdout)


def read(text):
    found, before = {}, 0.0
    for part in text.split(MARK)[1:]:
        key, _, body = part.partition("\n")
        status = re.search(r"^@@status (\d+) ([\d.]+)$", body, re.M)
        if not status:
            found[key.strip()] = run.Outcome(run.TIMEOUT, "the guest ended before the test", output=body)
            continue
        code, now = int(status.group(1)), float(status.group(2))
        body = body[:status.start()]
        verdict, detail = run.read_verdict(body, -(code - 128) if code > 128 else code)
        if code == 137:
            verdict, detail = run.TIMEOUT, "of the guest's time"
        found[key.strip()] = run.Outcome(verdict, detail, now - before, output=body)
        before = now
    return found


def choose(names):
    wanted = set(names.split())
    return [t for t in catalogue() if t.name in wanted and t.suite in ("ctests", "validation")]


def missing(library):
    """Why the guest cannot run, or None."""
    if not shutil.which("aarch64-linux-gnu-gcc"):
        return "no cross compiler (packages of purpose guest)"
    if not (library / "libpapi.so.7.0").exists():
        return f"no libpapi.so.7.0 in {library}; run scripts/build-guest"
    return None


def measure(args, library, header, report):
    """{key: Outcome} of the plan, one boot each."""
    sysroot = subprocess.run([ROOT / "scripts" / "pmu-vm", "sysroot"], capture_output=True, text=True,
                             check=True).stdout.strip()
    builder = Builder(args.build / "guest", header, library, toolchain=toolchain(sysroot), loops="-O1")
    results = {}
    for names, poke in PLAN:
        tests = [t for t in choose(names) if not args.only or t.name in args.only]
        if not tests:
            continue
        binaries = builder.all([*tests, *(t for t in catalogue() if t.helper)], args.jobs)
        ready = [t for t in tests if binaries[t.key][0]]
        results.update({t.key: run.Outcome(run.PENDING, " ".join(binaries[t.key][1])) for t in tests if t not in ready})
        found = boot(builder.folder, ready, builder.library, POKE=str(poke), LIMIT="600")
        for test in ready:
            results[test.key] = found.get(test.key, run.Outcome(run.TIMEOUT, "the guest ended before the test"))
    for key, outcome in results.items():
        report(key, outcome)
    return results
