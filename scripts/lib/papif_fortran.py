"""compat/fortran/papif.table and the constants as Fortran: three headers and the module `papi`."""

import textwrap

_HEAD = """! Constants of the PAPI interface as Countersink offers it, for Fortran.
! Generated from papi.h and papiStdEventDefs.h; do not edit.
"""
_TYPES = {"int": "integer(c_int)", "event": "integer(c_int)", "long": "integer(c_long_long)", "real": "real(c_float)"}
_KEPT_OUT = {"unregster_thread", "thread_id", "perror"}  # of the functions; extras have the last two


def _literal(value):
    # The negation of a number that INTEGER does not have.
    return "((-2147483647) - 1)" if value == -(1 << 31) else str(value)


def cpp_header(values):
    """fpapi.h: for fixed and free form alike, by the preprocessor."""
    return _HEAD + "".join(f"#define {n} {_literal(v)}\n" for n, v in values.items())


def f77_header(values):
    return _HEAD + "".join(f"      INTEGER {n}\n      PARAMETER ({n}={_literal(v)})\n" for n, v in values.items())


def f90_header(values):
    return _HEAD + "".join(f"      INTEGER, PARAMETER :: {n} = {_literal(v)}\n" for n, v in values.items())


def _wrapped(indent, text):
    """A line of free form, continued where it is longer than allowed."""
    lines = textwrap.wrap(text, 110 - indent, break_long_words=False, break_on_hyphens=False)
    return (" &\n" + " " * (indent + 4)).join([" " * indent + lines[0], *lines[1:]])


def _declared(argument, by_value=False):
    if argument.type == "function":
        return f"type(c_funptr), value :: {argument.name}" if by_value else \
            f"procedure(papi_thread_number) :: {argument.name}"
    intent = f"intent({argument.mode})"
    if argument.type == "string":
        return f"character(len=*), {intent} :: {argument.name}"
    if by_value and argument.mode == "in" and not argument.array:
        return f"{_TYPES[argument.type]}, value :: {argument.name}"
    return f"{_TYPES[argument.type]}, {intent} :: {argument.name}{'(*)' if argument.array else ''}"


def _subroutine(row):
    """The interface of a PAPIF_ name."""
    names = ", ".join(a.name for a in row.arguments)
    return [_wrapped(4, f"subroutine PAPIF_{row.name}({names})"), "      import",
            *(f"      {_declared(a)}" for a in row.arguments), "    end subroutine"]


def function_name(row):
    """The module's function for a row, None where it has none."""
    if row.name in _KEPT_OUT or not row.result:
        return None
    return (row.call if row.of_papi else f"papi_{row.name}").lower()


def _direct(row):
    """True when the module's function is the C function itself."""
    return row.of_papi and all(a.type != "string" for a in row.arguments)


def _taken(row):
    """A function's arguments: those of the row without its result, which may be read as well."""
    arguments = [a for a in row.arguments if a.name != row.result]
    return arguments + (["version"] if row.result in row.given else [])


def _function(row, direct):
    taken = _taken(row)
    names = ", ".join(a if isinstance(a, str) else a.name for a in taken)
    bound = f' bind(C, name="{row.call}")' if direct else ""
    indent = 4 if direct else 2
    inside = " " * (indent + 2)
    lines = [_wrapped(indent, f"function {function_name(row)}({names}){bound} result({row.result})")]
    lines += [f"{inside}import"] if direct else []
    for argument in taken:
        lines.append(inside + ("integer(c_int), value :: version" if argument == "version"
                               else _declared(argument, by_value=direct)))
    lines.append(f"{inside}{_TYPES[row.argument(row.result).type]} :: {row.result}")
    if not direct:
        passed = ", ".join(a.name for a in row.arguments)
        lines.append(_wrapped(indent + 2, f"call PAPIF_{row.name}({passed})"))
    return [*lines, " " * indent + "end function"]


def module(rows, values, extras):
    """papi.f90. `extras`: text with parts of the module's own, split at its line `contains`."""
    with_function = [r for r in rows if function_name(r)]
    clash = {n.lower() for n in values} & {function_name(r) for r in with_function}
    if clash:
        raise ValueError(f"a constant and a function of the module share a name: {', '.join(sorted(clash))}")
    interfaces, procedures = extras.split("\ncontains\n")
    lines = ["! The PAPI interface as Countersink offers it: `use papi`.",
             "! Generated from compat/fortran/papif.table, papi.h and papiStdEventDefs.h; do not edit.",
             "module papi", "  use, intrinsic :: iso_c_binding", "  implicit none", ""]
    lines += [_wrapped(2, f"integer(c_int), parameter :: {n} = {_literal(v)}") for n, v in values.items()]
    lines += ["", interfaces.strip("\n"), "", "  ! The subroutines of PAPI's Fortran interface.", "  interface"]
    for row in rows:
        lines += _subroutine(row)
    lines += ["  end interface", "", "  ! The functions of papi.h.", "  interface"]
    for row in filter(_direct, with_function):
        lines += _function(row, direct=True)
    lines += ["  end interface", "", "contains", "", procedures.strip("\n"), ""]
    for row in with_function:
        if not _direct(row):
            lines += [*_function(row, direct=False), ""]
    return "\n".join([*lines, "end module papi", ""])
