// The comparison of two sides as csink diff judged it. The page computes no test: marks, p-values and
// intervals are those of the block of data.

import { duration, sharePercent, visible } from './numbers.js';

const SIDES = ['a', 'b'];

/** The comparison of a block of data; null where there is none. */
export function readComparison(raw) {
  if (!raw) return null;
  return {
    ...raw, count: raw.rows.function.length,
    sides: raw.sides.map(side => ({...side, frames: Int32Array.from(side.frames)})),
    // By row: the earlier name of a function that was likely renamed, and what says so.
    renamed: new Map(raw.renamed.map(({row, was, evidence}) => [row, {was: raw.names[was], evidence}])),
  };
}

/** A side by its letter: "a" is the earlier one. */
export function sideOf(comparison, letter) {
  return comparison.sides[SIDES.indexOf(letter)];
}

/** The other letter. */
export function otherSide(letter) {
  return letter === 'a' ? 'b' : 'a';
}

/** What changes in a state when another side is shown: indices of processes, threads and phases mean others there. */
export function sideChange(state, letter, namesOf) {
  const event = namesOf(letter).indexOf(namesOf(state.side)[state.event]);
  return {side: letter, event: Math.max(0, event), process: [], thread: [], phase: [], zoom: 0};
}

/**
 * Whether a row grew (1) or shrank (-1); 0: it may be chance. `sampling`: where changes were not
 * tested, whether the interval, which has the error of sampling alone, is on one side of 0.
 */
export function directionOf(comparison, row, sampling) {
  if (comparison.tested || !sampling) return comparison.rows.direction[row];
  const {ratio_low: low, ratio_high: high} = comparison.rows;
  return low[row] > 1 ? 1 : high[row] !== null && high[row] < 1 ? -1 : 0;
}

/** The change of a row's own CPU time (or events) as a part of a run of A. Shares are no measure: they fall where another function grows. */
export function partOfRun(comparison, row) {
  const {amount, was_amount: was} = comparison.rows;
  const run = comparison.sides[0].amount || comparison.sides[1].amount;
  return run > 0 ? (amount[row] - was[row]) / run : 0;
}

// Smaller parts of a run are not seen.
const LEAST_CHANGE = 0.0005;

/**
 * What a row is coloured by: `direction`, 1 or -1, of the estimated change, 0 where there is none to see; `beyond`:
 * whether the change is beyond the error (directionOf). Without it the colour is faint.
 */
export function tintOf(comparison, row, sampling) {
  const judged = directionOf(comparison, row, sampling);
  if (judged !== 0) return {direction: judged, beyond: true};
  const change = partOfRun(comparison, row);
  return {direction: Math.abs(change) < LEAST_CHANGE ? 0 : Math.sign(change), beyond: false};
}

/** "+", a minus sign, or nothing, in brackets where the change is not beyond the error: colour is not the only sign. */
export function signText({direction, beyond}) {
  const sign = direction > 0 ? '+' : direction < 0 ? '\u2212' : '';
  return sign === '' || beyond ? sign : '(' + sign + ')';
}

/** Why a colour is faint. */
export function faintText(comparison, sampling) {
  if (comparison.tested) return 'no more than chance, or too few samples for a test';
  return sampling ? 'within the error of sampling, and not tested' : 'not tested: a side has fewer than three runs';
}

/** CPU time of a run of both sides, and how many times as much it is: {a, b, ratio}; null: an earlier CPU time is not known. */
export function cpuWords(comparison) {
  const [a, b] = comparison.sides.map(side => duration(side.cpu_seconds));
  const {ratio, ratio_low: low, ratio_high: high} = comparison;
  if (ratio === null) return null;
  const times = value => value.toFixed(3);
  const error = low !== null && high !== null ? '95 % interval ' + times(low) + ' to ' + times(high) :
    comparison.tested ? 'no interval: the CPU time of A varies too much' : 'no interval: a side has fewer than three runs';
  return {a, b, ratio: times(ratio), error};
}

