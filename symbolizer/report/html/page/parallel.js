// Parallel regions of OpenMP and the ranks of an MPI job, as tables of texts. docs/report.schema.json has openmp and ranks.

import { duration, grouped, percent, sharePercent, short, visible } from './numbers.js';

// Regions in the table; the JSON report has all of them. Of ranks the page has no more rows (page_data.cpp).
const MOST_ROWS = 200;
// Smaller shares outside of regions are left out.
const LEAST_OUTSIDE = 0.0005;

function half(cell) {
  return '\u00b1' + ((cell.high - cell.low) * 50).toFixed(1);
}

/** "solve.c:120 in solve", with what the region is if it is no parallel region. */
export function regionText(region) {
  const place = region.line > 0 ? region.file.slice(region.file.lastIndexOf('/') + 1) + ':' + region.line : region.function;
  return visible((region.task ? 'tasks, ' : '') + place + (region.in ? ' in ' + region.in : ''));
}

function regionTable({regions}) {
  return {
    caption: 'Parallel regions of OpenMP',
    heads: ['region', '#time', '#threads', '#work', '#barrier', '#\u00b195%', '#locks', '#runtime', '#imbalance'],
    rows: regions.slice(0, MOST_ROWS).map(region => [
      regionText(region), duration(region.seconds), region.threads > 0 ? grouped(region.threads) : '\u2013',
      sharePercent(region.work.share), sharePercent(region.barrier.share), half(region.barrier), sharePercent(region.lock.share),
      sharePercent(region.runtime.share), region.threads > 0 ? percent(region.imbalance) : '\u2013']),
    left_out: Math.max(0, regions.length - MOST_ROWS),
  };
}

/** One text for each kind of time outside of regions that is known. */
export function outsideTexts(openmp) {
  const kinds = [['idle', openmp.idle], ['in the last barrier of a region that is not known', openmp.barrier],
    ['in a barrier or idle', openmp.barrier_or_idle], ['in other code', openmp.outside]];
  return kinds.filter(([, cell]) => cell.share >= LEAST_OUTSIDE)
    .map(([words, cell]) => words + ': ' + duration(cell.seconds) + ' (' + percent(cell.share) + ')');
}

/** A value of a rank in the unit of its event. */
function valueOf(event, value) {
  return event.unit === 'seconds' ? duration(value) : short(value);
}

function range(event, low, high) {
  return valueOf(event, low) + ' to ' + valueOf(event, high);
}

function rankTable(event) {
  const row = (name, spread) => [
    name, valueOf(event, spread.mean), range(event, spread.mean_low, spread.mean_high),
    valueOf(event, spread.min), String(spread.min_rank), valueOf(event, spread.max), String(spread.max_rank),
    spread.differs ? percent(spread.imbalance) : 'no more than chance'];
  const {functions} = event;
  return {
    caption: 'Ranks by ' + visible(event.event),
    heads: ['function', '#mean', '#95 % interval', '#least', '#rank', '#most', '#rank', '#imbalance'],
    rows: [row('(all samples)', event.total),
      ...functions.map(f => row(visible(f.function) + (f.in_mpi ? ' [MPI]' : ''), f))],
    left_out: event.functions_left_out,
  };
}

function outlierTable(event) {
  return {
    caption: 'Ranks that stand out by ' + visible(event.event),
    heads: ['#rank', '#value', '#95 % interval', '#median', 'function'],
    rows: event.outliers.map(outlier => [
      String(outlier.rank), valueOf(event, outlier.value), range(event, outlier.low, outlier.high), valueOf(event, outlier.median),
      outlier.function === null ? '(all samples)' : visible(outlier.function)]),
    left_out: event.outliers_left_out,
  };
}

function mpiText({mpi}) {
  return mpi.share > 0 ? 'In MPI\u2019s libraries: ' + percent(mpi.share) + ' (' + percent(mpi.low) + ' to ' + percent(mpi.high) + '), from ' +
    percent(mpi.min) + ' in rank ' + mpi.min_rank + ' to ' + percent(mpi.max) + ' in rank ' + mpi.max_rank + '.' : '';
}

function wallTable(wall) {
  return {
    caption: 'Wall time of the ranks\u2019 main threads',
    heads: ['part', '#mean', '#least', '#rank', '#most', '#rank'],
    rows: [['running', wall.running], ['waiting for a processor', wall.waiting], ['blocked', wall.blocked]].map(([name, part]) => [
      name, duration(part.mean), duration(part.min), String(part.min_rank), duration(part.max), String(part.max_rank)]),
    left_out: 0,
  };
}

function waitTable(waits) {
  return {
    caption: 'Where the ranks\u2019 main threads were blocked',
    heads: ['function', 'waits for', '#mean', '#least', '#rank', '#most', '#rank', '#95 % interval'],
    rows: waits.slice(0, MOST_ROWS).map(wait => [
      visible(wait.function) + (wait.in_mpi ? ' [MPI]' : ''), visible(wait.primitive), duration(wait.mean), duration(wait.min),
      String(wait.min_rank), duration(wait.max), String(wait.max_rank), duration(wait.max_low) + ' to ' + duration(wait.max_high)]),
    left_out: Math.max(0, waits.length - MOST_ROWS),
  };
}

/**
 * The view's contents: `tables` (caption, heads, rows, left_out) and `notes`, texts. `report` has `openmp` and `ranks`; either may be
 * null.
 */
export function parallelTables({openmp, ranks}) {
  const tables = [];
  const notes = [];
  if (openmp) {
    notes.push('OpenMP: ' + openmp.runtimes.map(visible).join(', ') + '; shares are those of the ' +
      (openmp.has_waits ? 'time' : 'CPU time') + ' of a region\u2019s threads in the region.');
    if (openmp.regions.length > 0) tables.push(regionTable(openmp));
    const outside = outsideTexts(openmp);
    if (outside.length > 0) notes.push('Outside of regions: ' + outside.join('; ') + '.');
  }
  if (ranks && ranks.wall) tables.push(wallTable(ranks.wall));
  for (const event of ranks ? ranks.events : []) {
    tables.push(rankTable(event));
    if (event.outliers.length > 0) tables.push(outlierTable(event));
    const mpi = mpiText(event);
    if (mpi) notes.push(mpi);
  }
  if (ranks && ranks.waits.length > 0) tables.push(waitTable(ranks.waits));
  return {tables, notes};
}
