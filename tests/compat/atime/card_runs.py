"""A fake card behind NVML's name: 50 W by its counter of energy, 25 W by its sensor of power."""

import json
import os

import atime_runs

CARD = "devices = 1; 0.name = Tesla K20c; 0.power = 25000; 0.energy = 1000~50000"
COUNTER, SENSOR = "nvml:::Tesla_K20c:energy", "nvml:::Tesla_K20c:power"


class CardTest(atime_runs.AtimeTest):
    def environment(self, script=CARD):
        return {"LD_LIBRARY_PATH": os.environ["CSINK_FAKE_VENDORS"], "FAKE_NVML": script, "APAPI_CMPLIST": "nvml",
                "APAPI_EVENTLIST": self.file("card_events", "nvml:::*:power\nnvml:::*:energy\n")}

    def report(self, *arguments, script=CARD, status=0):
        run = self.atime("-o", self.path("report"), "--format", "json", *arguments, env=self.environment(script))
        self.assertEqual(run.status, status, run.stderr)
        return json.loads(self.read("report"))
