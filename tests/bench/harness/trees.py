"""Runs a program and measures the CPU time of its whole tree.

The time is wait4's: the program and every descendant that was waited for. The kernel
sums run time in nanoseconds; only its split into user and system is by ticks.
"""

import os
import random
import shutil
import sys
from dataclasses import dataclass


class RunFailed(RuntimeError):
    """A measured program ended in a way that makes its figures worthless."""


@dataclass(frozen=True)
class Usage:
    cpu_s: float
    user_s: float
    system_s: float
    minor_faults: int
    status: int  # as the shell shows it: 128 + signal
    stdout: str
    stderr: str


def base_environment():
    """The same small environment for every run: nothing of the caller's leaks in."""
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": os.environ.get("HOME", "/root"), "LANG": "C.UTF-8"}


def _read(path):
    with open(path, "rb") as f:
        return f.read().decode("utf-8", "replace")


def start(argv, env, stdout, stderr):
    """posix_spawn: the child shares our memory until exec, so our size costs it nothing."""
    program = shutil.which(argv[0]) or argv[0]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
               (os.POSIX_SPAWN_OPEN, 1, stdout, flags, 0o600),
               (os.POSIX_SPAWN_OPEN, 2, stderr, flags, 0o600)]
    return os.posix_spawn(program, argv, env, file_actions=actions)


def run(argv, scratch, env=None, expect=(0,), keep_output=True):
    """Runs argv with base_environment() plus env. Raises RunFailed on another status."""
    stdout = os.path.join(scratch, "stdout") if keep_output else "/dev/null"
    stderr = os.path.join(scratch, "stderr")
    pid = start(argv, {**base_environment(), **(env or {})}, stdout, stderr)
    _, raw_status, usage = os.wait4(pid, 0)
    status = os.waitstatus_to_exitcode(raw_status)
    status = 128 - status if status < 0 else status
    errors = _read(stderr)
    if expect is not None and status not in expect:
        raise RunFailed(f"{' '.join(argv[:4])} ... ended with {status}: {errors.strip()[-300:]}")
    return Usage(usage.ru_utime + usage.ru_stime, usage.ru_utime, usage.ru_stime, usage.ru_minflt,
                 status, _read(stdout) if keep_output else "", errors)


def run_batch(argv, count, scratch, env=None):
    """CPU seconds and minor faults of one run, as the mean of `count` in a row."""
    usages = [run(argv, scratch, env, keep_output=False) for _ in range(count)]
    return (sum(u.cpu_s for u in usages) / count, sum(u.minor_faults for u in usages) / count)


def rounds(count, variants, label, seed=1):
    """Calls every variant once a round, in an order shuffled anew each round.

    variants: name -> function without arguments. Returns name -> [result of each round].
    """
    rng = random.Random(seed)
    results = {name: [] for name in variants}
    for number in range(count):
        order = list(variants)
        rng.shuffle(order)
        for name in order:
            results[name].append(variants[name]())
        print(f"\r{label}: round {number + 1} of {count} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return results
