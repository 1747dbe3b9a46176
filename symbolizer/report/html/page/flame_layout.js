// Where the frames of a flame graph are drawn.

/** Nodes from the root's child down to `node`, without the root. */
export function pathTo(tree, node) {
  const path = [];
  for (let n = node; n > 0; n = tree.parent[n]) path.push(n);
  return path.reverse();
}

/**
 * The rectangles {node, x, width, depth, above} of a tree that is zoomed to the node `zoom`. x and
 * width are parts of the picture, 0 to 1. The nodes above `zoom` have the whole width (`above`).
 * Nodes that are narrower than `least` are left out with all their children.
 */
export function layout(tree, zoom, least) {
  const rectangles = [];
  if (tree.count === 0) return rectangles;
  const path = zoom > 0 ? [0, ...pathTo(tree, zoom)] : [0];
  path.forEach((node, depth) => rectangles.push({node, x: 0, width: 1, depth, above: node !== zoom}));
  const whole = tree.weight[zoom];
  if (!(whole > 0)) return rectangles;
  const open = [{node: zoom, x: 0, depth: path.length - 1}];
  while (open.length > 0) {
    const {node, x, depth} = open.pop();
    let at = x;
    for (let c = tree.start[node]; c < tree.start[node + 1]; ++c) {
      const child = tree.child[c];
      const width = tree.weight[child] / whole;
      // Children are sorted: the others are narrower.
      if (width < least) break;
      rectangles.push({node: child, x: at, width, depth: depth + 1, above: false});
      open.push({node: child, x: at, depth: depth + 1});
      at += width;
    }
  }
  return rectangles;
}

/** The rectangle at a point, or null. `x` is a part of the width, `depth` a whole number. */
export function rectangleAt(rectangles, x, depth) {
  return rectangles.find(r => r.depth === depth && x >= r.x && x < r.x + r.width) || null;
}

/** The rectangle that a key leads to from `from`: up and down between callers and callees, left and right beside. */
export function neighbour(tree, rectangles, from, key) {
  const drawn = new Map(rectangles.map(r => [r.node, r]));
  const parent = tree.parent[from];
  if (key === 'ArrowUp') return from > 0 && drawn.has(parent) ? parent : from;
  const next = (node, step) => {
    const at = tree.child.subarray(tree.start[parent], tree.start[parent + 1]).indexOf(node);
    const other = at < 0 ? -1 : tree.start[parent] + at + step;
    return other >= tree.start[parent] && other < tree.start[parent + 1] ? tree.child[other] : node;
  };
  if (key === 'ArrowDown') {
    const child = tree.start[from] < tree.start[from + 1] ? tree.child[tree.start[from]] : from;
    return drawn.has(child) ? child : from;
  }
  if (from === 0) return from;
  const beside = next(from, key === 'ArrowRight' ? 1 : -1);
  return drawn.has(beside) ? beside : from;
}
