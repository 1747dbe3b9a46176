// Totals of functions: node --test.

import assert from 'node:assert/strict';
import test from 'node:test';

const page = new URL('../../../../../symbolizer/report/html/page/', import.meta.url);
const load = name => import(new URL(name, page).href);
const {addCallFunctions, outermostNodes, rowsOutsidePaths} = await load('call_functions.js');
const {readPage} = await load('data.js');
const {makeModel} = await load('model.js');
const {START} = await load('state.js');
const {sampleBlock} = await import('./sample.js');

const state = change => ({...START, ...change});
const model = (change = {}) => makeModel(readPage(JSON.stringify(sampleBlock(change)))[0]);

test('a function that only called others has a row', () => {
  const {profile} = model();
  assert.equal(profile.functions.count, 3);
  assert.equal(profile.names[profile.functions.name[2]], 'main');
  assert.deepEqual([...profile.functionOfFrame], [2, 0, 1]);
  assert.deepEqual([...model().present('functions', state({}))], [0, 1, 2]);
});

test('its module is added where the profile has no sample of it; "[cut]" is no function', () => {
  const frames = {name: [5, 6], module: ['other.so', ''], inlined: 2};
  const nodes = {count: 3, parent: [0, 0, 1], frame: [-1, 0, 1]};
  const functions = {name: [1], module: [0], aliases: [0], source: [0]};
  const modules = {name: ['app'], path: ['/app'], build_id: ['']};
  const of = addCallFunctions(frames, nodes, {count: 0}, functions, modules);
  assert.deepEqual([...of], [1, -1]);
  assert.deepEqual(modules.name, ['app', 'other.so']);
  assert.deepEqual(functions.module, [0, 1]);
});

test('of two functions of one name the samples say which one a frame is', () => {
  const frames = {name: [3, 3], module: ['app', 'app'], inlined: 2};
  const nodes = {count: 3, parent: [0, 0, 0], frame: [-1, 0, 1]};
  const functions = {name: [3, 3], module: [0, 0], aliases: [0, 0], source: [0, 0]};
  const rows = {count: 2, node: [1, 2], function: [1, 0]};
  const of = addCallFunctions(frames, nodes, rows, functions, {name: ['app'], path: [''], build_id: ['']});
  assert.deepEqual([...of], [1, 0]);
});

test('totals have what a function called, under the filters', () => {
  const m = model();
  assert.deepEqual([...m.totals(state({})).samples[0]], [10, 3, 10]);
  assert.equal(m.totalCell(state({}), 2, 0).share, 1);
  assert.deepEqual([...m.totals(state({thread: ['1']})).weight[0]], [4e6, 3e6, 4e6]);
});

test('a sample counts once in a function that calls itself', () => {
  // main > f > g > f
  const nodes = {count: 5, parent: [0, 0, 1, 2, 3], frame: [-1, 0, 1, 2, 1]};
  const outermost = outermostNodes(nodes, n => nodes.frame[n]);
  assert.deepEqual([...outermost], [0, 1, 1, 1, 0]);
  const beside = {count: 4, parent: [0, 0, 0, 2], frame: [-1, 1, 1, 2]};
  assert.deepEqual([...outermostNodes(beside, n => beside.frame[n])], [0, 1, 1, 1]);
});

test('samples without a stack count for their own function', () => {
  const nodes = {count: 2, parent: [0, 0], frame: [-1, 0]};
  const rows = {count: 3, node: [1, 0, 1], function: [0, 1, 2]};
  assert.deepEqual([...rowsOutsidePaths(rows, nodes, n => n === 1 ? 0 : -1)], [1, 2]);
  const block = sampleBlock();
  block.profiles[0].samples.node = [0, 2, 3];
  const m = makeModel(readPage(JSON.stringify(block))[0]);
  assert.deepEqual([...m.totals(state({})).samples[0]], [10, 3, 4]);
});

test('there are no totals without stacks', () => {
  assert.equal(model({nodes: {parent: [], frame: []}}).totals(state({})), null);
});

test('a module has what it called, once for each sample', () => {
  // main > g > f (lib.so) > g: 6 samples there, 1 in g, 3 in f; the module app is entered twice.
  const m = model({nodes: {parent: [0, 0, 1, 2, 3], frame: [-1, 0, 1, 2, 1]}, samples: {
    function: [0, 0, 1], line: [0, -1, -1], node: [4, 2, 3], thread: [0, 1, 1], phase: [0, 1, 1], events: [{samples: [6, 1, 3], unit: 1e6}]}});
  assert.deepEqual(m.profile.modules.name, ['app', 'lib.so']);
  assert.deepEqual([...m.sums('modules', state({})).samples[0]], [7, 3]);
  assert.deepEqual([...m.totals(state({}), 'modules').samples[0]], [10, 9]);
  assert.equal(m.totalCell(state({}), 1, 0, 'modules').share, 0.9);
  // Under a filter, with a focus, and without stacks.
  assert.deepEqual([...m.totals(state({thread: ['1']}), 'modules').weight[0]], [4e6, 3e6]);
  assert.deepEqual([...m.totals(state({focus: ['lib.so:f']}), 'modules').samples[0]], [9, 9]);
  assert.equal(model({nodes: {parent: [], frame: []}}).totals(state({}), 'modules'), null);
  // A sample whose path is not known is in its own module.
  const unknown = model({samples: {function: [0, 1], line: [0, -1], node: [0, 3], thread: [0, 1], phase: [0, 1], events: [{samples: [6, 3], unit: 1e6}]}});
  assert.deepEqual([...unknown.totals(state({}), 'modules').samples[0]], [9, 3]);
});

test('a function that was inlined is a frame and no function', () => {
  // main > g > (f inlined) > f.
  const frames = {name: [2, 1, 0, 0], module: ['app', 'app', 'lib.so', 'app'], inlined: 3, folded: 0};
  const m = model({frames, nodes: {parent: [0, 0, 1, 2, 3], frame: [-1, 0, 1, 3, 2]}, samples: {
    function: [0, 0, 1], line: [0, -1, -1], node: [2, 3, 4], thread: [0, 1, 1], phase: [0, 1, 1], events: [{samples: [6, 1, 3], unit: 1e6}]}});
  assert.deepEqual([...m.profile.functionOfFrame], [2, 0, 1, -1]);
  assert.deepEqual([...m.totals(state({})).samples[0]], [10, 3, 10]);
  assert.deepEqual([...m.tree(state({})).samples], [10, 10, 10, 4, 3]);
  assert.deepEqual([...m.tree(state({inlined: false})).frame], [-1, 0, 1, 2]);
  assert.deepEqual([...m.tree(state({inlined: false})).samples], [10, 10, 10, 3]);
});
