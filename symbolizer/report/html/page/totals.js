// Sums of the samples by function, line, module, thread or node, under a filter.

/**
 * Sums the rows that `mask` has (null: all) by `key`, a column with indices below `count`; -1 is
 * left out. Returns samples and weight, one array for each event.
 */
export function sumBy(rows, key, count, mask) {
  const events = rows.weight.length;
  const sums = {samples: [], weight: []};
  for (let e = 0; e < events; ++e) {
    const samples = new Float64Array(count);
    const weight = new Float64Array(count);
    const rowSamples = rows.samples[e];
    const rowWeight = rows.weight[e];
    for (let r = 0; r < rows.count; ++r) {
      const k = key[r];
      if (k < 0 || (mask && !mask[r])) continue;
      samples[k] += rowSamples[r];
      weight[k] += rowWeight[r];
    }
    sums.samples.push(samples);
    sums.weight.push(weight);
  }
  return sums;
}

/** Sums of all rows of the mask: one {samples, weight} for each event. */
export function sumAll(rows, mask) {
  return rows.weight.map((weight, e) => {
    const all = {samples: 0, weight: 0};
    for (let r = 0; r < rows.count; ++r) {
      if (mask && !mask[r]) continue;
      all.samples += rows.samples[e][r];
      all.weight += weight[r];
    }
    return all;
  });
}

/** Indices with samples of any event. */
export function present(sums, count) {
  const list = [];
  for (let i = 0; i < count; ++i) {
    if (sums.samples.some(samples => samples[i] > 0)) list.push(i);
  }
  return Int32Array.from(list);
}

/** The element of `key` with the greatest weight of `event` for each index of `group`; -1: none. */
export function hottestOf(rows, group, count, key, keys, event) {
  const weight = new Float64Array(keys);
  const owner = new Int32Array(keys).fill(-1);
  for (let r = 0; r < rows.count; ++r) {
    const k = key[r];
    if (k < 0) continue;
    weight[k] += rows.weight[event][r];
    owner[k] = group[r];
  }
  const best = new Int32Array(count).fill(-1);
  for (let k = 0; k < keys; ++k) {
    const g = owner[k];
    if (g >= 0 && (best[g] < 0 || weight[k] > weight[best[g]])) best[g] = k;
  }
  return best;
}
