"""Reads the call chains of a spool: profil/format/format.h, byte by byte, without the code under test."""

import bisect
import os
import struct
import subprocess
from collections import Counter

HEADER_BYTES = 8192
EVENT_COUNT_AT = 192
BAD_STACKS_AT = 2920
CUT, DEEP, SIGNAL, EMPTY = 1, 2, 4, 8


class Symbols:
    """Function names of an ELF file by its own addresses."""

    def __init__(self, path):
        self.at, self.names = [], []
        if not os.path.exists(path):
            return
        out = ""
        for options in (["-n", "--defined-only"], ["-n", "-D", "--defined-only"]):
            out = subprocess.run(["nm", *options, path], capture_output=True, text=True,
                                 check=False).stdout
            if out:
                break
        rows = [l.split() for l in out.splitlines()]
        rows = [(int(r[0], 16), r[2].split("@")[0]) for r in rows
                if len(r) == 3 and r[1] in "tTwWiuU"]
        self.at = [r[0] for r in rows]
        self.names = [r[1].split(".")[0] for r in rows]
        self.gap = self._gap(path)

    @staticmethod
    def _gap(path):
        """Address minus file offset of the executable segment."""
        out = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True,
                             check=False).stdout
        for line in out.splitlines():
            f = line.split()
            if f and f[0] == "LOAD" and "E" in "".join(f[6:8]):
                return int(f[2], 16) - int(f[1], 16)
        return 0

    def name(self, file_offset):
        if not self.at:
            return None
        i = bisect.bisect_right(self.at, file_offset + self.gap) - 1
        return self.names[i] if i >= 0 else None


class Chains:
    """The buckets of a spool as stacks: [(samples, [names, innermost first], flags of the last)]."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.regions, self.nodes, self.buckets = [], [None], []
        self.symbols = {}
        self.events = self._event_count()
        at = HEADER_BYTES
        while at + 32 <= len(self.data):
            magic, kind, size, record, capacity, used, _ = struct.unpack_from("<IIQIIII", self.data, at)
            assert magic == 0x47455343, f"no segment at {at}"
            self._segment(kind, at + 32, record, capacity, used)
            at += size

    def _event_count(self):
        return struct.unpack_from("<I", self.data, EVENT_COUNT_AT)[0]

    @property
    def bad_stacks(self):
        return struct.unpack_from("<Q", self.data, BAD_STACKS_AT)[0]

    def _segment(self, kind, at, record, capacity, used):
        if kind == 2:
            for i in range(used):
                r = struct.unpack_from("<QQQQIIQIIII", self.data, at + i * record)
                path = self.data[r[6]:r[6] + r[7]].decode("utf-8", "replace")
                self.regions.append((r[0], r[2], path))
        elif kind == 7:
            for i in range(used):
                self.nodes.append(struct.unpack_from("<QIII", self.data, at + i * record))
        elif kind == 4:
            for i in range(capacity):
                owner, pc, tag, samples = struct.unpack_from("<QQQQ", self.data, at + i * record)
                if owner and tag >> 63:
                    self.buckets.append((owner, pc, tag & 0xffffffff, samples))

    def name(self, region, pc):
        if region >= len(self.regions):
            return "[nowhere]"
        start, offset, path = self.regions[region]
        if path not in self.symbols:
            self.symbols[path] = Symbols(path)
        return self.symbols[path].name(pc - start + offset) or f"[{os.path.basename(path)}]"

    def module(self, region):
        return os.path.basename(self.regions[region][2]) if region < len(self.regions) else ""

    def stacks(self):
        for owner, pc, chain, samples in self.buckets:
            region = (owner >> 32) - 1
            names, modules, flags = [self.name(region, pc)], [self.module(region)], 0
            while chain:
                node_pc, node_region, parent, flags = self.nodes[chain]
                assert parent < chain, "a parent behind its child"
                if flags & EMPTY:  # cut before its first caller
                    assert flags == CUT | EMPTY and parent == 0 and len(names) == 1
                    break
                signal = flags & SIGNAL
                names.append(self.name(node_region, node_pc if signal else node_pc - 1))
                modules.append(self.module(node_region))
                chain = parent
            yield samples, names, modules, flags

    def callers_of(self, function):
        """Samples by the direct caller of a function (None: not known)."""
        found = Counter()
        for samples, names, _, _ in self.stacks():
            if names[0] == function:
                found[names[1] if len(names) > 1 else None] += samples
        return found

    def callers_into(self, module):
        """Samples in a module by the first function outside of it."""
        found = Counter()
        for samples, names, modules, _ in self.stacks():
            if not modules[0].startswith(module):
                continue
            outside = [n for n, m in zip(names, modules) if not m.startswith(module)]
            found[outside[0] if outside else None] += samples
        return found
