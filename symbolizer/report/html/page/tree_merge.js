// The tree of call paths with the weights of one event, and the tree of callers of one function.
// Both have the form {count, parent, frame, samples, weight, self, start, child}: node 0 is the root,
// parents come before children, and the children of n are child[start[n]] to child[start[n + 1] - 1],
// the heaviest first.

/** Adds the lists of children to a tree that has the other members. */
export function withChildren(tree) {
  const {count, parent, weight} = tree;
  const start = new Int32Array(count + 1);
  for (let n = 1; n < count; ++n) ++start[parent[n] + 1];
  for (let n = 0; n < count; ++n) start[n + 1] += start[n];
  const next = start.slice();
  const child = new Int32Array(Math.max(0, count - 1));
  for (let n = 1; n < count; ++n) child[next[parent[n]]++] = n;
  for (let n = 0; n < count; ++n) {
    if (start[n + 1] - start[n] > 1) child.subarray(start[n], start[n + 1]).sort((a, b) => weight[b] - weight[a] || a - b);
  }
  return {...tree, start, child};
}

/** The tree of call paths. `sums` are the sums by node (totals.js). */
export function callTree(nodes, sums, event) {
  const self = sums.weight[event];
  const weight = self.slice();
  const samples = sums.samples[event].slice();
  for (let n = nodes.count - 1; n > 0; --n) {
    weight[nodes.parent[n]] += weight[n];
    samples[nodes.parent[n]] += samples[n];
  }
  return withChildren({count: nodes.count, parent: nodes.parent, frame: nodes.frame, samples, weight, self});
}

/** Collects nodes of a new tree, whose root has the frame `frame`. `child(above, frame)` returns the node below `above`. */
function collect(root) {
  const parent = [0];
  const frame = [root];
  const weight = [0];
  const samples = [0];
  const self = [0];
  const known = new Map();
  return {
    frame, weight, samples, self,
    child(above, which) {
      // Frames and nodes are fewer than 2^26: the product is exact.
      const key = above * 67108864 + which;
      let node = known.get(key);
      if (node === undefined) {
        node = parent.length;
        known.set(key, node);
        parent.push(above);
        frame.push(which);
        weight.push(0);
        samples.push(0);
        self.push(0);
      }
      return node;
    },
    finish: () => withChildren({
      count: parent.length, parent: Int32Array.from(parent), frame: Int32Array.from(frame),
      samples: Float64Array.from(samples), weight: Float64Array.from(weight), self: Float64Array.from(self),
    }),
  };
}

/** The tree from the functions in which samples are up to the first callers: the children of a node are its callers. */
export function bottomUpTree(tree) {
  const samples = tree.samples.slice();
  for (let n = 1; n < tree.count; ++n) samples[tree.parent[n]] -= tree.samples[n];
  const out = collect(-1);
  for (let n = 0; n < tree.count; ++n) {
    if (!(tree.self[n] > 0)) continue;
    let at = 0;
    out.weight[0] += tree.self[n];
    out.samples[0] += samples[n];
    for (let caller = n; caller > 0; caller = tree.parent[caller]) {
      at = out.child(at, tree.frame[caller]);
      out.weight[at] += tree.self[n];
      out.samples[at] += samples[n];
      if (caller === n) out.self[at] += tree.self[n];
    }
  }
  return out.finish();
}

/**
 * The tree of callers: the root is the function whose frames `isIt` accepts, its children are its
 * callers, theirs are their callers. A call inside of another call of the function is a part of the
 * outer one, so that no sample counts twice.
 */
export function callerTree(tree, isIt) {
  const {frame, weight, samples, child, finish} = collect(-1);
  const inside = new Uint8Array(tree.count);
  for (let n = 1; n < tree.count; ++n) {
    const above = tree.parent[n];
    const it = isIt(tree.frame[n]);
    if (inside[above]) {
      inside[n] = 1;
      continue;
    }
    if (!it) continue;
    inside[n] = 1;
    if (!(tree.weight[n] > 0)) continue;
    let at = 0;
    if (frame[0] < 0) frame[0] = tree.frame[n];
    weight[0] += tree.weight[n];
    samples[0] += tree.samples[n];
    for (let caller = above; caller > 0; caller = tree.parent[caller]) {
      at = child(at, tree.frame[caller]);
      weight[at] += tree.weight[n];
      samples[at] += tree.samples[n];
    }
  }
  return finish();
}
