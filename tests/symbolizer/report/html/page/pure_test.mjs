// Unit tests of the page's modules that need no browser: node --test.

import assert from 'node:assert/strict';
import test from 'node:test';

const page = new URL('../../../../../symbolizer/report/html/page/', import.meta.url);
const load = name => import(new URL(name, page).href);
const {percent, sharePercent, grouped, short, duration, amount, visible} = await load('numbers.js');
const {wilson, withMissing, cellOf, overlaps, ratioInterval, ratioOf} = await load('statistics.js');
const {orderDescending, orderAscending} = await load('order.js');
const {readPage} = await load('data.js');
const {sumBy, sumAll, present, hottestOf} = await load('totals.js');
const {maskOf, choosableThreads, filterText, isFiltered, threadText} = await load('filters.js');
const {START, parseState, stateHash, makeStore} = await load('state.js');
const {matches, sorted, isUncertain, windowOf} = await load('rows.js');
const {callTree, callerTree} = await load('tree_merge.js');
const {layout, pathTo, rectangleAt, neighbour} = await load('flame_layout.js');
const {MODULE_COLOURS, contrast, moduleColour} = await load('colours.js');
const {makeModel} = await load('model.js');
const {slotHead, slotText, slotTitle} = await load('slots.js');
const {sampleBlock} = await import('./sample.js');

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const sample = () => readPage(JSON.stringify(sampleBlock()))[0];
const state = change => ({...START, ...change});

test('numbers are written as in text reports', () => {
  assert.equal(percent(0.612), '61.2 %');
  assert.equal(grouped(12345678), '12,345,678');
  assert.equal(short(1234567890), '1.23G');
  assert.equal(short(789), '789');
  assert.equal(duration(0.0123), '12.3 ms');
  assert.equal(duration(300), '5 min');
  assert.equal(duration(149.4), '2.49 min');
  assert.equal(duration(191.4), '3.19 min');
  assert.equal(duration(9000), '2.5 h');
  assert.equal(duration(3 * 86400), '3 days');
  assert.equal(sharePercent(0.612), '61.2 %');
  assert.equal(sharePercent(0.000996), '0.10 %');
  assert.equal(sharePercent(0.00034), '0.034 %');
  assert.equal(sharePercent(0.0000123), '0.0012 %');
  assert.equal(sharePercent(1e-6), '0.00010 %');
  assert.equal(sharePercent(1e-9), '<0.0001 %');
  assert.equal(sharePercent(0), '0.0 %');
  assert.equal(duration(0), '0 s');
  assert.equal(amount({kind: 'clock', scale: 2}, 1e9), '2 s');
  assert.equal(amount({kind: 'cycles'}, 1e9), '1G');
});

test('characters that hide or turn text are visible', () => {
  assert.equal(visible('a\u202eb\u0000'), 'a[U+202E]b[U+0000]');
  assert.equal(visible('plain \u00e9'), 'plain \u00e9');
});

test('intervals are those of Wilson', () => {
  // The values of tests/profil/statistics/statistics_test.cpp: Newcombe 1998, table I, 81 of 263 and 0 of 20.
  const interval = wilson(81 / 263, 263);
  assert.equal(interval.low.toFixed(4), '0.2553');
  assert.equal(interval.high.toFixed(4), '0.3662');
  assert.equal(wilson(0, 20).high.toFixed(4), '0.1611');
  assert.deepEqual(wilson(0.5, 0), {low: 0, high: 1});
  assert.deepEqual(withMissing({low: 0.2, high: 0.4}, 0.5), {low: 0.1, high: 0.7});
});

test('a filter leaves its part of the effective samples', () => {
  const event = {samples: 100, effective_samples: 50, missing: 0};
  const cell = cellOf(event, 10, 10, {samples: 20, weight: 20});
  near(cell.share, 0.5);
  near(cell.effective, 10);
  near(cell.low, wilson(0.5, 10).low);
  assert.equal(cellOf(event, 0, 0, {samples: 0, weight: 0}).share, 0);
  assert.ok(overlaps({low: 0, high: 0.2}, {low: 0.2, high: 0.3}));
  assert.ok(!overlaps({low: 0, high: 0.1}, {low: 0.2, high: 0.3}));
});

test('ratios have bounds, and none without a divisor', () => {
  assert.deepEqual(ratioInterval(1, 0), {low: 0, high: Infinity});
  const event = {samples: 100, weight: 100, effective_samples: 100, missing: 0, scale: 1};
  const all = {samples: 100, weight: 100};
  const ratio = ratioOf({scale: 1}, event, cellOf(event, 40, 40, all), event, cellOf(event, 20, 20, all));
  near(ratio.value, 2);
  assert.ok(ratio.low < 2 && ratio.high > 2);
  assert.equal(ratioOf({scale: 1}, event, cellOf(event, 1, 1, all), event, cellOf(event, 0, 0, all)), null);
});

