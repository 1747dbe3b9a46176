"""What the tests of atime share."""

import json
import os

import apapi_run

ATIME = os.environ["CSINK_ATIME"]
PROGRAMS = os.environ["CSINK_ATIME_PROGRAMS"]


class AtimeTest(apapi_run.ApapiTest):
    def atime(self, *arguments, env=None, **more):
        environment = apapi_run.clean_environment() | (env or {})
        return apapi_run.Run([ATIME, *map(str, arguments)], environment, **more)

    def need_software_events(self):
        """They may be refused to this user, or to all."""
        run = self.atime("/bin/true", env=self.software_events())
        if run.status == 1 and ("disabled" in run.stderr or "permission" in run.stderr.lower()):
            self.skipTest("perf events are refused here: " + run.stderr.strip())
        self.assertEqual(run.status, 0, run.stderr)

    def measured(self, *command, options=(), env=None):
        """The JSON report of a run that ended well."""
        run = self.atime("-o", self.path("report"), "--format", "json", *options, *command,
                         env=env or self.software_events())
        # On a busy machine samples may come late; that is counted and said.
        said = [l for l in run.stderr.splitlines() if "samples were late" not in l]
        self.assertEqual(said, [])
        report = json.loads(self.read("report"))
        self.assertEqual(report["exit_status"], run.status)
        return report


def program(name):
    return os.path.join(PROGRAMS, name)


def event_of(report, name):
    found = [e for c in report["components"] for e in c["events"] if e["name"].endswith(name)]
    assert len(found) == 1, (name, report)
    return found[0]
