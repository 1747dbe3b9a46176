// Who calls a function, and what it calls.

/**
 * Callers and callees of the function whose frames `isIt` accepts: {total, self, callers, callees}. Lists have {frame,
 * samples, weight}, the heaviest first; the frame -1 among callers: none is known. Of a function that calls itself the
 * outermost call has the callers and the innermost one the callees, so that both lists, with what is in the function
 * itself, add up to the total. `tree`: as of tree_merge.js.
 */
export function butterfly(tree, isIt) {
  const {count, parent, frame} = tree;
  const it = new Uint8Array(count);
  const inside = new Uint8Array(count);
  for (let n = 1; n < count; ++n) {
    it[n] = isIt(frame[n]) ? 1 : 0;
    inside[n] = it[n] || inside[parent[n]] ? 1 : 0;
  }
  // Samples of a node alone, then with everything below except further calls of the function.
  const below = {samples: tree.samples.slice(), weight: tree.weight.slice()};
  for (const what of ['samples', 'weight']) {
    for (let n = 1; n < count; ++n) below[what][parent[n]] -= tree[what][n];
  }
  const self = {samples: 0, weight: 0};
  for (let n = 1; n < count; ++n) {
    if (!it[n]) continue;
    self.samples += below.samples[n];
    self.weight += below.weight[n];
  }
  for (let n = count - 1; n > 0; --n) {
    if (it[n]) continue;
    below.samples[parent[n]] += below.samples[n];
    below.weight[parent[n]] += below.weight[n];
  }
  const total = {samples: 0, weight: 0};
  const callers = new Map();
  const callees = new Map();
  const add = (map, key, samples, weight) => {
    if (!map.has(key)) map.set(key, {frame: key, samples: 0, weight: 0});
    const row = map.get(key);
    row.samples += samples;
    row.weight += weight;
  };
  for (let n = 1; n < count; ++n) {
    const above = parent[n];
    if (it[n] && !inside[above]) {
      total.samples += tree.samples[n];
      total.weight += tree.weight[n];
      add(callers, frame[above], tree.samples[n], tree.weight[n]);
    }
    if (!it[n] && it[above]) add(callees, frame[n], below.samples[n], below.weight[n]);
  }
  const heaviest = map => [...map.values()].filter(row => row.weight > 0).sort((a, b) => b.weight - a.weight || a.frame - b.frame);
  return {total, self, callers: heaviest(callers), callees: heaviest(callees)};
}
