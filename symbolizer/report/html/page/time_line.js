// The time line of a profile, as numbers: shares of slices, and sums over a stretch of time.

/** Shares 0 to 1 of one slice of a thread: {run, wait, blocked, known}. `known`: seconds that were observed. */
export function sharesAt(line, thread, slice) {
  const run = thread.run_us[slice];
  const wait = thread.wait_us[slice];
  const blocked = thread.blocked_us[slice];
  const known = run + wait + blocked;
  // The sum of further threads may run on several processors, and nothing else is known of it.
  const whole = thread.rest ? Math.max(known, line.slice_seconds * 1e6) : known;
  if (whole <= 0) return {run: 0, wait: 0, blocked: 0, known: 0};
  return {run: run / whole, wait: wait / whole, blocked: blocked / whole, known: known / 1e6};
}

/** The stretch that a text like "1.5-2.25" names: {from, to} in seconds within the time line; null: no such stretch. */
export function stretchOf(line, text) {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text);
  if (!match) return null;
  const from = Math.min(Number(match[1]), line.seconds);
  const to = Math.min(Number(match[2]), line.seconds);
  return to > from ? {from, to} : null;
}

/** The text of a stretch between two times in any order; "" if they are closer than a hundredth of the time line. */
export function stretchText(line, one, other) {
  const inside = seconds => Math.min(line.seconds, Math.max(0, seconds));
  const from = inside(Math.min(one, other));
  const to = inside(Math.max(one, other));
  return to - from < line.seconds / 100 ? '' : from.toFixed(3) + '-' + to.toFixed(3);
}

/** The sum of the part of `numbers` that lies in the stretch; slices at its ends count in proportion. */
export function sumIn(line, numbers, stretch) {
  let sum = 0;
  const width = line.slice_seconds;
  const last = Math.min(numbers.length - 1, Math.floor(stretch.to / width));
  for (let i = Math.floor(stretch.from / width); i <= last; ++i) {
    const part = Math.min(stretch.to, (i + 1) * width) - Math.max(stretch.from, i * width);
    sum += numbers[i] * Math.max(0, part) / width;
  }
  return sum;
}

/** Run, wait and blocked seconds of a thread in a stretch. */
export function threadIn(line, thread, stretch) {
  return {
    run: sumIn(line, thread.run_us, stretch) / 1e6,
    wait: sumIn(line, thread.wait_us, stretch) / 1e6,
    blocked: sumIn(line, thread.blocked_us, stretch) / 1e6,
  };
}

/** Functions with samples in a stretch, most first: {function, inside} with the element of line.functions. */
export function functionsIn(line, stretch) {
  return line.functions
    .map(f => ({function: f, inside: sumIn(line, f.samples, stretch)}))
    .filter(row => row.inside >= 0.05)
    .sort((a, b) => b.inside - a.inside);
}
