// What the view of parallel programs shows, without a browser.

import assert from 'node:assert/strict';
import test from 'node:test';

import { outsideTexts, parallelTables, regionText } from '../../../../../symbolizer/report/html/page/parallel.js';

const cell = (seconds, share, low = share, high = share) => ({seconds, share, low, high});

function sampleOpenMp() {
  return {
    runtimes: ['libgomp.so.1'], seconds: 8, threads: 4, has_callers: true, has_waits: false,
    regions: [{
      function: 'solve._omp_fn.0', in: 'solve', module: 'app', file: '/src/solve.c', line: 120, task: false, threads: 4, seconds: 6,
      work: cell(4, 0.67), barrier: cell(1.8, 0.3, 0.28, 0.32), lock: cell(0.1, 0.02), runtime: cell(0.1, 0.01), divided_seconds: 6,
      mean_work_seconds: 1, most_work_seconds: 1.5, imbalance: 0.33}],
    idle: cell(1, 0.125), barrier: cell(0, 0), barrier_or_idle: cell(0, 0), outside: cell(1, 0.125),
  };
}

function sampleRanks() {
  const spread = (mean, most, differs) => ({
    mean, mean_low: mean * 0.9, mean_high: mean * 1.1, min: mean / 2, min_low: 0, min_high: mean, min_rank: 3, max: most, max_low: most,
    max_high: most, max_rank: 5, imbalance: 1 - mean / most, differs});
  return {
    count: 8, waits: [],
    events: [{
      event: 'task-clock', unit: 'seconds', total: spread(2, 4, true),
      mpi: {share: 0.2, low: 0.18, high: 0.22, min: 0.1, min_rank: 5, max: 0.3, max_rank: 0},
      functions: [{function: 'Step', module: 'app', in_mpi: false, samples: 90, ...spread(1, 2, true)},
        {function: 'opal_progress', module: 'libmpi', in_mpi: true, samples: 20, ...spread(0.5, 0.6, false)}],
      functions_left_out: 7,
      outliers: [{rank: 5, function: null, module: '', value: 4, low: 3.9, high: 4.1, median: 2}], outliers_left_out: 0,
    }],
  };
}

test('a region is a row with its place and the shares of its time', () => {
  const {tables, notes} = parallelTables({openmp: sampleOpenMp(), ranks: null});
  assert.equal(tables.length, 1);
  const [row] = tables[0].rows;
  assert.equal(row.length, tables[0].heads.length);
  assert.equal(row[0], 'solve.c:120 in solve');
  assert.equal(row[4], '30.0 %');
  assert.equal(row[5], '\u00b12.0');
  assert.match(notes[1], /^Outside of regions: idle: 1 s \(12\.5 %\); in other code/);
});

test('a region without a line has the name that the compiler gave it', () => {
  const [region] = sampleOpenMp().regions;
  assert.equal(regionText({...region, line: 0, file: '', in: '', task: true}), 'tasks, solve._omp_fn.0');
});

test('kinds of time that did not occur are left out', () => {
  assert.deepEqual(outsideTexts({...sampleOpenMp(), idle: cell(0, 0), outside: cell(0, 0)}), []);
});

test('ranks have their spread, and only differences that are no chance have an imbalance', () => {
  const {tables, notes} = parallelTables({openmp: null, ranks: sampleRanks()});
  assert.deepEqual(tables.map(table => table.caption), ['Ranks by task-clock', 'Ranks that stand out by task-clock']);
  const [all, step, progress] = tables[0].rows;
  for (const row of tables[0].rows) assert.equal(row.length, tables[0].heads.length);
  assert.deepEqual([all[0], all[7]], ['(all samples)', '50.0 %']);
  assert.deepEqual([step[0], step[5], step[6]], ['Step', '2 s', '5']);
  assert.deepEqual([progress[0], progress[7]], ['opal_progress [MPI]', 'no more than chance']);
  assert.equal(tables[0].left_out, 7);
  assert.deepEqual(tables[1].rows[0].slice(0, 2), ['5', '4 s']);
  assert.match(notes[0], /20\.0 % .* from 10\.0 % in rank 5 to 30\.0 % in rank 0/);
});

test('the wall time of ranks is a table of its own, where it is known', () => {
  const part = (mean, least, most) => ({mean, min: least, min_rank: 2, max: most, max_rank: 0});
  const ranks = {...sampleRanks(), wall: {running: part(2, 1, 3), waiting: part(0.5, 0.25, 0.75), blocked: part(1, 0, 2)}};
  const [wall, ...others] = parallelTables({openmp: null, ranks}).tables;
  assert.match(wall.caption, /^Wall time of the ranks/);
  for (const row of wall.rows) assert.equal(row.length, wall.heads.length);
  assert.deepEqual(wall.rows[1], ['waiting for a processor', '500 ms', '250 ms', '2', '750 ms', '0']);
  assert.equal(others.length, 2);
  assert.equal(parallelTables({openmp: null, ranks: {...ranks, wall: null}}).tables.length, 2);
});

test('where the ranks were blocked is a table, where it was observed', () => {
  const waits = [{function: 'MPI_Recv', primitive: '', in_mpi: true, looks: 9, mean: 2, min: 1, min_low: 0.5, min_high: 1.5, min_rank: 0,
    max: 3, max_low: 2, max_high: 4, max_rank: 2}];
  const {tables} = parallelTables({openmp: null, ranks: {...sampleRanks(), waits}});
  const {heads, rows} = tables[tables.length - 1];
  assert.equal(rows[0].length, heads.length);
  assert.deepEqual(rows[0], ['MPI_Recv [MPI]', '', '2 s', '1 s', '0', '3 s', '2', '2 s to 4 s']);
});

test('hidden characters of names are visible', () => {
  const [region] = sampleOpenMp().regions;
  assert.match(regionText({...region, in: 'a\u202eb'}), /a\[U\+202E\]b$/);
});
