// The rows that a table shows: chosen by text, in the order of a column.

import { orderAscending, orderDescending } from './order.js';
import { overlaps } from './statistics.js';

/** For each of `texts`, in lower case, whether it contains all words of `find`; null: everything does. */
export function matches(texts, find) {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const found = new Uint8Array(texts.length);
  for (let i = 0; i < texts.length; ++i) found[i] = words.every(word => texts[i].includes(word)) ? 1 : 0;
  return found;
}

/** `items` ordered by `keyOf(item)`, a number from 0 on. */
export function sorted(items, keyOf, up) {
  const keys = Float64Array.from(items, keyOf);
  const order = up ? orderAscending(keys) : orderDescending(keys);
  return Int32Array.from(order, i => items[i]);
}

/** Whether the order of row `i` and a neighbour is not certain. `cellAt` returns the cell of a row. */
export function isUncertain(i, count, cellAt) {
  const cell = cellAt(i);
  return (i > 0 && overlaps(cell, cellAt(i - 1))) || (i + 1 < count && overlaps(cell, cellAt(i + 1)));
}

/** The rows that a table with rows of one height draws: those in the window and `spare` around it. */
export function windowOf(scrollTop, height, rowHeight, count, spare) {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - spare);
  const last = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + spare);
  return {first: Math.min(first, last), last};
}
