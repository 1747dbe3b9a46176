#!/usr/bin/env python3
"""What a packager gets from `cmake -S . -B build` without options, and with CTest's BUILD_TESTING=OFF.

    check_default_build.py SOURCES

Configures twice and reads what would be compiled; compiles nothing.
"""

import json
import os
import subprocess
import sys
import tempfile


def configured(sources, folder, *options):
    """The cache's variables and the commands of a fresh build folder."""
    environment = {k: v for k, v in os.environ.items() if k not in ("CFLAGS", "CXXFLAGS")}
    subprocess.run(["cmake", "-S", sources, "-B", folder, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options],
                   check=True, stdout=subprocess.DEVNULL, env=environment)
    with open(os.path.join(folder, "CMakeCache.txt"), encoding="utf-8") as file:
        cache = dict(line.rstrip("\n").split("=", 1) for line in file if ":" in line and "=" in line)
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        return cache, json.load(file)


def main():
    sources = os.path.abspath(sys.argv[1])
    tests = os.path.join(sources, "tests") + os.sep
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        cache, commands = configured(sources, os.path.join(folder, "default"))
        if cache.get("CMAKE_BUILD_TYPE:STRING") != "Release":
            wrong.append(f"the build type is {cache.get('CMAKE_BUILD_TYPE:STRING')}, not Release")
        # Some tests are about warnings.
        if any("-Werror" in c["command"] for c in commands if not c["file"].startswith(tests)):
            wrong.append("warnings are errors")
        if not any(command["file"].startswith(tests) for command in commands):
            wrong.append("CTest's default is ON, and no test is built")
        _, commands = configured(sources, os.path.join(folder, "off"), "-DBUILD_TESTING=OFF")
        if not commands or any(command["file"].startswith(tests) for command in commands):
            wrong.append("BUILD_TESTING=OFF builds tests")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
