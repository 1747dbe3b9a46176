"""Compares csink symbolize with llvm-symbolizer on random addresses of a file, with addr2line as the third voice."""

import collections
import dataclasses
import os
import posixpath
import random
import shutil
import subprocess

# The newest first.
LLVM = ("llvm-symbolizer-22", "llvm-symbolizer-19", "llvm-symbolizer-16", "llvm-symbolizer-14", "llvm-symbolizer")


@dataclasses.dataclass(frozen=True)
class Frame:
    function: str
    path: str
    line: str

    @property
    def file(self):
        return posixpath.basename(self.path)

    @property
    def place(self):
        """What names a line: tools differ in whether they name a file without one."""
        return ("??", "0") if has_no_line(self) else (self.file, self.line)


def newest_llvm():
    return next((name for name in LLVM if shutil.which(name)), None)


def text_section(path):
    """(address, bytes) of .text; None: the file has none."""
    listing = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] == ".text":
            return int(words[3], 16), int(words[5], 16)
    return None


def random_addresses(path, count, seed):
    """Different addresses of .text; all of them where there are not more than `count`."""
    start, size = text_section(path)
    return [start + offset for offset in random.Random(seed).sample(range(size), min(count, size))]


def frames_by_address(text):
    """Address -> frames, innermost first: the GNU style that all three print with -a, -f, -i."""
    answers, frames, function = {}, None, None
    for line in text.splitlines():
        if line.startswith("0x") and ":" not in line and " " not in line:
            frames = answers.setdefault(int(line, 16), [])
            frames.clear()
            function = None
        elif line and frames is not None:
            if function is None:
                function = line
            else:
                path, number = line.rsplit(":", 1)
                number = number.split(" ")[0]
                frames.append(Frame(function, posixpath.normpath(path), "0" if number == "?" else number))
                function = None
    return answers


def ask(command, addresses):
    done = subprocess.run(command, input="".join(f"{a:#x}\n" for a in addresses), capture_output=True, text=True,
                          errors="replace", check=True, env={**os.environ, "DEBUGINFOD_URLS": ""})
    return frames_by_address(done.stdout)


def ask_csink(csink, path, addresses):
    return ask([csink, "symbolize", "--module", path, "--inlines"], addresses)


def ask_llvm(llvm, path, addresses):
    return ask([llvm, "--output-style=GNU", "-f", "-i", "-C", "-a", "--obj=" + path], addresses)


def ask_addr2line(path, addresses):
    return ask(["addr2line", "-f", "-i", "-C", "-a", "-e", path], addresses)


def has_no_line(frame):
    return frame.line == "0" or frame.path in ("??", "?")


def differences(ours, theirs):
    """In which ways the frames of one address differ: chains (which functions were inlined where), the line, names."""
    if len(ours) != len(theirs):
        yield "chain: depth"
    elif [frame.place for frame in ours[1:]] != [frame.place for frame in theirs[1:]]:
        yield "chain: calls"
    elif [frame.function for frame in ours[:-1]] != [frame.function for frame in theirs[:-1]]:
        yield "name of an inlined function"
    if ours[0].place != theirs[0].place and not (has_no_line(ours[0]) and has_no_line(theirs[0])):
        if has_no_line(theirs[0]):
            yield "line: none there"
        else:
            yield "line: none here" if has_no_line(ours[0]) else "line"
    elif ours[0].path != theirs[0].path and not has_no_line(ours[0]):
        yield "folder of the line"
    if ours[-1].function != theirs[-1].function:
        yield "name of the function"


def is_wrong(kind):
    """Whether a difference of this kind means that somebody shows other code. Not: names (demanglers have their
    styles), and a line that is borrowed where the table has line 0."""
    return kind.startswith("chain") or kind in ("line", "line: none here", "folder of the line")


def vote(kind, ours, theirs, third):
    """Whom the third voice agrees with in this way: "csink", "llvm", "both", "nobody"."""
    if not third:
        return "nobody"
    like_us = kind not in differences(ours, third)
    like_them = kind not in differences(theirs, third)
    return {(True, True): "both", (True, False): "csink", (False, True): "llvm", (False, False): "nobody"}[
        like_us, like_them]


@dataclasses.dataclass
class Disagreement:
    address: int
    kind: str
    with_third: str  # vote()
    ours: list
    theirs: list
    third: list


def compare(csink, llvm, path, addresses):
    """All disagreements between csink and llvm-symbolizer, by address."""
    nothing = [Frame("??", "??", "0")]
    ours = ask_csink(csink, path, addresses)
    theirs = ask_llvm(llvm, path, addresses)
    third = ask_addr2line(path, addresses) if shutil.which("addr2line") else {}
    found = []
    for address in sorted(theirs):
        mine, other = ours.get(address) or nothing, theirs[address] or nothing
        for kind in differences(mine, other):
            its = third.get(address)
            found.append(Disagreement(address, kind, vote(kind, mine, other, its), mine, other, its))
    return found


def tables(disagreements):
    """(kind, whom addr2line agrees with) -> disagreements, in order."""
    by_kind = collections.defaultdict(list)
    for one in disagreements:
        by_kind[one.kind, one.with_third].append(one)
    return dict(sorted(by_kind.items()))


def show(disagreements, examples=3):
    for (kind, with_third), some in tables(disagreements).items():
        print(f"{len(some):7} {kind}; addr2line agrees with {with_third}")
        for one in some[:examples]:
            print(f"        {one.address:#x}")
            for who, frames in (("csink", one.ours), ("llvm", one.theirs), ("addr2line", one.third)):
                print(f"          {who:9} " + " < ".join(f"{f.function} {f.path}:{f.line}" for f in frames or []))
