"""What libms_common_apapi.so shows and needs: the reviewed list of names, and libapapi and libpapi."""

import os
import re
import subprocess
import unittest

LIBRARY, MAP = os.environ["CSINK_MS_COMMON"], os.environ["CSINK_MS_MAP"]
# All that hettime imports of libmeasure: 11 of the 13 calls, and the results.
OF_HETTIME = ["ms_init", "ms_init_fpga_force_idle", "ms_fini", "ms_alloc_measurement", "ms_free_measurement",
              "ms_set_timer", "ms_init_measurement", "ms_start_measurement", "ms_stop_measurement",
              "ms_join_measurement", "ms_fini_measurement"]
RESULTS = {"cpu": 20, "gpu": 13, "fpga": 20, "mic": 30, "system": 6}


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments, LIBRARY], capture_output=True, text=True,
                          check=True).stdout


class Exports(unittest.TestCase):
    def setUp(self):
        with open(MAP) as f:
            self.reviewed = set(re.findall(r"^\s+(\w+);$", f.read(), re.M))
        self.exported = set()
        for line in readelf("--dyn-syms").splitlines():
            fields = line.split()
            if len(fields) == 8 and fields[6] not in ("UND", "ABS", "Ndx") and fields[4] in ("GLOBAL", "WEAK"):
                self.exported.add(fields[7].split("@")[0])

    def test_are_the_reviewed_list(self):
        self.assertEqual(self.exported, self.reviewed)

    def test_hold_all_that_clients_import(self):
        self.assertLessEqual(set(OF_HETTIME), self.exported)
        self.assertLessEqual({"ms_reg_sighandler_start", "ms_reg_sighandler_stop", "appendList",
                              "getMeasurement", "deleteList"}, self.exported)
        for resource, count in RESULTS.items():
            names = [n for n in self.exported if n.startswith(resource + "_")]
            self.assertEqual(len(names), count, names)

    def test_needed_are_libapapi_libpapi_and_the_c_library(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d"))
        self.assertIn("libapapi.so", " ".join(needed))
        others = [n for n in needed if not re.match(r"(libapapi\.so|libpapi\.so\.7|libc\.so|libm\.so|ld-linux)", n)]
        self.assertEqual(others, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
