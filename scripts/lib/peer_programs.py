"""The ten programs of docs/comparison.md, each with what is known of it. Used by scripts/compare_peers."""

import dataclasses
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

LOOP = """def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps

max(range(1, 40000), key=collatz)
"""
QUERY = """create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
insert into t select i, 'row ' || (i * 7919 % 150000) from n;
select count(*), sum(length(b)) from t where b like 'row 1%';
"""
TREE = "./shares 400 & ./shares 400 & wait"


@dataclasses.dataclass
class Program:
    """truth: what a correct profile says, in words. own: it is compiled here, so it can be compiled for a peer, too.
    finds: parts of names (of functions or modules) of which one must be in the hottest row."""
    name: str
    argv: list
    truth: str
    finds: tuple
    own: bool = False
    kill_after: float = 0  # CPU seconds after which it is killed with SIGKILL
    quick: list = None     # argv for tools that are fifty times slower; None: the same


def programs():
    """In the order of the page. Programs of Debian have their whole path, which gprofng and pprof need."""
    found = table()
    for program in found:
        for argv in (program.argv, program.quick):
            if argv and "/" not in argv[0]:
                argv[0] = shutil.which(argv[0]) or argv[0]
    return found


def table():
    return [
        Program("shares", ["./shares", "4000"], "Simulate 60 %, Sort 30 %, Print 10 %", ("Simulate",), own=True,
                quick=["./shares", "500"]),
        Program("split, 4 threads", ["./split", "280", "4"], "Sixty 60 %, in each of 4 threads", ("Sixty", "Burn", "Spin"),
                own=True, quick=["./split", "70", "4"]),
        Program("xz -T2, threads that block all signals", ["xz", "-1", "-T2", "--block-size=300KiB", "-k", "-c", "words"],
                "liblzma, in 2 worker threads", ("lzma",), quick=["xz", "-0", "-T2", "--block-size=300KiB", "-k", "-c", "words"]),
        Program("split, killed by kill -9", ["./split", "60000"], "Sixty 60 %", ("Sixty", "Burn", "Spin"), own=True,
                kill_after=0.7),
        Program("400 threads of 0.3 ms", ["./thread_lives", "400", "300", "4"], "the short threads' function",
                ("Shorty", "Burn", "Spin"), own=True),
        Program("a shell that starts shares twice", ["sh", "-c", TREE], "Simulate 60 %, of two processes", ("Simulate",),
                quick=["sh", "-c", TREE.replace("400", "200")]),
        Program("bzip2", ["bzip2", "-9", "-k", "-c", "words"], "libbz2", ("bz", "BZ2"), quick=["bzip2", "-1", "-k", "-c", "few"]),
        Program("xz, one thread", ["xz", "-3", "-T1", "-k", "-c", "words"], "liblzma", ("lzma",),
                quick=["xz", "-1", "-T1", "-k", "-c", "few"]),
        Program("python3", ["/usr/bin/python3", "loop.py"], "collatz", ("collatz", "PyEval", "python3"),
                quick=["/usr/bin/python3", "-c", "sum(i * i for i in range(200000))"]),
        Program("sqlite3", ["sqlite3", ":memory:", ".read query.sql"], "libsqlite3 or libc", ("sqlite", "libc", "mem")),
    ]


def prepare(folder):
    """Compiles and writes what the programs need into `folder`. The programs that end in -pg call mcount."""
    for name, compiler in (("docs/examples/shares.cpp", "g++"), ("tests/programs/split.cpp", "g++"),
                           ("tests/programs/thread_lives.c", "gcc")):
        source = ROOT / name
        for flags, suffix in (([], ""), (["-pg"], "-pg")):
            subprocess.run([compiler, "-O2", "-g", "-pthread", *flags, str(source), "-o", str(folder / (source.stem + suffix))],
                           check=True)
    (folder / "loop.py").write_text(LOOP)
    (folder / "query.sql").write_text(QUERY)
    # Compressible text, the same on every machine.
    import random
    random.seed(7)
    words = ["".join(random.choices("etaoinshrdlu", k=random.randint(2, 9))) for _ in range(5000)]
    text = "\n".join(" ".join(random.choices(words, k=12)) for _ in range(28000))
    (folder / "words").write_text(text)
    (folder / "few").write_text(text[:300_000])
