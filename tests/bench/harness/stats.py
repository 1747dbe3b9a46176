"""Medians, quartiles and ratios with an interval. No state, no clock."""

import random
import statistics

BOOTSTRAP_ROUNDS = 1000
BOOTSTRAP_SEED = 1


def quartiles(values):
    """(first quartile, median, third quartile) by linear interpolation."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")

    def at(share):
        position = share * (len(ordered) - 1)
        low = int(position)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (position - low)

    return at(0.25), at(0.5), at(0.75)


def median(values):
    return statistics.median(values)


def ratios(numerators, denominators):
    """Ratios pair by pair: both lists come from the same rounds."""
    if len(numerators) != len(denominators):
        raise ValueError("not the same rounds")
    return [a / b for a, b in zip(numerators, denominators)]


def bootstrap_interval(statistic, columns, share=0.95):
    """Bounds of `statistic(columns)` under resampling of whole rounds.

    columns: name -> one value a round; all of one length. A round is drawn as a whole,
    because what disturbed one of its runs probably disturbed its neighbours.
    """
    names = list(columns)
    count = len(columns[names[0]])
    if any(len(columns[name]) != count for name in names):
        raise ValueError("not the same rounds")
    rng = random.Random(BOOTSTRAP_SEED)
    results = []
    for _ in range(BOOTSTRAP_ROUNDS):
        rows = [rng.randrange(count) for _ in range(count)]
        try:
            results.append(statistic({name: [columns[name][r] for r in rows] for name in names}))
        except ZeroDivisionError:
            continue
    if not results:
        raise ValueError("the statistic has no value")
    results.sort()
    tail = (1 - share) / 2
    last = len(results) - 1
    return results[round(tail * last)], results[round((1 - tail) * last)]
