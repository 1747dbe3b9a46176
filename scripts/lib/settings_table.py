"""The rows of core/settings/table.h, for documents that are made from them."""

import pathlib
import re

FORMATS = pathlib.Path(__file__).resolve().parents[2] / "core" / "util" / "report_formats.inc"
FORMAT = re.compile(r'^CSINK_FORMAT\(k\w+, "([a-z-]+)"', re.M)
TABLE = re.compile(r"kSettings\[\] = \{(.*?)^\};", re.M | re.S)
ROW = re.compile(r'\{Setting::k\w+, "(?P<name>[A-Z_]+)", ValueType::k(?P<type>\w+),\s*(?:"(?P<words>[^"]*)"|kReportFormatRow),\s*'
                 r'"(?P<default>[^"]*)", \d+, ReadBy::k(?P<reader>\w+), InSpool::k\w+,\s*'
                 r'"(?P<option>[^"]*)", "(?P<placeholder>[^"]*)", "(?P<help>[^"]*)"\}')


def read(text):
    """One dict a setting, in the order of the table. ValueError: a row cannot be read."""
    block = TABLE.search(text)
    rows = [match.groupdict() for match in ROW.finditer(block.group(1))] if block else []
    if not rows or len(rows) != block.group(1).count("{Setting::"):
        raise ValueError("core/settings/table.h: the table kSettings cannot be read")
    for row in rows:
        if row["words"] is None:
            row["words"] = " ".join(FORMAT.findall(FORMATS.read_text()))
    return rows
