"""Reads what a spool says about waiting: profil/format/format.h, byte by byte, without the code under test."""

import struct
from collections import namedtuple

import spool_chains

OBSERVER_AT = 3728  # Header::waits
SITES, LOCKS, HOLDERS, THREADS = 12, 13, 14, 3

PIPE = 3  # a DescriptorKind
KINDS = ("unknown", "mutex", "read lock", "write lock", "condition", "semaphore", "join", "barrier", "futex", "poll",
         "sleep", "read", "write", "accept", "connect", "receive", "send", "child", "signal", "file lock", "open",
         "fault", "other", "disk fault", "user fault", "stopped")

Observer = namedtuple("Observer", "state stopped_errno moments looks moved cut no_site no_lock no_site_ns folded cpu_ns "
                                  "blocked_ns start_ns last_ns threads most_threads")
Site = namedtuple("Site", "pc region chain thread phase lock kind descriptor call looks blocked_ns squared longest_ns")
Lock = namedtuple("Lock", "address region kind offset first_pc first_region first_chain looks blocked_ns squared "
                          "moments most_waiters known_holders")
Holder = namedtuple("Holder", "lock thread pc region chain state tid looks blocked_ns")


class Waits(spool_chains.Chains):
    """`sites`, `locks` (by id, from 1), `holders`, `tids` (by thread id) and `observer`."""

    def __init__(self, path):
        self.sites, self.locks, self.holders, self.tids = [], [None], [], []
        super().__init__(path)
        self.observer = Observer._make(struct.unpack_from("<II12QII", self.data, OBSERVER_AT))

    def _segment(self, kind, at, record, capacity, used):
        super()._segment(kind, at, record, capacity, used)
        for i in range(used):
            here = at + i * record
            if kind == SITES:
                row = struct.unpack_from("<QIIIIIIIiQQdQ", self.data, here)
                self.sites.append(Site._make(row)._replace(kind=KINDS[row[6]]))
            elif kind == LOCKS:
                row = struct.unpack_from("<QIIQQIIQQdQII", self.data, here)
                self.locks.append(Lock._make(row)._replace(kind=KINDS[row[2]]))
            elif kind == HOLDERS:
                self.holders.append(Holder._make(struct.unpack_from("<IIQIIIIQQ", self.data, here)))
            elif kind == THREADS:
                self.tids.append(struct.unpack_from("<I", self.data, here)[0])

    def functions(self, place):
        """Names of a site's or a holder's functions, innermost first; [] where it has no place."""
        if not place.pc:
            return []
        names = [self.name(place.region, place.pc)]
        chain = place.chain
        while chain:
            pc, region, parent, flags = self.nodes[chain]
            if not flags & spool_chains.EMPTY:
                names.append(self.name(region, pc if flags & spool_chains.SIGNAL else pc - 1))
            chain = parent
        return names

    def blocked_in(self, function):
        """ns of the sites that have this function among their callers."""
        return sum(s.blocked_ns for s in self.sites if function in self.functions(s))
