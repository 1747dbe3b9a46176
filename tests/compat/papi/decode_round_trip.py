#!/usr/bin/env python3
"""What PAPI's papi_decode prints over our library, PAPI_encode_events takes: the page of the manual.

usage: decode_round_trip.py PAPI_DECODE ENCODER LIBRARY_FOLDER PRESETS

ENCODER FILE REPLACE calls PAPI_encode_events and prints its answer and the presets that then count.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

decode, encoder, folder, presets = sys.argv[1:]
if not shutil.which(decode):
    print(f"skipped: no {decode} (package papi-tools)")
    sys.exit(77)
env = {**os.environ, "LD_LIBRARY_PATH": folder, "PAPI_CSV_EVENT_FILE": presets}


def run(*command):
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode} {done.stderr}"
    return done.stdout


for options in ([], ["-a"]):
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch, "current.csv")
        file.write_text(run(decode, *options))
        lines = file.read_text().splitlines()
        assert lines[0].startswith("name,derived,postfix") and lines[1] == "", lines[:2]
        assert run(encoder, str(file), "1") == "0 7\n", (options, run(encoder, str(file), "1"))
        assert run(encoder, str(file), "0") == "-15 7\n", "replacing was not requested"
        # As the manual has it: edited, and loaded again.
        edited = [line for line in lines if line.startswith("PAPI_TOT_CYC,")]
        assert len(edited) == 1, lines
        file.write_text("\n".join(lines[:2] + [edited[0].replace("PAPI_TOT_CYC", "PAPI_L3_TCM")]))
        assert run(encoder, str(file), "0") == "0 8\n", "one more preset"
print("both outputs of papi_decode are taken")
