"""Reads the records with times of a spool: profil/format/format.h, byte by byte, without the code under test."""

import struct
from collections import namedtuple

HEADER_BYTES = 8192
TIMED_AT = 3216  # Header::timed
MOMENTS, SAMPLES, SWITCHES = 28, 29, 30
KINDS = {1: "mutex", 2: "condition", 3: "join", 4: "barrier", 5: "semaphore", 6: "rwlock", 7: "futex", 8: "pipe read",
         12: "sleep", 13: "child", 64: "unlock", 65: "signal", 66: "broadcast", 67: "post", 69: "wake", 72: "created",
         73: "start", 74: "end", 75: "fork", 76: "process end"}
FIRST_POINT = 64
CUT, OPEN = 1, 2
IN, OUT_BLOCKED, OUT_PREEMPTED, LOST = 1, 2, 3, 4

Moment = namedtuple("Moment", "start end object value thread kind flags")
Sample = namedtuple("Sample", "time pc region chain thread event")
Switch = namedtuple("Switch", "time thread kind")
Counts = namedtuple("Counts", "recorded hooked moments samples switches full_ns stretches lost_ns")


class Moments:
    """`moments`, `samples`, `switches`, `counts`; `pid` of the process and its sum of samples, `counted`."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.pid, = struct.unpack_from("<I", data, 48)
        self.moments, self.samples, self.switches = [], [], []
        self.kinds = set()
        at = HEADER_BYTES
        while at + 32 <= len(data):
            magic, kind, size, record, _, used = struct.unpack_from("<IIQIII", data, at)
            if magic == 0:
                break
            self.kinds.add(kind)
            for i in range(used):
                here = at + 32 + i * record
                if kind == MOMENTS:
                    row = Moment._make(struct.unpack_from("<QQQQIHH", data, here))
                    self.moments.append(row._replace(kind=KINDS.get(row.kind, row.kind)))
                elif kind == SAMPLES:
                    self.samples.append(Sample._make(struct.unpack_from("<QQIIII", data, here)))
                elif kind == SWITCHES:
                    self.switches.append(Switch._make(struct.unpack_from("<QII", data, here)))
            at += size
        self.counts = Counts._make(struct.unpack_from("<II6Q", data, TIMED_AT))

    def of(self, *kinds, thread=None, object=None):
        """Moments of these kinds, by their begin."""
        return sorted(m for m in self.moments if m.kind in kinds and thread in (None, m.thread)
                      and object in (None, m.object))
