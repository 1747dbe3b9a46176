"""The types that a header declares, read from the debug information of a compilation of it: nothing
that the compiler saw is forgotten, and nothing is guessed from the text.
"""

import re
import subprocess

DIE = re.compile(r"^ <(\d+)><([0-9a-f]+)>: Abbrev Number: \d+ \((DW_TAG_\w+)\)")
ATTRIBUTE = re.compile(r"^\s+<[0-9a-f]+>\s+(DW_AT_\w+)\s*: ?(.*)$")
INDIRECT = re.compile(r"^\(indirect (?:line )?string, offset: 0x[0-9a-f]+\): ")


class Die:
    def __init__(self, tag):
        self.tag, self.attributes, self.children = tag, {}, []

    def number(self, name, default=0):
        return int(self.attributes.get(name, str(default)).split()[0], 0)

    @property
    def name(self):
        return self.attributes.get("DW_AT_name", "")

    @property
    def type(self):
        found = re.search(r"<0x([0-9a-f]+)>", self.attributes.get("DW_AT_type", ""))
        return found[1] if found else ""


def read_dies(obj):
    """(top level DIEs, all by offset)"""
    text = subprocess.run(["readelf", "--debug-dump=info", str(obj)], capture_output=True,
                          text=True, check=True).stdout
    by_offset, path = {}, []
    for line in text.splitlines():
        if found := DIE.match(line):
            level, die = int(found[1]), Die(found[3])
            by_offset[found[2]] = die
            del path[level:]
            if path:
                path[-1].children.append(die)
            path.append(die)
        elif path and (found := ATTRIBUTE.match(line)):
            path[-1].attributes[found[1]] = INDIRECT.sub("", found[2]).strip()
    units = [d for d in by_offset.values() if d.tag == "DW_TAG_compile_unit"]
    return [child for unit in units for child in unit.children], by_offset


def type_text(offset, dies):
    """A type as one line: "const char*", "int[8]", "void(int, void*)"."""
    if not offset:
        return "void"
    die = dies[offset]
    inner = type_text(die.type, dies) if not die.name or die.tag == "DW_TAG_const_type" else ""
    if die.tag == "DW_TAG_pointer_type":
        return f"{inner}*"
    if die.tag == "DW_TAG_const_type":
        return f"const {inner}"
    if die.tag == "DW_TAG_array_type":
        bounds = [c.number("DW_AT_upper_bound", -1) + 1 for c in die.children]
        return inner + "".join(f"[{n}]" for n in bounds)
    if die.tag == "DW_TAG_subroutine_type":
        arguments = [type_text(c.type, dies) for c in die.children]
        return f"{inner}({', '.join(arguments)})"
    return die.name or "{anonymous}"


class Types:
    """records: C spelling -> {member: (type, "byte offset" or "bits")}, the spelling with which a
    program names it; typedefs: name -> type; enumerators: names."""

    def __init__(self, obj):
        self.records, self.typedefs, self.enumerators = {}, {}, []
        top, self._dies = read_dies(obj)
        for die in top:
            if die.tag == "DW_TAG_enumeration_type":
                self.enumerators += [c.name for c in die.children if c.tag == "DW_TAG_enumerator"]
            elif die.tag in ("DW_TAG_structure_type", "DW_TAG_union_type") and die.name:
                kind = die.tag.removeprefix("DW_TAG_").removesuffix("ure_type").removesuffix("_type")
                self._add_record(f"{kind} {die.name}", die)
            elif die.tag == "DW_TAG_typedef":
                self.typedefs[die.name] = type_text(die.type, self._dies)
                named = self._dies.get(die.type)
                if named and named.tag in ("DW_TAG_structure_type", "DW_TAG_union_type"):
                    self._add_record(die.name, named)

    def _add_record(self, spelling, die):
        members = {}
        for child in die.children:
            if child.tag == "DW_TAG_member":
                bits = child.attributes.get("DW_AT_bit_size")
                members[child.name] = (type_text(child.type, self._dies), f"{bits} bits" if bits else "")
        self.records[spelling] = members

    def without(self, other):
        """What `other` (the same compilation without the header) does not have."""
        self.records = {k: v for k, v in self.records.items() if k not in other.records}
        self.typedefs = {k: v for k, v in self.typedefs.items() if k not in other.typedefs}
        self.enumerators = [e for e in self.enumerators if e not in set(other.enumerators)]
        return self
