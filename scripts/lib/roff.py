"""Writes man pages with the macros of man(7), for groff and mandoc."""

import re

# Sections in the order of man-pages(7).
ORDER = ("SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "OPERANDS", "FUNCTIONS", "RETURN VALUE", "ERRORS",
         "EXIT STATUS", "ENVIRONMENT", "FILES", "ATTRIBUTES", "NOTES", "EXAMPLES", "SEE ALSO")


def escape(text):
    """Plain text for a line of roff: "-" is a minus, and no line is taken for a macro."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def bold(text):
    return f"\\fB{escape(text)}\\fR"


def italic(text):
    return f"\\fI{escape(text)}\\fR"


def marked(text):
    """Text in which `words` between backquotes are bold."""
    parts = text.split("`")
    line = "".join(bold(part) if index % 2 else escape(part) for index, part in enumerate(parts))
    return re.sub(r"^(?=[.'])", r"\\&", line, flags=re.M)


def literal(lines):
    return ".PP\n.RS 4\n.nf\n" + "".join(escape(line) + "\n" for line in lines) + ".fi\n.RE\n"


def entry(head, text):
    """An entry of a list. `head` is roff already."""
    return f".TP\n{head}\n{text}\n"


def body(text):
    """Paragraphs, separated by empty lines. Lines that begin with four blanks are an example, "= TERM" begins an entry
    of a list, " - " an item."""
    out = ""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        filled = []
        lines = block.split("\n")
        index = 0

        def flush(begin=".PP\n"):
            nonlocal out, filled
            if filled:
                out += begin + marked(" ".join(filled)) + "\n"
            filled = []

        begin = ".PP\n"
        while index < len(lines):
            line = lines[index]
            if line.startswith("    "):
                flush(begin)
                example = []
                while index < len(lines) and lines[index].startswith("    "):
                    example.append(lines[index][4:])
                    index += 1
                out += literal(example)
                begin = ".PP\n"
                continue
            if line.startswith("= "):
                flush(begin)
                begin = f".TP\n{bold(line[2:])}\n"
            elif line.startswith(" - "):
                flush(begin)
                begin = ".IP \\(bu 2\n"
                filled.append(line[3:].strip())
            else:
                filled.append(line.strip())
            index += 1
        flush(begin)
    return out


def page(name, section, about, sections, version, manual, other_names=()):
    """A whole page. sections: title to roff; empty ones are left out."""
    names = ", ".join(escape(one) for one in (name, *other_names))
    out = f'.TH "{escape(name.upper() if section == 1 else name)}" {section} "" "Countersink {version}" "{manual}"\n'
    out += f".SH NAME\n{names} \\- {escape(about)}\n"
    for title in sorted(sections, key=ORDER.index):
        if sections[title].strip():
            # No space before the first paragraph of a section: groff complains about an empty .PP.
            out += f".SH {title}\n" + re.sub(r"^\.PP\n", "", sections[title])
    return out


def references(pages):
    """"csink(1), libagent.so(7)" from (name, section) pairs."""
    return "".join(f".BR \\%{escape(name)} ({section}){',' if at + 1 < len(pages) else ''}\n"
                   for at, (name, section) in enumerate(pages))
