// Callers and callees, bottom-up trees, and what hides, focuses and collapses call paths: node --test.

import assert from 'node:assert/strict';
import test from 'node:test';

const page = new URL('../../../../../symbolizer/report/html/page/', import.meta.url);
const load = name => import(new URL(name, page).href);
const {butterfly} = await load('butterfly.js');
const {frameName, readPage} = await load('data.js');
const {filterText, maskOf} = await load('filters.js');
const {makeModel} = await load('model.js');
const {isLibrary, shownPaths} = await load('path_ops.js');
const {START, parseState, stateHash} = await load('state.js');
const {bottomUpTree, callTree} = await load('tree_merge.js');
const {sampleBlock} = await import('./sample.js');

const state = change => ({...START, ...change});
const sample = change => readPage(JSON.stringify(sampleBlock(change)))[0];
const plain = rows => rows.map(({frame, samples, weight}) => [frame, samples, weight]);

/** A tree of nodes [parent, frame, samples of its own]; node 0 is the root. */
function treeOf(list) {
  const nodes = {count: list.length + 1, parent: Int32Array.from([0, ...list.map(n => n[0])]), frame: Int32Array.from([-1, ...list.map(n => n[1])])};
  const self = Float64Array.from([0, ...list.map(n => n[2])]);
  return callTree(nodes, {weight: [self.map(n => 10 * n)], samples: [self]}, 0);
}

test('callers and callees of a function have its samples, heaviest first', () => {
  // main (0) > f (1) > g (2), h (3); other (4) > f (1).
  const tree = treeOf([[0, 0, 1], [1, 1, 2], [2, 2, 3], [2, 3, 4], [0, 4, 0], [5, 1, 5]]);
  const found = butterfly(tree, frame => frame === 1);
  assert.deepEqual(found.total, {samples: 14, weight: 140});
  assert.deepEqual(found.self, {samples: 7, weight: 70});
  assert.deepEqual(plain(found.callers), [[0, 9, 90], [4, 5, 50]]);
  assert.deepEqual(plain(found.callees), [[3, 4, 40], [2, 3, 30]]);
  assert.deepEqual(plain(butterfly(tree, frame => frame === 0).callers), [[-1, 10, 100]]);
});

test('both sides of a function that calls itself add up to its total', () => {
  // main > f > g > f > h, and f > f directly.
  const tree = treeOf([[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 1, 4], [4, 3, 8], [2, 1, 16]]);
  const found = butterfly(tree, frame => frame === 1);
  const sum = rows => rows.reduce((all, row) => all + row.samples, 0);
  assert.equal(found.total.samples, 31);
  assert.equal(found.self.samples, 21);
  assert.deepEqual(plain(found.callers), [[0, 31, 310]]);
  assert.deepEqual(plain(found.callees), [[3, 8, 80], [2, 2, 20]]);
  assert.equal(found.self.samples + sum(found.callees), found.total.samples);
  assert.deepEqual(butterfly(tree, () => false).callers, []);
});

test('a tree from the bottom has every sample once', () => {
  const tree = treeOf([[0, 0, 1], [1, 1, 2], [0, 2, 0], [3, 1, 4]]);
  const up = bottomUpTree(tree);
  assert.deepEqual([...up.frame], [-1, 0, 1, 0, 2]);
  assert.deepEqual([...up.samples], [7, 1, 6, 2, 4]);
  assert.deepEqual([...up.self], [0, 10, 60, 0, 0]);
  assert.deepEqual([...up.child.subarray(up.start[0], up.start[1])], [2, 1]);
});

test('a hidden function takes the samples of its call paths along', () => {
  const profile = sample();
  // main > g (7 samples) > f (3 samples).
  assert.deepEqual([...maskOf(profile, state({hide: ['lib.so:f']}))], [1, 1, 0]);
  assert.deepEqual([...maskOf(profile, state({focus: ['lib.so:f']}))], [0, 0, 1]);
  assert.deepEqual([...maskOf(profile, state({hide: ['app:main']}))], [0, 0, 0]);
  assert.deepEqual([...maskOf(profile, state({focus: ['app:g'], thread: ['1']}))], [0, 1, 1]);
  assert.deepEqual([...maskOf(profile, state({hide: ['app:none']}))], [1, 1, 1]);
  assert.equal(filterText(profile, 'hide', 'lib.so:f'), 'without f');
  const model = makeModel(profile);
  assert.deepEqual([...model.totals(state({hide: ['lib.so:f']})).samples[0]], [7, 0, 7]);
});

test('samples without a stack are hidden by their own function', () => {
  const profile = sample({nodes: {parent: [], frame: []}, frames: {name: [], module: [], inlined: 0, folded: 0}});
  assert.deepEqual([...maskOf(profile, state({hide: ['app:g']}))], [0, 0, 1]);
});

test('call paths begin at the function that is looked at', () => {
  const model = makeModel(sample());
  const tree = model.tree(state({focus: ['app:g']}));
  assert.deepEqual([...tree.frame], [-1, 1, 2]);
  assert.deepEqual([...tree.samples], [10, 10, 3]);
});

test('library code, a module and recursion are one frame', () => {
  const named = (profile, shown) => [...shown.frame].map(frame => frameName(profile, frame));
  const profile = sample();
  assert.deepEqual(named(profile, shownPaths(profile, state({}))), ['all', 'main', 'g', 'f']);
  assert.deepEqual(named(profile, shownPaths(profile, state({collapse: ['libraries']}))), ['all', 'main', 'g', '[library code]']);
  const one = shownPaths(profile, state({collapse: ['module:app']}));
  assert.deepEqual(named(profile, one), ['all', '[app]', 'f']);
  assert.deepEqual([...one.of], [0, 1, 1, 2]);
  // main > g > f > g > f.
  const deep = sample({nodes: {parent: [0, 0, 1, 2, 3, 4], frame: [-1, 0, 1, 2, 1, 2]}});
  const flat = shownPaths(deep, state({collapse: ['recursion']}));
  assert.deepEqual(named(deep, flat), ['all', 'main', 'g', 'f']);
  assert.deepEqual([...flat.of], [0, 1, 2, 3, 2, 3]);
  // Library code that calls back into the program is no recursion.
  const both = shownPaths(deep, state({collapse: ['recursion', 'libraries']}));
  assert.deepEqual(named(deep, both), ['all', 'main', 'g', '[library code]']);
  assert.ok(isLibrary('libc.so.6') && isLibrary('[vdso]') && !isLibrary('app') && !isLibrary('a.sort'));
});

test('collapsed trees keep all samples', () => {
  const model = makeModel(sample());
  for (const collapse of [['libraries'], ['module:app', 'recursion'], ['module:app', 'libraries']]) {
    const tree = model.tree(state({collapse}));
    assert.equal(tree.samples[0], 10);
    assert.equal(tree.self.reduce((sum, n) => sum + n, 0), 10e6);
  }
});

test('an address has what is hidden', () => {
  const full = state({hide: ['a:b', 'c:d'], focus: ['x:y'], collapse: ['recursion', 'module:libc.so.6'], inlined: false});
  assert.deepEqual(parseState(stateHash(full, ['e']), ['e']), full);
});