test('the radix sort agrees with a comparison, and is stable', () => {
  const keys = Float64Array.from({length: 5000}, (_, i) => (i * 7919 % 1009) * (i % 3 ? 1 : 1e12) / 8);
  const expected = [...keys.keys()].sort((a, b) => keys[b] - keys[a] || a - b);
  assert.deepEqual([...orderDescending(keys)], expected);
  assert.deepEqual([...orderAscending(Float64Array.from([3, 1, 2, 1]))], [1, 3, 2, 0]);
  assert.deepEqual([...orderDescending(new Float64Array(0))], []);
});

test('a block that is not ours is refused', () => {
  assert.throws(() => readPage('{"format":"x"}'), /no data of csink/);
  assert.throws(() => readPage('{"format":"csink-page","version":2}'), /later version/);
});

test('weights follow from samples with a fixed period', () => {
  const {rows} = sample();
  assert.deepEqual([...rows.weight[0]], [6e6, 1e6, 3e6]);
  assert.deepEqual([...rows.process], [0, 1, 1]);
  assert.deepEqual([...rows.module], [0, 0, 1]);
});

test('sums add up under every filter', () => {
  const profile = sample();
  const {rows} = profile;
  assert.deepEqual([...sumBy(rows, rows.function, 2, null).samples[0]], [7, 3]);
  assert.deepEqual(sumAll(rows, null), [{samples: 10, weight: 10e6}]);
  const mask = maskOf(profile, state({thread: ['1']}));
  assert.deepEqual([...mask], [0, 1, 1]);
  assert.deepEqual([...sumBy(rows, rows.function, 2, mask).samples[0]], [1, 3]);
  assert.deepEqual([...present(sumBy(rows, rows.line, 1, mask), 1)], []);
  assert.deepEqual([...maskOf(profile, state({phase: ['0']}))], [1, 0, 0]);
  assert.deepEqual([...maskOf(profile, state({process: ['1'], tname: ['main']}))], [0, 0, 0]);
  assert.equal(maskOf(profile, state({})), null);
  assert.ok(isFiltered(state({tname: ['']})));
  assert.equal(filterText(profile, 'phase', '0'), 'phase (before the first mark)');
  assert.deepEqual([...hottestOf(rows, rows.function, 2, rows.line, 1, 0)], [0, -1]);
});

test('an address has the whole state, and wrong ones are harmless', () => {
  const events = ['task-clock:u', 'cycles:u'];
  const full = state({view: 'flame', event: 1, find: 'a&b=c #', fn: 'app:f<int>', callers: true, zoom: 12,
    thread: ['1', '2'], phase: ['0'], up: true, sort: 'e1', tname: ['x y']});
  assert.deepEqual(parseState(stateHash(full, events), events), full);
  assert.deepEqual(parseState('', events), START);
  assert.deepEqual(parseState('#view=%3Cscript%3E&event=none&zoom=-1&sort=', events), START);
});

test('typing makes no history, other changes do', () => {
  const calls = [];
  let fire = null;
  const window = {
    location: {hash: ''},
    history: {
      pushState: (_, __, hash) => { calls.push('push'); window.location.hash = hash; },
      replaceState: (_, __, hash) => { calls.push('replace'); window.location.hash = hash; },
    },
    addEventListener: (_, listener) => { fire = listener; },
  };
  const seen = [];
  const store = makeStore(window, ['e'], s => seen.push(s.view + s.find));
  store.set({view: 'lines'});
  store.set({find: 'x'}, true);
  store.set({});
  assert.deepEqual(calls, ['push', 'replace']);
  window.location.hash = '#view=summary';
  fire();
  assert.deepEqual(seen, ['lines', 'linesx', 'linesx', 'summary']);
  assert.equal(store.hashOf({view: 'time'}), '#view=time');
});

test('rows are found by all words and drawn in a window', () => {
  assert.equal(matches(['a'], '  '), null);
  assert.deepEqual([...matches(['std::sort<int>', 'sort', 'int'], 'INT sort')], [1, 0, 0]);
  assert.deepEqual([...sorted([5, 6, 7], i => 10 - i, false)], [5, 6, 7]);
  assert.deepEqual(windowOf(280, 280, 28, 1000, 2), {first: 8, last: 22});
  assert.deepEqual(windowOf(9999, 280, 28, 3, 2), {first: 3, last: 3});
  const cells = [{low: 0.5, high: 0.6}, {low: 0.1, high: 0.2}, {low: 0.15, high: 0.3}];
  assert.deepEqual([0, 1, 2].map(i => isUncertain(i, 3, k => cells[k])), [false, true, true]);
});

const frames = tree => [...tree.frame];

test('totals of the tree include callees', () => {
  const {nodes, rows} = sample();
  const tree = callTree(nodes, sumBy(rows, rows.node, nodes.count, null), 0);
  assert.deepEqual([...tree.samples], [10, 10, 10, 3]);
  assert.deepEqual([...tree.child.subarray(tree.start[2], tree.start[3])], [3]);
});

