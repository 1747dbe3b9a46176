"""What papi_decode writes, PAPI_encode_events reads back; changes of it are found again."""

import measure_runs


class ReadBack(measure_runs.UtilityTest):
    def decode(self, file=None, *options):  # pylint: disable=keyword-arg-before-vararg
        more = {"CSINK_ENCODE_FIRST": str(file)} if file else {}
        run = self.run_tool("papi_decode", *options, preload="encode_first" if file else None,
                            PAPI_CSV_EVENT_FILE=str(measure_runs.PRESETS), **more)
        if run.returncode == 77:
            self.skipTest(run.stderr.strip())
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_unchanged(self):
        for options in ((), ("-a",)):
            file = self.folder / "events.csv"
            file.write_text(self.decode(None, *options))
            self.assertEqual(self.decode(file, *options), file.read_text(), options)

    def test_changed(self):
        text = self.decode(None, "-a")
        old = next(line for line in text.splitlines() if line.startswith("PAPI_L1_TCM,"))
        new = 'PAPI_L1_TCM,DERIVED_ADD,,"Faults, ""both""","What page faults there are","Mine",' \
              'perf::MINOR-FAULTS,perf::MAJOR-FAULTS'
        file = self.folder / "events.csv"
        file.write_text(text.replace(old, new))
        self.assertIn(new, self.decode(file).splitlines())


if __name__ == "__main__":
    measure_runs.main()
