"""User-space instructions of one call, exactly: callgrind's count of two runs that differ in
nothing but how often they make it."""

import re
import shutil


class NotCounted(RuntimeError):
    """callgrind said no number."""


def available():
    return shutil.which("valgrind") is not None


def collected(text):
    """The instructions of a run, from what callgrind prints at its end."""
    found = re.search(r"Collected : (\d+)", text)
    if not found:
        raise NotCounted(text.strip()[-300:])
    return int(found.group(1))


def _of_run(ctx, argv, environment):
    done = ctx.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *argv], environment)
    return collected(done.stderr)


def of_one_call(ctx, program, environment, what, times):
    """Instructions of `program repeat what`, the caller's loop taken off."""
    def slope(name):
        few, many = (_of_run(ctx, [program, "repeat", name, str(n)], environment)
                     for n in (times, 3 * times))
        return (many - few) / (2 * times)

    return slope(what) - slope("nothing")
