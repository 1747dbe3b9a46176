"""csink export --format otlp, decoded by protoc with the schema of the specification, against the JSON report."""

import collections
import os
import re
import shutil
import subprocess
import unittest

import csink_e2e
from csink_e2e import E2eTest, main

HERE = os.path.dirname(os.path.abspath(__file__))
# Tables of the dictionary, and the fields of messages that are indices into them.
INDICES = {"mapping_index": "mapping_table", "location_indices": "location_table", "function_index": "function_table",
           "stack_index": "stack_table", "attribute_indices": "attribute_table", "link_index": "link_table"}


def parse(text):
    """protoc's text form: a message is {field: [value]}, a value is a message, int, float, bool or str."""
    lines = iter(text.splitlines())

    def message():
        fields = collections.defaultdict(list)
        for line in lines:
            line = line.strip()
            if line == "}":
                return fields
            if line.endswith(" {"):
                fields[line[:-2]].append(message())
                continue
            name, _, value = line.partition(": ")
            if value.startswith('"'):
                escaped = value[1:-1].encode("latin-1")
                fields[name].append(escaped.decode("unicode_escape").encode("latin-1").decode("utf-8", "replace"))
            else:
                fields[name].append({"true": True, "false": False}.get(value) if value in ("true", "false")
                                    else float(value) if re.search(r"[.en]", value) else int(value))
        return fields

    return message()


@unittest.skipUnless(shutil.which("protoc"), "needs protoc (protobuf-compiler)")
class Otlp(E2eTest):
    def decode(self, path):
        with open(path, "rb") as f:
            done = subprocess.run(["protoc", "--decode=Request", f"-I{HERE}", "otlp_profiles.proto"], stdin=f,
                                  capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # protoc shows a field that the schema lacks by its number.
        self.assertNotRegex(done.stdout, r"(?m)^ *\d+(:| \{)")
        return parse(done.stdout)

    def assertIndicesHold(self, message, dictionary):
        """Every index is one of an entry that exists."""
        for name, values in message.items():
            for value in values:
                if isinstance(value, dict):
                    self.assertIndicesHold(value, dictionary)
                elif name in INDICES:
                    self.assertLess(value, len(dictionary[INDICES[name]]), name)
                    self.assertGreaterEqual(value, 0, name)
                elif name.endswith("_strindex"):
                    self.assertLess(value, len(dictionary["string_table"]), name)

    def test_protoc_reads_what_the_report_says(self):
        run = self.profile("callers", "frames", 250, CSINK_REPORT="0", CSINK_STACKS="fp")
        report = self.report_of_spool("--min-share", "0", "--top", "10000", *run.spools)
        path = os.path.join(self.folder, "profile.otlp")
        self.assertEqual(self.run_tool("export", "--format", "otlp", "-o", path, *run.spools), (0, "", ""))
        request = self.decode(path)
        dictionary, = request["dictionary"]
        self.assertIndicesHold(request, dictionary)
        strings = dictionary["string_table"]
        # Entry 0 of every table is the empty one.
        self.assertEqual(strings[0], "")
        for table in INDICES.values():
            self.assertTrue(dictionary[table], table)
            self.assertFalse([v for v in dictionary[table][0].values() if v and v != [0] and not isinstance(v[0], dict)], table)

        resource, = request["resource_profiles"]
        attributes = {a["key"][0]: a["value"][0] for a in resource["resource"][0]["attributes"]}
        self.assertEqual(attributes["process.pid"]["int_value"], [report["processes"][0]["pid"]])
        self.assertEqual(attributes["process.executable.name"]["string_value"], ["callers"])
        profile = resource["scope_profiles"][0]["profiles"][0]
        kind = [strings[profile["sample_type"][0][key][0]] for key in ("type_strindex", "unit_strindex")]
        self.assertEqual(kind[1], "nanoseconds")
        self.assertEqual(len(profile["profile_id"]), 1)

        # The leaf of each stack is the function of the report's row.
        first = lambda message, name: message[name][0] if message.get(name) else 0
        leaves = collections.Counter()
        deepest = 0
        for sample in profile["samples"]:
            locations = dictionary["stack_table"][first(sample, "stack_index")]["location_indices"]
            deepest = max(deepest, len(locations))
            leaf = dictionary["location_table"][locations[0]]
            # Without inlined calls the last line is the function itself.
            function = dictionary["function_table"][first(leaf["lines"][-1], "function_index")]
            leaves[strings[first(function, "name_strindex")]] += sum(sample["values"])
        expected = collections.Counter()
        for row in report["functions"]:
            expected[row["function"]] += row["events"][0]["weight"]
        self.assertEqual(leaves, expected)
        self.assertEqual(sum(leaves.values()), report["events"][0]["weight"])
        self.assertGreater(deepest, 2)


if __name__ == "__main__":
    main()
