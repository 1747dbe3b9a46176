"""Everything that a papi.h says, as facts that can be compared: macros, types, enumerators,
prototypes. Each Header is one folder with a papi.h; Facts() runs a C program built against it.
"""

import pathlib
import re
import subprocess

import dwarf_types

# What both headers include; their macros and types are not PAPI's.
SYSTEM = "#include <limits.h>\n#include <signal.h>\n#include <stddef.h>\n#include <stdio.h>\n" \
         "#include <string.h>\n#include <sys/types.h>\n"
MACRO = re.compile(r"#define (\w+)(\([^)]*\))? ?(.*)")
CALL = re.compile(r"\bPAPI_[a-z_]+\s*\(")  # a macro that stands for a function
PROTOTYPE = re.compile(r"^/\* (\S+):\d+:\w+ \*/ extern (.*);$")
# Values that tell the macros of event codes, versions and cache types apart.
SAMPLES = ["0", "1", "0x070102ff", "0x12345678", "(int)0x80000007", "0x40000007", "(int)0xC0000007"]


class Header:
    def __init__(self, name, folder, compiler, scratch):
        self.name, self.folder, self._compiler = name, pathlib.Path(folder), compiler
        self._scratch = pathlib.Path(scratch) / name
        self._scratch.mkdir()
        self.macros = self._read_macros()
        self.types = self._read_types()
        self.prototypes = self._read_prototypes()

    def _compile(self, source, *options, output="x.o"):
        path = self._scratch / "x.c"
        path.write_text(source)
        done = subprocess.run([self._compiler, "-I", str(self.folder), *options, str(path), "-o",
                               str(self._scratch / output)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{self.name}: {done.stderr}")
        return self._scratch / output

    def _read_macros(self):
        def defined(source):
            text = self._compile(source, "-E", "-dM", output="x.i").read_text()
            found = (MACRO.match(line) for line in text.splitlines())
            return {m[1]: (m[2], m[3]) for m in found}
        system = defined(SYSTEM)
        return {k: v for k, v in defined(SYSTEM + '#include "papi.h"\n').items() if k not in system}

    def _read_types(self):
        options = ["-g", "-fno-eliminate-unused-debug-types", "-c"]
        system = dwarf_types.Types(self._compile(SYSTEM, *options))
        return dwarf_types.Types(self._compile(SYSTEM + '#include "papi.h"\n', *options)).without(system)

    def _read_prototypes(self):
        aux = self._scratch / "x.aux"
        self._compile('#include "papi.h"\n', "-aux-info", str(aux), "-c")
        prototypes = {}
        for line in aux.read_text().splitlines():
            found = PROTOTYPE.match(line)
            if found and pathlib.Path(found[1]).name in ("papi.h", "papiStdEventDefs.h"):
                # "()" of the older C and "(void)" are called alike.
                text = found[2].replace("(/* ??? */)", "(void)")
                prototypes[re.search(r"(\w+) \(", text)[1]] = text
        return prototypes

    def accepts(self, prototypes):
        """Compiles these after the header: the compiler's complaint, or "" """
        try:
            self._compile('#include "papi.h"\n' + "".join(f"extern {p};\n" for p in prototypes), "-Werror", "-c")
            return ""
        except RuntimeError as error:
            return str(error)

    def facts(self, program):
        """fact -> value, as the program printed them."""
        binary = self._compile(program, "-std=gnu11", "-w", output="x")
        text = subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout
        return dict(line.split(" = ", 1) for line in text.splitlines())


def textual(macro):
    """True for macros that no program can print: types and function names."""
    parameters, body = macro
    return bool(CALL.search(body)) or body in ("", "long long", "unsigned long long")


def calls_of(parameters):
    count = parameters.count(",") + 1
    return ["(" + ", ".join([s] * count) + ")" for s in SAMPLES]


def program_for(macros, types):
    """Prints every value, size and offset. One text for all headers."""
    out = [SYSTEM, '#include "papi.h"\n',
           '#define TYPE(x) _Generic((x), int: "int", unsigned: "unsigned", long: "long", '
           'unsigned long: "unsigned long", default: "other")\n'
           '#define VALUE(name, x) printf("%s = %lld %s\\n", name, (long long)(x), TYPE(x))\n'
           'static void Bytes(const char* name, const void* at, size_t size) {\n'
           '  const unsigned char* b = at;\n'
           '  printf("%s = ", name);\n'
           '  for (size_t i = 0; i < size; ++i) if (b[i]) printf("%zu:%02x ", i, b[i]);\n'
           '  printf("\\n");\n}\n'
           "int main(void) {\n"]
    for name, macro in sorted(macros.items()):
        if not textual(macro):
            for use in calls_of(macro[0]) if macro[0] else [""]:
                out.append(f'  VALUE("{name}{use}", {name}{use});\n')
    out += [f'  VALUE("{name}", {name});\n' for name in types.enumerators]
    for record, members in sorted(types.records.items()):
        out.append(f'  VALUE("sizeof {record}", sizeof({record}));\n'
                   f'  VALUE("alignof {record}", _Alignof({record}));\n')
        for member, (_, bits) in members.items():
            if bits:
                out.append(f"  {{ {record} x; memset(&x, 0, sizeof x); x.{member} = ~0u;"
                           f' Bytes("{record}.{member}", &x, sizeof x); }}\n')
            else:
                out.append(f'  VALUE("{record}.{member}", offsetof({record}, {member}));\n'
                           f'  VALUE("sizeof {record}.{member}", sizeof((({record}*)0)->{member}));\n')
    return "".join(out) + "  return 0;\n}\n"
