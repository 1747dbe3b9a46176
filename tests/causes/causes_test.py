"""csink diff: the cause of a change, on pairs of programs whose causes are known.

Of the pairs that were measured as slower, the first cause above "seen" must be right in 90 % of the
handed ones and 75 % of the fresh ones. No cause may be "proved" that is not the pair's: in none.
A against itself has no cause above "seen".

CSINK_CAUSES_PAIRS   names of pairs, to run these alone
CSINK_CAUSES_SAME    how many programs are run against themselves
CSINK_CAUSES_FOLDER  where programs and profiles are kept; a temporary folder else
"""

import functools
import os
import sys
import tempfile
import unittest

import measure
import pairs

SKIP = 77
SAME = int(os.environ.get("CSINK_CAUSES_SAME", "40"))
NAMES = os.environ.get("CSINK_CAUSES_PAIRS", "").split()
# Of a group, so many must be slower by csink's own test, so that the rates say something. Some
# pairs are not slower on every machine.
LEAST_SLOWER = 0.7


def chosen(group):
    return [pair for pair in group if not NAMES or pair.name in NAMES]


@functools.cache
def bench():
    kept = os.environ.get("CSINK_CAUSES_FOLDER")
    if not kept:
        bench.temporary = tempfile.TemporaryDirectory(prefix="csink_causes_")
        kept = bench.temporary.name
    return measure.Bench(kept)


@functools.cache
def repetitions_of(pair):
    bench().build(pair)
    return bench().calibrate(pair)


def verdicts_of(group):
    """Measures each pair, and prints the table."""
    verdicts = []
    for pair in chosen(group):
        try:
            repetitions = repetitions_of(pair)
        except measure.Skip as reason:
            print(f"left out {pair.name}: {reason}", flush=True)
            continue
        spools = bench().measure(pair, repetitions)
        verdicts.append(measure.Verdict(pair, measure.causes_of(spools)))
        print(verdicts[-1], flush=True)
    return verdicts


class KnownCauses(unittest.TestCase):
    def check(self, group, least_right):
        verdicts = verdicts_of(group)
        if not verdicts:
            self.skipTest("no pair of this group")
        for verdict in verdicts:
            self.assertEqual(verdict.refusal, "", verdict)
        slower = [v for v in verdicts if v.is_slower]
        right = [v for v in slower if v.is_right]
        print(f"right {len(right)} of {len(slower)}; {len(verdicts) - len(slower)} not slower")
        wrong = "\n".join(str(v) for v in verdicts if v.wrong_proofs)
        self.assertEqual(wrong, "", "proved what is not the cause:\n" + wrong)
        if NAMES:
            return  # A rate of few pairs says nothing.
        missed = "\n".join(str(v) for v in slower if not v.is_right)
        self.assertGreaterEqual(len(slower), LEAST_SLOWER * len(verdicts))
        self.assertGreaterEqual(len(right), least_right * len(slower), "missed:\n" + missed)

    def test_handed_pairs(self):
        self.check(pairs.HANDED, 0.9)

    def test_decoys(self):
        self.check(pairs.DECOYS, 0.75)

    def test_fresh_pairs(self):
        self.check(pairs.FRESH, 0.75)

    def test_a_program_against_itself(self):
        measured = 0
        above = []
        for pair in (chosen(pairs.HANDED) + chosen(pairs.DECOYS) + chosen(pairs.FRESH))[:SAME]:
            try:
                repetitions = repetitions_of(pair)
            except measure.Skip:
                continue
            causes = measure.causes_of(bench().measure(pair, repetitions, same=True))
            self.assertEqual(causes["refusal"], "", pair.name)
            measured += 1
            above += [
                f"{pair.name}: {c['grade']} {c['sentence']}"
                for c in causes["causes"]
                if c["grade"] != "seen"
            ]
        print(f"{measured} programs against themselves")
        self.assertGreater(measured, 0)
        self.assertEqual(above, [])


if __name__ == "__main__":
    if not measure.AGENT or not measure.TOOL:
        print("CSINK_E2E_AGENT and CSINK_E2E_TOOL are not set")
        sys.exit(SKIP)
    if measure.shutil.which("g++") is None:
        print("g++ is not installed")
        sys.exit(SKIP)
    unittest.main(verbosity=2)
