// Unit tests of the comparison's modules that need no browser: node --test.

import assert from 'node:assert/strict';
import test from 'node:test';

const page = new URL('../../../../../symbolizer/report/html/page/', import.meta.url);
const load = name => import(new URL(name, page).href);
const {
  changeText, cpuWords, directionOf, faintText, otherSide, pText, partOfRun, pValue, rowInterval, rowName, rowWords, sideChange, sideOf, signText, sortKey, tintOf,
} = await load('changes.js');
const {CHANGE_COLOURS, NO_CHANGE, changeColour, contrast} = await load('colours.js');
const {readBlock} = await load('data.js');
const {sorted} = await load('rows.js');
const {START, parseState, stateHash} = await load('state.js');
const {sampleBlock, sampleComparisonBlock} = await import('./sample.js');

const comparisonOf = change => readBlock(JSON.stringify(sampleComparisonBlock(change))).comparison;
const namesOf = letter => letter === 'a' ? ['cycles:u', 'task-clock:u'] : ['task-clock:u'];

test('a block has a comparison or none', () => {
  assert.equal(readBlock(JSON.stringify(sampleBlock())).comparison, null);
  const {profiles, comparison} = readBlock(JSON.stringify(sampleComparisonBlock()));
  assert.equal(profiles.length, 2);
  assert.equal(comparison.count, 3);
  assert.equal(sideOf(comparison, 'a').name, 'before');
  assert.deepEqual([...sideOf(comparison, 'b').frames], [-1, 0, 1]);
  assert.equal(otherSide(otherSide('a')), 'a');
});

test('the direction is that of the comparison, not of the numbers', () => {
  const tested = comparisonOf();
  assert.deepEqual([0, 1, 2].map(row => directionOf(tested, row, false)), [1, 0, 0]);
  // A large change whose test found nothing stays grey, also where its interval would not.
  const quiet = comparisonOf({rows: {...tested.rows, direction: [0, 0, 0]}});
  assert.equal(directionOf(quiet, 0, false), 0);
  assert.equal(directionOf(quiet, 0, true), 0);
});

test('without tests nothing has a direction unless the error of sampling is asked for', () => {
  const rows = {...sampleComparisonBlock().comparison.rows, direction: [0, 0, 0], ratio_high: [2, 0.99, null]};
  const untested = comparisonOf({tested: false, rows});
  assert.deepEqual([0, 1, 2].map(row => directionOf(untested, row, false)), [0, 0, 0]);
  assert.deepEqual([0, 1, 2].map(row => directionOf(untested, row, true)), [1, -1, 0]);
  assert.equal(pValue(untested, 0), 1e-9);
  assert.match(rowWords(untested, 0, false), /not tested: a side has fewer than three runs/);
  assert.match(rowWords(untested, 0, true), /beyond the error of sampling alone; not tested/);
});

test('words of a row have both shares, the interval and the judgement', () => {
  const comparison = comparisonOf();
  assert.equal(rowWords(comparison, 0, false), 'the function itself: A 40.0 %, B 70.0 %, CPU time +75 %, ' +
    '95 % interval +50 % to +100 %; beyond chance, p = less than 1e-4, mark t');
  assert.match(rowWords(comparison, 1, false), /CPU time \u22129\.1 %.*no more than chance, p = 0\.40$/);
  assert.match(rowWords(comparison, 2, false), /B no samples, CPU time gone; not tested: too few samples; inlined now$/);
  assert.match(rowWords(comparison, -1, false), /^not compared/);
  assert.equal(rowName(comparison, 1), 'f');
});

test('numbers are written as csink diff writes them', () => {
  assert.deepEqual([1.0213, 0.9787, 1.24, 12.3, null].map(changeText), ['+2.1 %', '\u22122.1 %', '+24 %', 'x12', 'any']);
  assert.equal(rowInterval(comparisonOf(), 2), '');
  assert.deepEqual([null, 0.00001, 0.0042, 0.5].map(pText), ['few', '<1e-4', '0.0042', '0.50']);
  const signs = beyond => [1, -1, 0].map(direction => signText({direction, beyond}));
  assert.deepEqual(signs(true), ['+', '\u2212', '']);
  assert.deepEqual(signs(false), ['(+)', '(\u2212)', '']);
  assert.equal(pValue(comparisonOf(), 0), 0.00001);
  assert.equal(pValue(comparisonOf(), 2), null);
});

test('every column sorts', () => {
  const comparison = comparisonOf();
  const order = (column, up) => [...sorted([0, 1, 2], sortKey(comparison, column), up)];
  assert.deepEqual(order('', false), [0, 1, 2], 'the order of the comparison');
  assert.deepEqual(order('name', true), [1, 0, 2]);
  assert.deepEqual(order('module', true), [0, 2, 1]);
  assert.deepEqual(order('change', true), [1, 2, 0], 'the largest loss of time first');
  assert.deepEqual(order('share', true), [2, 1, 0]);
  assert.deepEqual(order('was', false), [0, 1, 2]);
  assert.deepEqual(order('p', true), [0, 1, 2], 'rows without a test last');
  assert.deepEqual(order('amount', false), [0, 1, 2]);
  assert.deepEqual(order('amountwas', true), [2, 1, 0]);
  assert.deepEqual(order('mark', false)[0], 0);
});

