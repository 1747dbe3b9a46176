#!/usr/bin/env python3
"""Makes one C++ source of the style and the JavaScript modules of the HTML report.

    scripts/bundle_page.py symbolizer/report/html/page OUTPUT.cpp

The modules are plain ES modules: `import { a, b } from './x.js';` and `export` before a function, class or const.
A page from file:// cannot load modules, and a hash in its Content-Security-Policy permits one inline script, so
each module becomes a function that returns what it exports, in the order of their imports. The modules of the folder's
folder live become a second script, which live pages alone have. The program refuses what
this form cannot express, and what may not stand in a script element.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import sys

IMPORT = re.compile(r"^import \{([^}]*)\} from '\./([\w-]+\.js)';\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
# Comments that have lines of their own: the modules have no text where such a line could be meant.
COMMENT = re.compile(r"^[ \t]*(?://.*|/\*\*?.*?\*/[ \t]*)\n", re.MULTILINE)
BLOCK = re.compile(r"^[ \t]*/\*\*?(?:[^*]|\*(?!/))*\*/[ \t]*\n", re.MULTILINE)
# Every page has the script and the style: without indentation and empty lines they are a tenth smaller.
INDENT = re.compile(r"^[ \t]+|^\n", re.MULTILINE)


class Refused(Exception):
    """A module that cannot be bundled."""


def variable(name):
    return "m_" + re.sub(r"\W", "_", name.removesuffix(".js"))


def ordered(modules, start):
    """The names of all modules that `start` needs, each behind those that it imports."""
    order, open_ = [], []

    def visit(name):
        if name in order:
            return
        if name in open_:
            raise Refused(f"{name}: modules import each other: {' -> '.join(open_ + [name])}")
        if name not in modules:
            raise Refused(f"{open_[-1] if open_ else start}: there is no module {name}")
        open_.append(name)
        for _, other in IMPORT.findall(modules[name]):
            visit(other)
        open_.pop()
        order.append(name)

    visit(start)
    return order


def wrapped(name, text):
    """A module as a function that returns its exports."""
    lines = []
    for names, other in IMPORT.findall(text):
        lines.append(f"const {{{' '.join(names.split())}}} = {variable(other)};\n")
    exports = EXPORT.findall(text)
    body = EXPORT.sub("", IMPORT.sub("", text))
    if left := re.search(r"^(?:import|export)\b.*", body, re.MULTILINE):
        raise Refused(f"{name}: cannot be bundled: {left.group()}")
    body = COMMENT.sub("", BLOCK.sub("", body))
    if "`" in body:
        raise Refused(f"{name}: cannot be bundled: a template literal, whose blanks would be lost")
    body = INDENT.sub("", body)
    return (f"const {variable(name)} = (() => {{\n{''.join(lines)}{body}"
            f"return {{{', '.join(exports)}}};\n}})();\n")


def bundle(modules, start="main.js"):
    """One classic script of the modules {name: text}, in which `start` runs last."""
    order = ordered(modules, start)
    for name in sorted(set(modules) - set(order)):
        raise Refused(f"{name}: no module imports it")
    script = "'use strict';\n(() => {\n" + "".join(wrapped(name, modules[name]) for name in order) + "})();\n"
    return checked(script, "the script")


def checked(text, what):
    if not text.isascii():
        bad = next(c for c in text if not c.isascii())
        raise Refused(f"{what}: not ASCII: U+{ord(bad):04X}; write an escape")
    for sign in ("</", "<!--"):
        if sign in text:
            raise Refused(f"{what}: contains {sign}, which may not stand in an HTML element")
    return text


def style_of(text):
    return checked(INDENT.sub("", re.sub(r"/\*.*?\*/\n?", "", text, flags=re.DOTALL)), "the style")


def hash_of(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def constant(name, text):
    """Numbers, because compilers need not take string literals of this length."""
    numbers = [str(byte) for byte in text.encode()]
    lines = [",".join(numbers[at:at + 40]) for at in range(0, len(numbers), 40)]
    return (f"constexpr char k{name}Bytes[] = {{\n" + ",\n".join(lines) + "};\n", f"const std::string_view k{name}{{"
            f"k{name}Bytes, sizeof k{name}Bytes}};\nconst std::string_view k{name}Hash = \"{hash_of(text)}\";\n")


def source(style, script, live):
    texts = [constant("PageStyle", style), constant("PageScript", script), constant("LiveScript", live)]
    return ("// Made by scripts/bundle_page.py.\n#include \"symbolizer/report/html/page_assets.h\"\n\n"
            "namespace csink::report {\nnamespace {\n" + "".join(text[0] for text in texts) + "}  // namespace\n" +
            "".join(text[1] for text in texts) + "}  // namespace csink::report\n")


def modules_in(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.js"))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    args = parser.parse_args()
    try:
        text = source(style_of((args.folder / "page.css").read_text(encoding="utf-8")), bundle(modules_in(args.folder)),
                      bundle(modules_in(args.folder / "live"), "poll.js"))
    except Refused as why:
        sys.exit(f"bundle_page: {why}")
    args.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
