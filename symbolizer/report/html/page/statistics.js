// Error bounds of shares and ratios: the formulas of profil/statistics/statistics.h and
// symbolizer/report/tables/derived.cpp, so that a filtered page has the intervals that a report of
// the same samples would have.

/** 95 % two-sided: quantile of the normal distribution. */
export const Z95 = 1.959963984540054;

/** Wilson's score interval of a share that was estimated from `samples` effective samples. */
export function wilson(share, samples, z = Z95) {
  if (!(samples > 0) || !Number.isFinite(share)) return {low: 0, high: 1};
  const p = Math.min(1, Math.max(0, share));
  const z2n = z * z / samples;
  const middle = p + z2n / 2;
  const half = z * Math.sqrt(p * (1 - p) / samples + z2n / (4 * samples));
  return {low: Math.max(0, (middle - half) / (1 + z2n)), high: Math.min(1, (middle + half) / (1 + z2n))};
}

/** Widens an interval by the part of all occurrences that was not counted. */
export function withMissing(interval, missing) {
  const m = Math.min(1, Math.max(0, missing));
  return {low: interval.low * (1 - m), high: interval.high * (1 - m) + m};
}

/** The cell of a row: its share of `all`, with the interval. `event` is one of the profile's events. */
export function cellOf(event, samples, weight, all) {
  const share = all.weight > 0 ? Math.min(1, weight / all.weight) : 0;
  // The part of the event's effective samples that the filters left.
  const effective = event.samples > 0 ? event.effective_samples * all.samples / event.samples : 0;
  const {low, high} = withMissing(wilson(share, effective), event.missing);
  return {samples, weight, share, low, high, effective};
}

/** Whether the order of two cells is not certain: their intervals overlap. */
export function overlaps(a, b) {
  return a.low <= b.high && b.low <= a.high;
}

/** The number of events of a Poisson process with the same relative error. */
export function equivalentCount(share, samples) {
  if (!(samples > 0) || !(share > 0)) return 0;
  const p = Math.min(share, 1);
  const count = p * samples;
  return count / Math.max(1 - p, Math.min(1, 1 / count));
}

/** Interval of the ratio of two counts, relative to the ratio found, or to 1 / `below` without one above. */
export function ratioInterval(above, below, z = Z95) {
  if (!(below > 0) || !(above >= 0)) return {low: 0, high: Infinity};
  const n = above + below;
  const share = wilson(above / n, n, z);
  const odds = p => p < 1 ? p / (1 - p) : Infinity;
  const found = above > 0 ? above / below : 1 / below;
  return {low: above > 0 ? odds(share.low) / found : 0, high: odds(share.high) / found};
}

function missingFactors(share, missing) {
  const least = 1 - missing;
  return {low: least, high: share > 0 ? least + missing / share : least};
}

/** A ratio of two events in one row. null: there is no divisor. `column` is one of report.derived. */
export function ratioOf(column, overEvent, over, underEvent, under) {
  if (!(under.weight > 0)) return null;
  const scale = column.scale * overEvent.scale / underEvent.scale;
  const value = over.weight / under.weight * scale;
  const overCount = equivalentCount(over.share, over.effective);
  const relative = ratioInterval(overCount, equivalentCount(under.share, under.effective));
  const one = overEvent.samples > 0 ? overEvent.weight / overEvent.samples : 1;
  const unit = overCount > 0 ? value : one / under.weight * scale;
  const above = missingFactors(over.share, overEvent.missing);
  const below = missingFactors(under.share, underEvent.missing);
  const unseen = overCount > 0 ? 0 : overEvent.missing * overEvent.weight / under.weight * scale;
  return {
    value,
    low: relative.low * unit * above.low / below.high,
    high: (relative.high * unit * above.high + unseen) / below.low,
  };
}
