"""The contracts of a public C header: each comment with the functions that it describes.

A comment belongs to the declarations that follow it, up to the next comment. A comment of the form
`/* ---- Title ---- */` begins a section; a comment directly behind it that describes no declaration holds for the section.
"""

import dataclasses
import re


@dataclasses.dataclass
class Group:
    section: str
    intro: str       # what holds for the section
    text: str        # the comment
    functions: list  # (name, prototype)


@dataclasses.dataclass
class Header:
    overview: str
    groups: list


TOKEN = re.compile(r"/\*(?P<comment>.*?)\*/|^[ \t]*#(?P<directive>(?:[^\n]*\\\n)*[^\n]*)$|(?P<code>[^/\n#]+|/|\n|#)", re.S | re.M)
FUNCTION = re.compile(r"(?<![\w*(])(\w+)\s*\((?!\*)")


def plain(comment):
    """A comment's text: without stars, and without what all lines are indented by."""
    lines = [re.sub(r"^\s*\* ?", "", line).rstrip() for line in comment.split("\n")]
    lines[0] = comment.split("\n")[0].strip()
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    least = min(indents, default=0)
    return "\n".join([lines[0]] + [line[least:] for line in lines[1:]]).strip("\n").strip()


def declarations(code):
    """The declarations of plain code as (text, has a body) and what is left open at its end."""
    found, depth, begin, text = [], 0, 0, ""
    for at, char in enumerate(code):
        if char == "{":
            if depth == 0:
                text = code[begin:at]
                if re.search(r'extern\s+""\s*$|extern\s+"C"\s*$', text):
                    begin = at + 1
                    continue
            depth += 1
        elif char == "}" and depth > 0:
            depth -= 1
            if depth == 0 and FUNCTION.search(text) and not re.match(r"\s*(typedef|struct|enum|union)\b[^()]*$", text):
                found.append(text)
                begin = at + 1
        elif char == ";" and depth == 0:
            found.append(code[begin:at])
            begin = at + 1
        elif char == "}" and depth == 0:
            begin = at + 1
    return found, code[begin:]


def function_of(declaration):
    """(name, prototype) if it declares a function, else None."""
    flat = " ".join(declaration.split())
    if "{" in flat or "(" not in flat or re.match(r"(typedef|struct \w+$|enum|union)\b", flat):
        return None
    found = FUNCTION.search(flat)
    if not found or found.group(1) in ("__asm__", "sizeof", "__attribute__"):
        return None
    return found.group(1), re.sub(r"^(static inline|static|extern) ", "", flat) + ";"


def read(text):
    header = Header("", [])
    section, intro, comment, code = "", "", None, ""
    fresh = False  # the comment stands directly behind a section's title

    def settle():
        nonlocal code, comment, intro
        done, code = declarations(code)
        functions = [f for f in map(function_of, done) if f]
        if comment is not None and functions:
            header.groups.append(Group(section, intro, comment, functions))
        elif comment is not None and fresh and not done and not code.strip():
            intro = comment

    for token in TOKEN.finditer(text):
        if token["directive"] is not None:
            continue
        if token["comment"] is None:
            code += token["code"]
            continue
        depth = code.count("{") - code.count("}") - len(re.findall(r'extern\s+"C"\s*\{', code))
        if depth > 0 or (code.strip() and not re.search(r"[;}{]\s*$", code)) or (depth == 0 and re.search(r"\S[^\n]*\Z", code)):
            continue  # within a declaration, or behind it on its line
        said = plain(token["comment"])
        title = re.match(r"-{4} (.*?) -{4,}$", said)
        if title is None and not header.overview and not header.groups:
            header.overview = said
            continue
        settle()
        if title:
            section, intro, comment, fresh = title.group(1), "", None, True
        else:
            fresh = fresh and comment is None
            comment = said
    settle()
    return header


def take_sentences(text, beginning):
    """(text without them, the sentences that begin with the pattern). A sentence ends with a dot outside of
    parentheses."""
    taken = []
    while found := re.search(rf"(?:(?<=\s)|^){beginning}", text):
        depth, at = 0, found.end()
        while at < len(text):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            if text[at] == "." and depth == 0 and (at + 1 == len(text) or text[at + 1].isspace()):
                break
            at += 1
        taken.append(" ".join(text[found.end():at].split()))
        text = (text[:found.start()].rstrip() + "\n" + text[at + 1:].lstrip(" ")).strip()
    return text, taken


def first_sentence(text):
    """A page's line: the first sentence without its first letter's case, up to a colon or semicolon."""
    flat = " ".join(text.split()).replace("`", "")
    sentence = re.split(r"(?<=[\w)\]`\"'])[.:;](?=\s|$)", flat, maxsplit=1)[0]
    if len(sentence) > 110:
        sentence = re.split(r", |; | \(", sentence, maxsplit=1)[0]
    word = sentence.split(" ")[0]
    return sentence if word.isupper() or not word.isalpha() or "_" in word else sentence[0].lower() + sentence[1:]
