// What the view of waiting shows, without a browser.

import assert from 'node:assert/strict';
import test from 'node:test';

import { duration } from '../../../../../symbolizer/report/html/page/numbers.js';
import { halfWidth, lockText, waitingTables } from '../../../../../symbolizer/report/html/page/waiting.js';

const cell = (looks, seconds, share, low = share, high = share) => ({looks, seconds, share, low, high});
const row = (change, numbers) => ({
  function: 'f', module: 'app', line: '/src/a.c:7', kind: 'read', primitive: 'read of a pipe', call: 'read', lock: null,
  longest_seconds: 0, paths: [], ...numbers, ...change,
});

function sampleReport() {
  return {
    waits: {
      blocked_seconds: 12, looks: 300,
      groups: [
        {name: 'main thread', threads: 1, critical: true, idle: false, ...cell(100, 2, 0.2), members: [], rows: [
          row({paths: [{functions: ['main'], ...cell(50, 1, 1)}]}, cell(50, 1, 0.5, 0.4, 0.6)),
          row({function: 'g', kind: 'mutex', primitive: 'mutex', call: 'futex', lock: 0}, cell(50, 1, 0.5, 0.4, 0.6)),
        ]},
        {name: 'worker()', threads: 16, critical: false, idle: true, idle_share: 0.98, idle_row: 1, ...cell(200, 10, 0.8), members: [], rows: [
          row({function: 'start', kind: 'mutex', primitive: 'mutex', call: 'futex', lock: 0}, cell(4, 0.2, 0.02)),
          row({function: 'pop', kind: 'condition', primitive: 'condition variable', call: 'futex', lock: 1}, cell(196, 9.8, 0.98)),
        ]},
      ],
    },
    locks: [
      {name: 'table_lock', module: 'app', kind: 'mutex', primitive: 'mutex', first_function: 'g', first_line: '', objects: 1, ...cell(50, 1, 0.1),
        moments: 40, most_waiters: 2, known_share: 1, is_lock: true, holders: [
          {function: 'rebuild', module: 'app', tid: 4711, thread: 'loader', blocked: false, ...cell(35, 0.7, 0.7, 0.6, 0.8)}]},
      {name: '', module: '', kind: 'condition', primitive: 'condition variable', first_function: 'pop', first_line: '/src/a.c:9', objects: 3,
        ...cell(196, 9.8, 0.8), moments: 90, most_waiters: 16, known_share: 0, is_lock: false, holders: [
          {function: 'eval', module: 'app', tid: 4712, thread: '', blocked: false, only_runner: true, ...cell(100, 5, 0.5)}]},
    ],
  };
}

test('an idle pool is one line, not a table', () => {
  const {tables, idle} = waitingTables(sampleReport());
  assert.deepEqual(tables.map(table => table.caption), ['main thread: blocked ' + duration(2) + ' (critical)', 'Locks']);
  assert.equal(idle.length, 1);
  assert.match(idle[0], /^16 threads of worker\(\): 98.% idle in pop \(condition variable\)/);
});

test('one thread is no threads', () => {
  const report = sampleReport();
  const group = report.waits.groups.find(one => one.idle);
  group.name = 'threads named pool';
  group.threads = 1;
  assert.match(waitingTables(report).idle[0], /^1 thread named pool: /);
});

test('a row names what it waits for, and its callers follow', () => {
  const [{rows}] = waitingTables(sampleReport()).tables;
  assert.deepEqual(rows.map(cells => cells[4]), ['f', '\u00a0\u00a0from main', 'g']);
  assert.equal(rows[0][5], 'read of a pipe');
  assert.equal(rows[0][6], 'a.c:7');
  assert.equal(rows[2][5], 'mutex table_lock');
});

test('locks have their holders, and conditions are none', () => {
  const {rows} = waitingTables(sampleReport()).tables[1];
  assert.equal(rows.length, 2);
  assert.equal(rows[0][4], 'mutex table_lock');
  assert.equal(rows[1][2], '\u00b110.0');
  assert.match(rows[1][4], /held 70.% by rebuild in thread 4711 loader$/);
});

test('a condition variable with one runner is shown as a lock', () => {
  const report = sampleReport();
  report.locks[1].is_lock = true;
  const {rows} = waitingTables(report).tables[1];
  assert.equal(rows.length, 4);
  assert.match(rows[3][4], /only runner 50.*%: eval in thread 4712/);
});

test('locks without a name are named by their first place', () => {
  assert.equal(lockText(sampleReport().locks[1]), '3 \u00d7 condition variable first waited for in pop a.c:9');
});

test('a share that was not sampled is exact', () => {
  assert.equal(halfWidth(cell(1, 1, 0.5)), 'exact');
  assert.equal(halfWidth(cell(1, 1, 0.5, 0.4, 0.6)), '\u00b110.0');
});