test('the estimate gives the colour, the error its strength', () => {
  const tested = comparisonOf();
  assert.deepEqual([0, 1, 2].map(row => tintOf(tested, row, false)), [
    {direction: 1, beyond: true}, {direction: -1, beyond: false}, {direction: -1, beyond: false}]);
  // A change that cannot be seen has no direction. The share is no measure: it fell because another function grew.
  const small = comparisonOf({rows: {...tested.rows, change: [-0.2, -0.1, -0.1], was_amount: [0.004, 0.003004, 0.00001], direction: [1, 0, 0]}});
  assert.ok(Math.abs(partOfRun(small, 0) - 0.3) < 1e-9);
  assert.deepEqual([0, 1, 2].map(row => tintOf(small, row, false)), [
    {direction: 1, beyond: true}, {direction: 0, beyond: false}, {direction: -1, beyond: false}]);
  // Without tests all is faint, unless the error of sampling is asked for.
  const untested = comparisonOf({tested: false, rows: {...tested.rows, direction: [0, 0, 0]}});
  assert.deepEqual([0, 1, 2].map(row => tintOf(untested, row, false).beyond), [false, false, false]);
  assert.deepEqual([0, 1, 2].map(row => tintOf(untested, row, true).beyond), [true, false, false]);
  assert.match(faintText(tested, true), /no more than chance/);
  assert.match(faintText(untested, false), /fewer than three runs/);
  assert.match(faintText(untested, true), /within the error of sampling/);
});

test('CPU time has its ratio and interval, or why there is none', () => {
  assert.deepEqual(cpuWords(comparisonOf()), {a: '10 ms', b: '10 ms', ratio: '1.100', error: '95 % interval 1.050 to 1.160'});
  assert.equal(cpuWords(comparisonOf({tested: false, ratio_low: null, ratio_high: null})).error, 'no interval: a side has fewer than three runs');
  assert.match(cpuWords(comparisonOf({ratio_low: null, ratio_high: null})).error, /varies too much/);
  assert.equal(cpuWords(comparisonOf({ratio: null})), null);
});

test('a renamed function has both names and says why', () => {
  const comparison = comparisonOf({renamed: [{row: 1, was: 4, evidence: 'f.c: lines 3-9 in A, 4-9 in B; hottest 5 and 6'}]});
  assert.equal(rowName(comparison, 1), 'renamed (likely): old \u2192 f');
  assert.equal(rowName(comparison, 0), 'g');
  assert.match(rowWords(comparison, 1, false), /renamed \(likely\): old in A has the same lines, f\.c: lines 3-9 in A/);
  assert.doesNotMatch(rowWords(comparison, 0, false), /likely/);
});

test('a colour for each direction, size and strength, black text readable on all', () => {
  const colour = (direction, beyond, change) => changeColour({direction, beyond}, change);
  assert.equal(colour(0, false, 0.5), NO_CHANGE);
  const shown = [0.001, 0.02, 0.2].flatMap(size => [colour(1, true, size), colour(-1, true, -size)]);
  shown.push(colour(1, false, 0.2), colour(-1, false, -0.2));
  assert.equal(new Set([...shown, NO_CHANGE]).size, 9);
  assert.deepEqual([...new Set([...shown, NO_CHANGE])].sort(), [...CHANGE_COLOURS].sort());
  for (const colour of CHANGE_COLOURS) assert.ok(contrast(colour, '#000000') > 7, colour);
});

test('the side is a part of the address, with the events of that side', () => {
  const state = {...START, side: 'a', event: 1, view: 'changes', sampling: true};
  const hash = stateHash(state, namesOf);
  assert.match(hash, /side=a.*event=task-clock%3Au/);
  assert.deepEqual(parseState(hash, namesOf), state);
  assert.equal(parseState('#side=a&event=task-clock:u', namesOf).event, 1);
  assert.equal(parseState('#event=task-clock:u', namesOf).event, 0);
  assert.equal(parseState('#side=c', namesOf).side, 'b');
  assert.equal(parseState('', namesOf, {view: 'compare'}).view, 'compare');
  assert.equal(parseState('#view=lines', namesOf, {view: 'compare'}).view, 'lines');
});

test('another side keeps the event and drops what has other indices there', () => {
  const state = {...START, side: 'a', event: 1, process: ['1'], thread: ['2'], phase: ['0'], zoom: 7, tname: ['worker'], find: 'f'};
  const other = {...state, ...sideChange(state, 'b', namesOf)};
  assert.deepEqual([other.side, other.event, other.zoom, other.find], ['b', 0, 0, 'f']);
  assert.deepEqual([other.process, other.thread, other.phase, other.tname], [[], [], [], ['worker']]);
  // An event that the other side does not have: its first one.
  assert.equal(sideChange({...START, side: 'a', event: 0}, 'b', namesOf).event, 0);
});
