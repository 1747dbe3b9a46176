"""What a section hands back, and how it is written: a page with the figures and some tables, and a file of data a section."""

import csv
import io
from dataclasses import asdict, dataclass, field


@dataclass
class Figure:
    """One promise: what, its limit and what was measured."""
    what: str
    limit: str      # "<= 1.15 x the interrupt alone"
    measured: str   # with its interval
    reached: bool

    def verdict(self):
        return "reached" if self.reached else "missed"


@dataclass
class Section:
    name: str
    title: str
    columns: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    figures: list = field(default_factory=list)
    head: str = ""  # when, on which commit, under what load

    def to_dict(self):
        return asdict(self)

    @staticmethod
    def from_dict(data):
        data = dict(data)
        data["figures"] = [Figure(**f) for f in data["figures"]]
        return Section(**data)


def _cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(columns, rows):
    lines = ["| " + " | ".join(_cell(c) for c in columns) + " |",
             "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)


def section_text(section):
    parts = [f"## {section.title}"]
    if section.head:
        parts.append(section.head)
    if section.rows:
        parts.append(table(section.columns, section.rows))
    if section.notes:
        parts.append("\n".join(f"* {note}" for note in section.notes))
    return "\n\n".join(parts)


def _figures(sections):
    return [(f.what, f.limit, f.measured, f.verdict()) for section in sections for f in section.figures]


def figures_text(sections):
    rows = _figures(sections)
    if not rows:
        return ""
    missed = [row[:3] for row in rows if row[3] == "missed"]
    text = (f"## Figures\n\n{len(rows) - len(missed)} of {len(rows)} figures are within their limits: "
            "[all of them](data/figures.csv).")
    return text + (" Missed:\n\n" + table(("figure", "limit", "measured"), missed) if missed else "")


INTRODUCTION = """\
# Benchmarks

Written by `scripts/bench --write`; do not edit. Run it on your machine to get your figures.

All times are CPU time of whole process trees (wait4), not wall time. The variants of a table
run in rounds, in an order shuffled anew each round; figures are medians over the rounds,
[quartiles] or (95 % interval by resampling whole rounds). Compare ratios within a table: the
microseconds are this machine's."""

# These sections have their tables in the page, all have them in docs/data.
IN_PAGE = ("cost", "start")


def data_text(section):
    """The section's file in docs/data: CSV behind comment lines with title, date and notes."""
    out = io.StringIO()
    for line in [section.title, section.head, *section.notes]:
        if line:
            out.write(f"# {line}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(section.columns)
    writer.writerows(section.rows)
    return out.getvalue()


def data_files(sections):
    """{name in docs/data: text}"""
    figures = Section("figures", "Figures, their limits and what was measured", ["figure", "limit", "measured", ""], _figures(sections))
    return {f"{section.name}.csv": data_text(section) for section in [*sections, figures] if section.rows}


def data_table(sections):
    lines = [f"* [{s.title}](data/{s.name}.csv)" for s in sections if s.name not in IN_PAGE]
    if not lines:
        return ""
    return "## All tables\n\nWhen and how they were measured: the first lines of each file.\n\n" + "\n".join(lines)


def document(machine_rows, sections):
    parts = [INTRODUCTION, "## Machine\n\n" + table(("", ""), machine_rows), figures_text(sections)]
    parts += [section_text(s) for s in sections if s.name in IN_PAGE]
    parts.append(data_table(sections))
    return "\n\n".join(p for p in parts if p) + "\n"
