import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readPage } from '../../../../../symbolizer/report/html/page/data.js';
import { makeModel } from '../../../../../symbolizer/report/html/page/model.js';
import { START } from '../../../../../symbolizer/report/html/page/state.js';
import { chosenStretch, stretchFor, whyWhole } from '../../../../../symbolizer/report/html/page/stretch.js';
import { stretchText, sumIn } from '../../../../../symbolizer/report/html/page/time_line.js';
import { sampleBlock } from './sample.js';

/** Main runs g in the first two seconds, the worker f in the last one; 1 sample of the worker has no place. */
const TIMELINE = {
  seconds: 4, slice_seconds: 1, slices: 4, marks: [],
  threads: [
    {thread: 0, tid: 7, samples: [3, 3, 0, 0]},
    {thread: 1, tid: 8, samples: [0, 1, 0, 3]},
  ],
  functions: [
    {row: 0, function: 'g', module: 'app', total: 6, samples: [3, 3, 0, 0]},
    {row: 1, function: 'f', module: 'lib.so', total: 3, samples: [0, 0, 0, 3]},
    {row: -1, function: 'folded', module: 'app', total: 1, samples: [0, 1, 0, 0]},
  ],
};

function modelOf(change = {}) {
  const [profile] = readPage(JSON.stringify(sampleBlock({timeline: TIMELINE, ...change})));
  return makeModel(profile, new AbortController().signal);
}

test('a stretch counts the samples of functions, modules and threads in it', () => {
  const model = modelOf();
  const state = {...START, stretch: '1-2'};
  assert.deepEqual([...model.sums('functions', state).samples[0]], [3, 0, 0]);
  assert.deepEqual([...model.sums('modules', state).samples[0]], [3, 0]);
  assert.deepEqual([...model.sums('threads', state).samples[0]], [3, 1]);
  assert.deepEqual([...model.present('functions', state)], [0]);
  assert.equal(model.allOf('functions', state)[0].samples, 4);
  const cell = model.cell('functions', state, 0, 0);
  assert.equal(cell.share, 0.75);
  assert.equal(cell.weight, 3e6);
  assert.equal(cell.effective, 4);
  assert.ok(cell.low < 0.75 && cell.high > 0.75);
});

test('a part of a slice counts in proportion', () => {
  assert.equal(sumIn(TIMELINE, [4, 8, 0, 0], {from: 0.5, to: 1.25}), 2 + 2);
  const model = modelOf();
  assert.deepEqual([...model.sums('functions', {...START, stretch: '1.5-4'}).samples[0]], [2, 3, 0]);
});

test('the whole run comes back without the stretch', () => {
  const model = modelOf();
  assert.deepEqual([...model.sums('functions', {...START, stretch: '3-4'}).samples[0]], [0, 3, 0]);
  assert.deepEqual([...model.sums('functions', START).samples[0]], [7, 3, 0]);
  assert.equal(model.cell('functions', START, 0, 0).share, 0.7);
});

test('lines and call paths show the whole run, and the page says why', () => {
  const model = modelOf();
  const state = {...START, stretch: '1-2'};
  for (const group of ['lines', 'flame', 'source', 'nodes', 'phases', 'processes']) {
    assert.equal(stretchFor(model.profile, group, state), null, group);
    assert.match(whyWhole(model.profile, group, state), /have no times/);
  }
  assert.deepEqual([...model.sums('lines', state).samples[0]], [6]);
  assert.equal(model.all(state)[0].samples, 10);
});

test('not with filters, nor with several events', () => {
  const model = modelOf();
  const state = {...START, stretch: '1-2', thread: ['1']};
  assert.match(whyWhole(model.profile, 'functions', state), /combined with filters/);
  assert.deepEqual([...model.sums('functions', state).samples[0]], [1, 3, 0]);
  const two = {...model.profile, events: [...model.profile.events, ...model.profile.events]};
  assert.match(whyWhole(two, 'functions', {...START, stretch: '1-2'}), /all events together/);
});

test('a text that names no stretch, or a profile without times, has none', () => {
  const {profile} = modelOf();
  for (const text of ['', '2-1', '9-10', 'a-b', '1-']) assert.equal(chosenStretch(profile, {...START, stretch: text}), null, text);
  assert.equal(chosenStretch({...profile, timeline: null}, {...START, stretch: '1-2'}), null);
  assert.equal(stretchText(TIMELINE, 2, 1), '1.000-2.000');
  assert.equal(stretchText(TIMELINE, 2, 2.01), '');
});
