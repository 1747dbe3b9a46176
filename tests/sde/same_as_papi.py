#!/usr/bin/env python3
"""Runs the transcript over our libpapi and over PAPI's own; they must print the same.

usage: same_as_papi.py --peer LIBRARY OURS... PEER     (OURS may hold libpapi.a)
"""

import difflib
import os
import re
import subprocess
import sys


def loaded(program):
    """The libpapi that the loader takes for this program; None for one that holds it."""
    done = subprocess.run([program], env=dict(os.environ, LD_TRACE_LOADED_OBJECTS="1"),
                          capture_output=True, text=True, check=True)
    found = re.search(r"libpapi\.so\S* => (\S+)", done.stdout)
    return os.path.realpath(found.group(1)) if found else None


def said(program):
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=30)
    if done.returncode != 0:
        sys.exit(f"{program} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.splitlines()


def main(peer, our_programs, peer_program):
    taken = loaded(peer_program)
    if taken != os.path.realpath(peer):
        sys.exit(f"{peer_program} takes {taken} instead of {peer}")
    theirs, differ = said(peer_program), False
    if len(theirs) < 90:
        sys.exit(f"the transcript has only {len(theirs)} lines")
    for program in our_programs:
        if loaded(program) == taken:
            sys.exit(f"{program} takes PAPI's own library, too")
        ours = said(program)
        difference = list(difflib.unified_diff(theirs, ours, "PAPI's", program, lineterm=""))
        print("\n".join(difference) or f"{program}: {len(ours)} lines, the same")
        differ |= bool(difference)
    return differ


if __name__ == "__main__":
    if len(sys.argv) < 5 or sys.argv[1] != "--peer":
        sys.exit(__doc__)
    sys.exit(main(sys.argv[2], sys.argv[3:-1], sys.argv[-1]))
