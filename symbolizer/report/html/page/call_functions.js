// Which functions the frames of call paths are. Functions that only called others have no samples of their own,
// so that the profile has no row for them; here they get one.

/**
 * Adds rows for such functions to `functions`, a table of lists (name, module, aliases, source), and for their
 * modules to `modules` (name, path, build_id). Returns the index of the function of each frame; -1: a frame that is
 * no function, as "[cut]", or was inlined. `frames`, `nodes`, `rows`: as the profile has them.
 */
export function addCallFunctions(frames, nodes, rows, functions, modules) {
  const count = frames.name.length;
  const of = new Int32Array(count).fill(-1);
  // Several functions may have one name in one module (static ones): the samples say which a frame is.
  for (let r = 0; r < rows.count; ++r) {
    const frame = frameOfRow(nodes, frames, rows.node[r]);
    const f = rows.function[r];
    if (frame >= 0 && of[frame] < 0 && frames.name[frame] === functions.name[f] &&
        frames.module[frame] === modules.name[functions.module[f]]) of[frame] = f;
  }
  const known = new Map();
  functions.name.forEach((name, f) => {
    const key = name + '\u0001' + modules.name[functions.module[f]];
    if (!known.has(key)) known.set(key, f);
  });
  const moduleIndex = new Map(modules.name.map((name, m) => [name, m]));
  const isCalled = new Uint8Array(count);
  for (let n = 1; n < nodes.count; ++n) if (nodes.frame[n] >= 0 && nodes.frame[n] < frames.inlined) isCalled[nodes.frame[n]] = 1;
  for (let frame = 0; frame < count; ++frame) {
    const module = frames.module[frame];
    if (of[frame] >= 0 || module === '' || !isCalled[frame]) continue;
    const key = frames.name[frame] + '\u0001' + module;
    if (!known.has(key)) {
      if (!moduleIndex.has(module)) {
        moduleIndex.set(module, modules.name.length);
        for (const [column, value] of [['name', module], ['path', ''], ['build_id', '']]) modules[column].push(value);
      }
      known.set(key, functions.name.length);
      const row = {name: frames.name[frame], module: moduleIndex.get(module), aliases: 0, source: 0};
      for (const [column, value] of Object.entries(row)) functions[column].push(value);
    }
    of[frame] = known.get(key);
  }
  return of;
}

/** The frame of the function that a node is in, also where others were inlined; -1: the root, or folded stacks. */
function frameOfRow(nodes, frames, node) {
  let n = node < nodes.count ? node : 0;
  while (n > 0 && nodes.frame[n] >= frames.inlined && nodes.frame[n] < frames.name.length) n = nodes.parent[n];
  return n > 0 && nodes.frame[n] < frames.inlined ? nodes.frame[n] : -1;
}

/** A function that returns the module of a node; -1: none, as of "[cut]". Inlined frames are in the module of their caller. */
export function moduleOfNodes(nodes, functionOf, functions) {
  return n => {
    const f = functionOf(n);
    return f < 0 ? -1 : functions.module[f];
  };
}

/**
 * For each node whether it is the outermost call of its function on its path: 1, or 0 for a call inside of another
 * one and for nodes that are no function. A sample counts once in a function's total, however often it called itself.
 * `functionOf` may return groups of functions instead, as modules.
 */
export function outermostNodes(nodes, functionOf) {
  const {count, parent} = nodes;
  const outermost = new Uint8Array(count);
  // The children as linked lists; a walk in depth knows what is on the path.
  const first = new Int32Array(count).fill(-1);
  const next = new Int32Array(count).fill(-1);
  for (let n = count - 1; n > 0; --n) {
    next[n] = first[parent[n]];
    first[parent[n]] = n;
  }
  const open = new Map();
  const enter = n => {
    const f = functionOf(n);
    if (f < 0) return;
    const calls = open.get(f) || 0;
    outermost[n] = calls === 0 ? 1 : 0;
    open.set(f, calls + 1);
  };
  const leave = n => {
    const f = functionOf(n);
    if (f >= 0) open.set(f, open.get(f) - 1);
  };
  let at = count > 0 ? first[0] : -1;
  while (at > 0) {
    enter(at);
    if (first[at] >= 0) {
      at = first[at];
      continue;
    }
    while (at > 0) {
      leave(at);
      if (next[at] >= 0) {
        at = next[at];
        break;
      }
      at = parent[at];
    }
  }
  return outermost;
}

/** The rows whose function is not on their call path: samples without a stack, and folded ones. `own`: the function, or the group, of each row. */
export function rowsOutsidePaths(rows, nodes, functionOf, own = rows.function) {
  const list = [];
  for (let r = 0; r < rows.count; ++r) {
    let n = rows.node[r] < nodes.count ? rows.node[r] : 0;
    while (n > 0 && functionOf(n) !== own[r]) n = nodes.parent[n];
    if (n === 0) list.push(r);
  }
  return Int32Array.from(list);
}

/**
 * Samples and weight of each function with all that it called, one array for each event. `byNode`: the sums by node
 * (totals.js); `outermost`, `outside`, `own`: of the functions above; `mask`: the rows that count; null: all.
 */
export function totalSums(nodes, rows, byNode, functionOf, count, outermost, outside, mask, own = rows.function) {
  const totals = {samples: [], weight: []};
  for (const what of ['samples', 'weight']) {
    byNode[what].forEach((self, e) => {
      const below = self.slice();
      const total = new Float64Array(count);
      for (let n = nodes.count - 1; n > 0; --n) {
        below[nodes.parent[n]] += below[n];
        if (outermost[n]) total[functionOf(n)] += below[n];
      }
      for (const r of outside) if (!mask || mask[r]) total[own[r]] += rows[what][e][r];
      totals[what].push(total);
    });
  }
  return totals;
}
