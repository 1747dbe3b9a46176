"""What every section is given."""

import json
from dataclasses import dataclass

from . import trees
from .products import Products

# How much of a figure's budget a first calibration run burns.
CALIBRATION_STEPS = 40_000_000


@dataclass
class Context:
    products: Products
    quick: bool
    install: bool = False  # of packages that one section alone needs

    def pick(self, full, quick):
        return quick if self.quick else full

    def run(self, argv, env=None, **options):
        return trees.run(argv, self.products.scratch, env, **options)

    def rounds(self, count, variants, label):
        return trees.rounds(count, variants, label)

    def steps_for(self, seconds):
        """Steps of the bench loop that burn about `seconds` of CPU time here."""
        best = min(json.loads(self.run([self.products.loop, str(CALIBRATION_STEPS)]).stdout)
                   ["cpu_ns"] for _ in range(3))
        return int(CALIBRATION_STEPS * seconds * 1e9 / best)
