#!/usr/bin/env python3
"""Checks that no tracked file carries traces of the machine it was written on: this checkout's own
path, the home folder and name of this machine, other people's home folders, registry and mirror
hosts, addresses of private networks.
"""

import os
import re
import socket

from lib import checks

# Words are broken up so that this file passes its own check.
HOSTS = [
    r"deb\.debi" r"an\.org", r"archive\.ubun" r"tu\.com", r"registry\.npm" r"js\.org",
    r"\bpyp" r"i\.org", r"files\.python" r"hosted\.org", r"\bcrates" r"\.io",
    r"proxy\.go" r"lang\.org", r"\bdocker" r"\.io", r"\bghcr" r"\.io", r"\bquay" r"\.io",
    r"\bgcr" r"\.io", r"\bartifact" r"ory\b", r"[a-z0-9-]+\.(?:inter" r"nal|corp|lan)\b",
]
ADDRESSES = r"\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}\b"
HOMES = r"/(?:ho" r"me|Us" r"ers)/(?!you\b|user\b|me\b)[A-Za-z][\w.-]*"
WORKPLACES = r"(?<![\w.$}/-])/(?:wo" r"rk|work" r"space|build" r"s|ro" r"ot)/[\w.-]+"


def local_patterns(root):
    """What betrays this very machine. Short or general names would match by accident."""
    found = []
    for folder in {str(root), os.path.expanduser("~")}:
        if len(folder) > 6:
            found.append(re.escape(folder) + r"\b")
    host = socket.gethostname()
    if len(host) >= 8 and host not in ("localhost", "debian12"):
        found.append(r"\b" + re.escape(host) + r"\b")
    return found


def problems_in(root, extra=()):
    pattern = re.compile("|".join([*HOSTS, ADDRESSES, HOMES, WORKPLACES, *local_patterns(root), *extra]))
    problems, checked = [], 0
    for path in checks.tracked_files(root):
        data = (root / path).read_bytes()
        if b"\0" in data[:8192]:
            continue
        checked += 1
        for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
            for match in pattern.finditer(line):
                problems.append(f"{path}:{number}: \"{match.group(0)}\"")
    return problems, checked


def self_test():
    test = checks.SelfTest()
    clean = "see /proc/self/maps, /usr/local/lib, /home/you/app, ${HOME}/work/x, 127.0.0.1\n"
    planted = {
        "a home folder": "/ho" "me/anna/src/x.cpp",
        "a workplace": "built in /wo" "rk/project/a",
        "a registry": "from https://pyp" "i.org/simple",
        "a mirror": "deb http://deb.debi" "an.org/debian bookworm main",
        "a private address": "ssh 192.168." "4.17",
        "an inner host": "cache.build.inter" "nal",
    }
    folder = test.tree({"a.md": clean})
    test.expect("a clean file", problems_in(checks.pathlib.Path(folder.name))[0])
    for what, text in planted.items():
        folder = test.tree({"a.md": clean + text + "\n"})
        test.expect(what, problems_in(checks.pathlib.Path(folder.name))[0], "a.md:2")
    folder = test.tree({"a.md": clean})
    root = checks.pathlib.Path(folder.name)
    (root / "b.md").write_text(f"{root}/core\n")
    test.expect("the checkout's own path", problems_in(root)[0], "b.md:1")
    test.exit()


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root), lambda args: self_test())
