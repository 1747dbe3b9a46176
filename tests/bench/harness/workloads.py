"""Real programs of about one CPU second each."""

import os
import random

PYTHON_LOOP = """
def collatz(n):
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n & 1 else n >> 1
        steps += 1
    return steps
print(max(collatz(i) for i in range(1, 250000)))
"""

SQLITE_QUERY = """
CREATE TABLE t(a INTEGER, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1400000)
INSERT INTO t SELECT i * 7919 % 1400017, hex(i * 31337) FROM n;
CREATE INDEX t_b ON t(b);
SELECT count(*), sum(length(b)) FROM t WHERE b LIKE '%7F%';
SELECT a % 97, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3;
"""


def compressible(path, megabytes):
    """Text of random words: neither noise nor runs. The same bytes every time."""
    rng = random.Random(7)
    words = ["".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(2, 9)))
             for _ in range(3000)]
    with open(path, "w") as f:
        while f.tell() < megabytes * 2**20:
            f.write(" ".join(rng.choices(words, k=2000)) + "\n")
    return path


def real_programs(scratch):
    """name -> argv. Standard output may be large: send it nowhere."""
    text = compressible(os.path.join(scratch, "words.txt"), 3)
    return {"xz -9": ["xz", "-9", "-T1", "-k", "-c", text],
            "python3": ["/usr/bin/python3", "-c", PYTHON_LOOP],
            "sqlite3": ["sqlite3", ":memory:", SQLITE_QUERY]}
