#!/usr/bin/env python3
"""JSON reports of real runs are valid by docs/report.schema.json, and the schema by its own."""

import glob
import json
import os
import pathlib
import sys

import csink_e2e
from csink_e2e import E2eTest

try:
    import jsonschema
except ImportError:
    print("skipped: needs python3-jsonschema")
    sys.exit(csink_e2e.SKIP)

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs" / "report.schema.json"


class ReportSchema(E2eTest):
    def setUp(self):
        super().setUp()
        self.schema = json.loads(SCHEMA.read_text(encoding="utf-8"))

    def problems_of(self, report, schema=None):
        validator = jsonschema.Draft202012Validator(schema or self.schema)
        return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(report)]

    def spools_of(self, *command, **env):
        run = self.run_agent(*command, CSINK_REPORT="0", **env)
        self.assertEqual(run.status, 0, run.stderr)
        spools = glob.glob(run.spool_folder + "/*.csink")
        self.assertTrue(spools, run.stderr)
        return spools

    def report(self, *args):
        status, out, err = self.run_tool("report", "--format", "json", *args)
        self.assertEqual(status, 0, err)
        return json.loads(out)

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_a_plain_report(self):
        self.assertEqual(self.problems_of(self.report(*self.spools_of("split", "300"))), [])

    def test_a_report_with_all_options(self):
        spools = self.spools_of("held_locks", "900", CSINK_STACKS="unwind", CSINK_WAIT="1")
        report = self.report("--by", "inlines", "--per-thread", "--annotate=2", *spools)
        self.assertTrue(report["annotations"] and report["stacks"] and report["inlines"] and report["locks"])
        self.assertIsNotNone(report["waits"])
        self.assertEqual(self.problems_of(report), [])

    def test_ranks_and_a_baseline(self):
        spools = []
        for rank in range(3):
            spools += self.spools_of("split", "200", OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="3")
        earlier = os.path.join(self.folder, "earlier.json")
        with open(earlier, "w", encoding="utf-8") as f:
            json.dump(self.report(*spools), f)
        report = self.report("--baseline", earlier, *spools)
        self.assertEqual(report["ranks"]["count"], 3)
        self.assertIsNotNone(report["baseline"])
        self.assertEqual(self.problems_of(report), [])

    def test_a_missing_key_and_a_wrong_type_are_found(self):
        report = self.report(*self.spools_of("split", "300"))
        del report["verdict"]["grade"]
        report["functions"][0]["events"][0]["samples"] = "many"
        found = self.problems_of(report)
        self.assertEqual(len(found), 2, found)


if __name__ == "__main__":
    csink_e2e.main()
