"""A vendor's library that hangs at its start: libpapi gives it ten seconds, as a driver may have slept."""

import apapi_run
import vendors_test


class StuckStart(vendors_test.VendorTest):
    def test_a_library_that_hangs_at_init_does_not_keep_the_program(self):
        run, report = self.measure("sh", "-c", "exit 4", status=4, FAKE_NVML="init = block")
        self.assertNotIn("nvml", [c["name"] for c in report["components"]])
        self.assertIn("nvml", run.stderr)


if __name__ == "__main__":
    apapi_run.main()