test('callers of a function that calls itself count once', () => {
  // main > f > g > f, and main > h > f.
  const nodes = {count: 7, parent: Int32Array.from([0, 0, 1, 2, 3, 1, 5]), frame: Int32Array.from([-1, 0, 1, 2, 1, 3, 1])};
  const self = Float64Array.from([0, 0, 1, 0, 2, 0, 4]);
  const tree = callTree(nodes, {weight: [self], samples: [self]}, 0);
  const callers = callerTree(tree, frame => frame === 1);
  assert.deepEqual(frames(callers), [1, 0, 3, 0]);
  assert.deepEqual([...callers.weight], [7, 3, 4, 4]);
  assert.equal(callerTree(tree, () => false).weight[0], 0);
});

test('frames lie over their callers, and narrow ones are left out', () => {
  const nodes = {count: 4, parent: Int32Array.from([0, 0, 1, 1]), frame: Int32Array.from([-1, 0, 1, 2])};
  const self = Float64Array.from([0, 0, 999, 1]);
  const tree = callTree(nodes, {weight: [self], samples: [self]}, 0);
  const drawn = layout(tree, 0, 0.01);
  assert.deepEqual(drawn.map(r => [r.node, r.depth]), [[0, 0], [1, 1], [2, 2]]);
  assert.deepEqual(layout(tree, 3, 0.01).map(r => [r.node, r.above]), [[0, true], [1, true], [3, false]]);
  assert.deepEqual(pathTo(tree, 3), [1, 3]);
  assert.equal(rectangleAt(drawn, 0.5, 2).node, 2);
  assert.equal(rectangleAt(drawn, 0.9999, 2), null);
  assert.equal(neighbour(tree, drawn, 1, 'ArrowDown'), 2);
  assert.equal(neighbour(tree, drawn, 2, 'ArrowUp'), 1);
  assert.equal(neighbour(tree, drawn, 2, 'ArrowRight'), 2, 'the next one is not drawn');
  assert.deepEqual(layout({count: 0}, 0, 0.1), []);
});

test('black text is readable on all tints', () => {
  for (const tint of MODULE_COLOURS) assert.ok(contrast(tint, '#000000') > 7, tint);
  assert.equal(moduleColour(0), moduleColour(MODULE_COLOURS.length));
  assert.ok(contrast(moduleColour(-1), '#000000') > 7);
});

test('a sum of threads without samples cannot be chosen', () => {
  const threads = {count: 4, tid: [0, 7, 0, 8], merged: [1, 0, 1, 1], threads: [0, 1, 0, 12],
    name: ['(merged)', 'main', '(merged)', 'worker'], samples: [[0], [0], [3], [1]]};
  assert.deepEqual(choosableThreads(threads), [1, 2, 3]);
  assert.deepEqual([0, 1, 3].map(t => threadText(threads, t)), ['(sum of others)', '7 main', 'worker, 12 short threads']);
});

test('the model keeps sums until the filters change', () => {
  const model = makeModel(sample());
  const first = model.sums('functions', state({}));
  assert.equal(model.sums('functions', state({find: 'x'})), first);
  assert.notEqual(model.sums('functions', state({thread: ['1']})), first);
  near(model.cell('functions', state({thread: ['1']}), 1, 0).share, 0.75);
  assert.equal(model.functionKeyOf(0), 'app:g');
  const callers = model.callers(state({fn: 'lib.so:f', callers: true}));
  assert.deepEqual([...callers.weight], [3e6, 3e6, 3e6]);
  assert.deepEqual([...model.present('threads', state({}))], [0, 1]);
});

test('threads of a merged file keep their sums', () => {
  const block = sampleBlock();
  block.profiles[0].samples.thread = [-1, -1, -1];
  const model = makeModel(readPage(JSON.stringify(block))[0]);
  assert.deepEqual([...model.sums('threads', state({})).samples[0]], [6, 4]);
  assert.deepEqual([...model.sums('threads', state({thread: ['1']})).samples[0]], [0, 0]);
});

test('an empty profile is a profile', () => {
  const none = {name: [], module: [], aliases: [], source: []};
  const block = sampleBlock({functions: none, lines: {file: [], line: [], name: [], module: []},
    nodes: {parent: [], frame: []}, samples: {function: [], line: [], node: [], thread: [], phase: [], events: []}});
  block.profiles[0].report.events = [];
  const model = makeModel(readPage(JSON.stringify(block))[0]);
  assert.equal(model.present('functions', state({})).length, 0);
  assert.ok(!model.hasStacks);
});

test('a share of slots has its interval, and a function without slots a dash', () => {
  assert.equal(slotHead('topdown_bad_speculation'), 'slots bad speculation');
  assert.equal(slotText({value: 0.25, low: 0.2, high: 0.31}), '25.0 %');
  assert.match(slotTitle({value: 0.25, low: 0.2, high: 0.31}), /20\.0 % to 31\.0 %$/);
  assert.equal(slotText({value: null, low: null, high: null}), '\u2013');
  assert.equal(slotText(null), '\u2013');
});

test('shares of slots are found by the function that they belong to', () => {
  const shares = [{value: 0.25, low: 0.2, high: 0.31}];
  const [profile] = readPage(JSON.stringify(sampleBlock({slots: [{function: 1, shares}]})));
  assert.deepEqual(profile.slots.get(1), shares);
  assert.equal(readPage(JSON.stringify(sampleBlock()))[0].slots.size, 0);
});
