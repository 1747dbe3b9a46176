"""kernel.perf_event_max_sample_rate, set for a while: needs root, and is put back however the program ends."""

import contextlib
import os
import signal

LIMIT = "/proc/sys/kernel/perf_event_max_sample_rate"
PERCENT = "/proc/sys/kernel/perf_cpu_time_max_percent"


def read(path=LIMIT):
    with open(path, encoding="ascii") as file:
        return int(file.read())


def write(value, path=LIMIT):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{value}\n")


def why_not():
    """Why the limit cannot be set here, or None."""
    return None if os.access(LIMIT, os.W_OK) else f"{LIMIT} is not ours to write (root is needed)"


@contextlib.contextmanager
def sample_limit(value):
    """The limit is `value` in the block. SIGTERM (a test's time limit) ends the block as an exception does."""
    before, percent = read(), read(PERCENT)
    def end(number, _frame):
        raise SystemExit(128 + number)
    handler = signal.signal(signal.SIGTERM, end)
    try:
        if percent in (0, 100):
            write(25, PERCENT)  # with these two the kernel refuses to set the limit
        write(value)
        yield
    finally:
        write(before)
        if percent in (0, 100):
            write(percent, PERCENT)
        signal.signal(signal.SIGTERM, handler)
