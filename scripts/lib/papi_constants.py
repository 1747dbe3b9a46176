"""The integer constants of papi.h and papiStdEventDefs.h, read from the headers themselves.

Only what those two headers use is understood: #define NAME EXPRESSION with sums of bits, shifts,
casts to int and other constants, one macro with arguments (PAPI_VERSION_NUMBER), enumerations, and
#if with _PAPI_ABI, the version of PAPI that the header speaks (70 to 73).
"""

import re

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ENUM = re.compile(r"\benum\s*\w*\s*\{(.*?)\}", re.DOTALL)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?[ \t]+(.*)$", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_VERSION = re.compile(r"\bPAPI_VERSION_NUMBER\s*\(([^()]*)\)")
# Places in a table, and names that only C has a use for.
_NOT_FOR_PROGRAMS = re.compile(r"_idx$|_AND_MASK$|^PAPI_END$|^PAPI_35_")

_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if\w*|elif|else|endif)\b(.*)$")
_ABI = re.compile(r"\s*_PAPI_ABI\s*(>=|==|>)\s*(\d+)\s*$")

# Members of PAPI_dmem_info_t whose Fortran index has another name than theirs.
_DMEM_NAMES = {"size": "VMSIZE", "high_water_mark": "HIGH_WATER"}


class ConstantError(Exception):
    """A constant that is not understood."""


def _to_int32(value):
    value &= 0xffffffff
    return value - (1 << 32) if value >> 31 else value


def _evaluate(expression, known):
    """The value of a C expression of integers, None where it is none (a type, a function)."""
    expression = _VERSION.sub(lambda m: "(({})<<24|({})<<16|({})<<8|({}))".format(*m.group(1).split(",")), expression)
    expression = expression.replace("(int)", "")
    words = set(_WORD.findall(re.sub(r"0[xX][0-9a-fA-F]+", "0", expression)))
    if not words <= known.keys() or not re.fullmatch(r"[\w\s()|&<>+\-]+", expression):
        return None
    return eval(expression, {"__builtins__": {}}, dict(known))  # pylint: disable=eval-used


def _enumerators(text, known):
    value = -1
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, _, expression = (p.strip() for p in part.partition("="))
        value = _evaluate(expression, known) if expression else value + 1
        if value is None:
            raise ConstantError(f"{name} = {expression}")
        known[name] = value


def _asks_for(condition, abi):
    """True or False for a condition of _PAPI_ABI, None for any other."""
    match = _ABI.match(condition)
    if not match:
        return None
    bound = int(match.group(2))
    return {">=": abi >= bound, "==": abi == bound, ">": abi > bound}[match.group(1)]


def of_abi(text, abi):
    """`text` with the lines of this version alone; other conditions stay as they are."""
    kept, stack = [], []  # of the stack: [a condition of _PAPI_ABI, this branch counts, one did]
    for line in text.splitlines():
        match = _CONDITION.match(line)
        word = match.group(1) if match else ""
        if word.startswith("if"):
            asked = _asks_for(match.group(2), abi)
            stack.append([asked is not None, asked is not False, bool(asked)])
            if asked is not None:
                continue
        elif word and stack[-1][0]:
            if word == "endif":
                stack.pop()
            else:
                asked = word == "else" or _asks_for(match.group(2), abi)
                stack[-1][1:] = [asked and not stack[-1][2], asked or stack[-1][2]]
            continue
        if all(branch[1] for branch in stack):
            kept.append(line)
        if word == "endif":
            stack.pop()
    return "\n".join(kept) + "\n"


def constants(*headers, abi=70):
    """{name: value as a 32-bit integer} of these texts, in their order; the first definition stands."""
    known = {}
    for header in headers:
        text = of_abi(_COMMENT.sub(" ", header).replace("\\\n", " "), abi)
        found = [(m.start(), m) for pattern in (_ENUM, _DEFINE) for m in pattern.finditer(text)]
        for _, match in sorted(found, key=lambda pair: pair[0]):
            if match.re is _ENUM:
                _enumerators(match.group(1), known)
            elif not match.group(2):
                value = _evaluate(match.group(3).strip(), known)
                if value is not None:
                    known.setdefault(match.group(1), value)
    return {name: _to_int32(value) for name, value in known.items()
            if name.startswith("PAPI_") and not _NOT_FOR_PROGRAMS.search(name)}


def dmem_indices(header):
    """{PAPIF_DMEM_NAME: index from 1}: the members of PAPI_dmem_info_t, and their number."""
    body = re.search(r"typedef struct\s+\w*\s*\{([^}]*)\}\s*PAPI_dmem_info_t;", _COMMENT.sub(" ", header))
    members = re.findall(r"long long (\w+);", body.group(1))
    found = {f"PAPIF_DMEM_{_DMEM_NAMES.get(m, m.upper())}": i for i, m in enumerate(members, 1)}
    return {**found, "PAPIF_DMEM_MAXVAL": len(members)}
