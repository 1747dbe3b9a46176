// Sorting by number without long pauses: a radix sort needs some milliseconds for 200,000 rows,
// a sort with a comparison function more than 100.

/**
 * Indices 0..n-1 in the order of `keys`, the largest first; equal keys stay in their order. Keys
 * are finite numbers from 0 on: the bits of such numbers have the order of the numbers.
 */
export function orderDescending(keys) {
  const n = keys.length;
  const halves = new Uint32Array(Float64Array.from(keys).buffer);
  let from = new Uint32Array(n);
  let to = new Uint32Array(n);
  for (let i = 0; i < n; ++i) from[i] = i;
  const counts = new Uint32Array(65537);
  for (let digit = 0; digit < 4; ++digit) {
    // Numbers are stored with their low half first on all machines that run browsers.
    const half = digit >> 1;
    const shift = (digit & 1) * 16;
    counts.fill(0);
    // Inverted digits: the largest key comes first.
    for (let i = 0; i < n; ++i) ++counts[(65535 - (halves[2 * i + half] >>> shift & 65535)) + 1];
    for (let d = 0; d < 65536; ++d) counts[d + 1] += counts[d];
    for (let k = 0; k < n; ++k) {
      const i = from[k];
      to[counts[65535 - (halves[2 * i + half] >>> shift & 65535)]++] = i;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** The same with the smallest first. */
export function orderAscending(keys) {
  let largest = 0;
  for (const key of keys) largest = Math.max(largest, key);
  return orderDescending(Float64Array.from(keys, key => largest - key));
}
