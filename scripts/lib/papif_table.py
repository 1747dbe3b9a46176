"""Reads compat/fortran/papif.table; the file says what it means."""

import dataclasses
import re

_ROW = re.compile(r"PAPIF_(\w+)\((.*?)\)(?: also (\w+))?\s+(?:by hand|(?:(\w+) = )?(\w+)\((.*)\))$")
_ARGUMENT = re.compile(r"(?:(out|inout) )?(int|long|real|string|function|event) (\w+)(\(\*\))?$")


class TableError(Exception):
    """A row that is not understood."""


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument: `mode` is in, out or inout."""
    mode: str
    type: str
    name: str
    array: bool


@dataclasses.dataclass(frozen=True)
class Row:
    """One Fortran name. `result`: the argument that the call's answer goes to, or None; `call`: the C
    function, None where the name has its code by hand; `given`: the call's arguments as written."""
    section: str
    name: str
    arguments: tuple
    result: str
    call: str
    given: tuple
    also: str = None  # one more name

    @property
    def of_papi(self):
        """True when a function of papi.h answers."""
        return bool(self.call) and self.call.startswith("PAPI_")

    def argument(self, name):
        return next(a for a in self.arguments if a.name == name)

    @property
    def checked(self):
        """True when the last argument takes the return code."""
        return bool(self.arguments) and self.arguments[-1].name == "check"


def spellings(row):
    """What compilers make of PAPIF_name, and PAPI's own."""
    low = f"papif_{row.name}"
    return [low, low + "_", low + "__", low.upper(), *([row.also] if row.also else [])]


def _argument(text):
    match = _ARGUMENT.match(text.strip())
    if not match:
        raise TableError(f"an argument is `[out|inout] type name[(*)]`, not `{text.strip()}`")
    mode, kind, name, array = match.groups()
    return Argument(mode or "in", kind, name, bool(array))


def _row(section, text):
    match = _ROW.match(text)
    if not match:
        raise TableError(f"not a row: {text}")
    name, arguments, also, result, call, given = match.groups()
    row = Row(section, name, tuple(_argument(a) for a in arguments.split(",") if a.strip()), result, call,
              tuple(g.strip() for g in (given or "").split(",") if g.strip()), also)
    names = {a.name for a in row.arguments}
    unknown = {g.lstrip("&") for g in row.given} | ({result} if result else set())
    if unknown - names:
        raise TableError(f"PAPIF_{name}: no argument {', '.join(sorted(unknown - names))}")
    return row


def read(text):
    """The rows, in their order. The table's first paragraph explains it; a comment line after an empty
    one names a section."""
    rows, section, pending = [], "", []

    def finish():
        if pending:
            rows.append(_row(section, " ".join(pending)))
            pending.clear()

    previous = None
    for line in text.splitlines():
        if line.startswith("PAPIF_") or not line.strip() or line.startswith("#"):
            finish()
        if line.startswith("# ") and previous == "":
            section = line[2:]
        elif line.strip() and not line.startswith("#"):
            pending.append(line.strip())
        previous = line.strip()
    finish()
    twice = {r.name for r in rows if sum(o.name == r.name for o in rows) > 1}
    if twice:
        raise TableError(f"twice: {', '.join(sorted(twice))}")
    return rows
