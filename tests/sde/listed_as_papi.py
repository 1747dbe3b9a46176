#!/usr/bin/env python3
"""papi_native_avail -sde LIBRARY (Debian's papi-tools) over our libpapi and over PAPI's own: it must list
the same events of the library.

usage: listed_as_papi.py OUR_FOLDER PEER_FOLDER LIBRARY
"""

import os
import re
import shutil
import subprocess
import sys


def listed(folder, library):
    """The blocks of the list that are software defined events'."""
    done = subprocess.run(["papi_native_avail", "-sde", library], env=dict(os.environ, LD_LIBRARY_PATH=folder),
                          capture_output=True, text=True, check=False, timeout=50)
    if done.returncode != 0:
        sys.exit(f"over {folder}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    return [block for block in re.split(r"^[-=]{20,}$", done.stdout, flags=re.M) if "sde:::" in block]


def main(our_folder, peer_folder, library):
    if not shutil.which("papi_native_avail"):
        print("skipped: papi_native_avail is not installed (package papi-tools)")
        return 77
    ours, theirs = listed(our_folder, library), listed(peer_folder, library)
    if "sde:::Listed::first" not in "".join(theirs):
        sys.exit("PAPI's own library lists nothing:\n" + "".join(theirs))
    if ours != theirs:
        sys.exit("ours:\n" + "\n".join(ours) + "\nPAPI's:\n" + "\n".join(theirs))
    print(f"{len(ours)} events, the same")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