/** A ratio as a change, as the text of csink diff has it: "+4.8 %", "x12"; null: without a bound. */
export function changeText(ratio) {
  if (ratio === null) return 'any';
  if (ratio >= 10) return 'x' + ratio.toFixed(0);
  const size = 100 * Math.abs(ratio - 1);
  return (ratio <= 0.9995 ? '\u2212' : '+') + size.toFixed(size < 9.95 ? 1 : 0) + ' %';
}

/** The change of a row's CPU time (or events). */
export function rowChange(comparison, row) {
  const {share, was, amount, was_amount: wasAmount} = comparison.rows;
  if (share[row] === null) return 'gone';
  return was[row] === null || !(wasAmount[row] > 0) ? 'new' : changeText(amount[row] / wasAmount[row]);
}

/** Its interval; empty where the row is new or gone. */
export function rowInterval(comparison, row) {
  const {share, was, ratio_low: low, ratio_high: high} = comparison.rows;
  return share[row] === null || was[row] === null ? '' : changeText(low[row]) + ' to ' + changeText(high[row]);
}

/** A p-value as the text of csink diff has it. */
export function pText(p) {
  if (p === null) return 'few';
  if (p < 1e-4) return '<1e-4';
  return p.toFixed(p < 0.01 ? 4 : 2);
}

/** The p-value that decides whether a row is marked; without tests that of the sampling alone. null: too few samples. */
export function pValue(comparison, row) {
  const {rows} = comparison;
  if (!comparison.tested) return rows.p_value[row];
  return rows.adjusted_p_value[row];
}

/** What the comparison says of a row: both shares, the change of its time with its interval, and the judgement. */
export function rowWords(comparison, row, sampling) {
  if (row < 0) return 'not compared: the function has no samples of its own, or its change is among the smallest, which the page leaves out';
  const {rows} = comparison;
  const share = value => value === null ? 'no samples' : sharePercent(value);
  const direction = directionOf(comparison, row, sampling);
  const p = pValue(comparison, row);
  const judged = !comparison.tested ?
    (sampling && direction !== 0 ? 'beyond the error of sampling alone; ' : '') + 'not tested: a side has fewer than three runs' :
    p === null ? 'not tested: too few samples' :
      (direction !== 0 ? 'beyond chance' : 'no more than chance') + ', p = ' + pText(p).replace('<', 'less than ');
  const interval = rowInterval(comparison, row);
  return 'the function itself: A ' + share(rows.was[row]) + ', B ' + share(rows.share[row]) + ', ' +
    (comparison.amount_unit === 'seconds' ? 'CPU time ' : 'events ') + rowChange(comparison, row) +
    (interval === '' ? '' : ', 95 % interval ' + interval) + '; ' + judged +
    (rows.mark[row] ? ', mark ' + rows.mark[row] : '') + (rows.moved[row] ? '; ' + rows.moved[row] : '') + (comparison.renamed.has(row) ? '; ' + renamedWords(comparison, row) : '');
}

/** What is known of a function that was likely renamed. */
export function renamedWords(comparison, row) {
  const {was, evidence} = comparison.renamed.get(row);
  return 'renamed (likely): ' + visible(was) + ' in A has the same lines, ' + visible(evidence);
}

/** The name of a row; that of the module where it has no function. */
export function rowName(comparison, row) {
  const {rows, names} = comparison;
  const name = visible(names[rows.function[row]] || names[rows.module[row]]);
  return comparison.renamed.has(row) ? 'renamed (likely): ' + visible(comparison.renamed.get(row).was) + ' \u2192 ' + name : name;
}

/** A number from 0 on by which rows are sorted; `column` is the key of a column. */
export function sortKey(comparison, column) {
  const {rows, count} = comparison;
  // Rows without a value are the last ones, upwards.
  const last = 2;
  switch (column) {
    case 'name': return row => rows.function[row];
    case 'module': return row => rows.module[row];
    case 'was': return row => rows.was[row] || 0;
    case 'share': return row => rows.share[row] || 0;
    case 'change': return row => 1 + partOfRun(comparison, row);
    case 'p': return row => {
      const p = pValue(comparison, row);
      return p === null ? last : p;
    };
    case 'amount': return row => rows.amount[row];
    case 'amountwas': return row => rows.was_amount[row];
    case 'mark': return row => rows.mark[row].length;
    default: return row => count - row;
  }
}
