// Unit tests of what live pages do with another state of the program: node --test.

import assert from 'node:assert/strict';
import test from 'node:test';

const page = new URL('../../../../../symbolizer/report/html/page/', import.meta.url);
const load = name => import(new URL(name, page).href);
const {readPage} = await load('data.js');
const {makeModel} = await load('model.js');
const {START, makeStore} = await load('state.js');
const {carryState} = await load('live.js');
const {question, waitAfter, isDone, words} = await load('live/poller.js');
const {sampleBlock} = await import('./sample.js');

const modelOf = change => makeModel(readPage(JSON.stringify(sampleBlock(change)))[0]);
const state = change => ({...START, ...change});
const event = name => ({name, kind: 'clock', samples: 10, weight: 10e6, effective_samples: 10, scale: 1});

/** The sample a second later: a process, a thread, a phase and an event came, each in front of those that were there. */
function later() {
  const raw = sampleBlock().profiles[0];
  const shifted = list => list.map(i => i < 0 ? i : i + 1);
  return modelOf({
    report: {...raw.report, events: [event('cycles'), event('task-clock:u')],
      processes: [{pid: 6, program: 'new'}, ...raw.report.processes]},
    missing: [0, 0],
    threads: {...raw.threads, process: [0, 1, 2], tid: [6, 7, 8], merged: [0, 0, 0], name: ['new', 'main', 'worker'],
      start_routine: ['', '', 'run'], cpu_ns: [1, 2, 3], sampled_ns: [1, 2, 3], lost_records: [0, 0, 0],
      samples: [[1, 1], [6, 6], [4, 4]], weight: [[1, 1], [6, 6], [4, 4]]},
    phases: {name: ['warm', '', 'solve'], marks: [1, 0, 1], cpu_ns: [1, 1, 1]},
    // A second child of the root, before the first one.
    nodes: {parent: [0, 0, 0, 2, 3], frame: [-1, 2, 0, 1, 2]},
    samples: {...raw.samples, node: [3, 3, 4], thread: shifted(raw.samples.thread), phase: shifted(raw.samples.phase),
      events: [{samples: [1, 1, 1], unit: 1}, {samples: [6, 1, 3], unit: 1e6}]},
  });
}

test('what was chosen stays, though its index has changed', () => {
  const before = modelOf({});
  const after = later();
  const next = carryState(before, after, state({
    view: 'functions', find: 'sort', sort: 'e0', up: true, fn: 'app:g', process: ['1'], thread: ['0', '1'], tname: ['worker'], phase: ['1'],
  }));
  assert.deepEqual(next, state({
    view: 'functions', find: 'sort', sort: 'e1', up: true, fn: 'app:g', process: ['2'], thread: ['1', '2'], tname: ['worker'], phase: ['2'], event: 1,
  }));
});

test('what is gone is no longer chosen', () => {
  const next = carryState(later(), modelOf({}), state({event: 0, sort: 'e0', process: ['0', '1'], phase: ['0']}));
  assert.deepEqual(next, state({event: 0, sort: '', process: ['0'], phase: []}));
});

test('the zoom goes to the same path', () => {
  const before = modelOf({});
  const after = later();
  const names = (model, node) => node === 0 ? [] : [model.frameKey(model.profile.nodes.frame[node]), ...names(model, model.profile.nodes.parent[node])];
  const zoomed = carryState(before, after, state({view: 'flame', zoom: 3}));
  assert.equal(zoomed.zoom, 4);
  assert.deepEqual(names(after, zoomed.zoom), names(before, 3));
  // Of callers: the root is the function, its child a caller.
  const inverse = carryState(before, after, state({view: 'flame', zoom: 1, fn: 'app:g', callers: true}));
  assert.equal(inverse.zoom, 1);
  // A path that is gone leads to the part of it that is left, and a number that is no node to the root.
  const short = modelOf({nodes: {parent: [0, 0], frame: [-1, 0]}, samples: {...sampleBlock().profiles[0].samples, node: [1, 1, 1]}});
  assert.equal(carryState(before, short, state({zoom: 3})).zoom, 1);
  assert.equal(carryState(before, after, state({zoom: 99})).zoom, 0);
});

test('a profile without samples can become one with', () => {
  const raw = sampleBlock().profiles[0];
  const none = modelOf({
    report: {...raw.report, events: [], processes: []}, missing: [], phases: {name: [], marks: [], cpu_ns: []},
    threads: {process: [], tid: [], merged: [], name: [], start_routine: [], cpu_ns: [], sampled_ns: [], lost_records: [], samples: [], weight: []},
    nodes: {parent: [], frame: []}, samples: {function: [], line: [], node: [], thread: [], phase: [], events: []},
  });
  assert.deepEqual(carryState(none, modelOf({}), state({view: 'flame'})), state({view: 'flame'}));
});

test('the store takes the names of the new events without a step in the history', () => {
  const calls = [];
  const window = {
    location: {hash: ''}, addEventListener: () => {},
    history: {pushState: (a, b, hash) => calls.push('push ' + hash), replaceState: (a, b, hash) => calls.push('replace ' + hash)},
  };
  const seen = [];
  const store = makeStore(window, ['clock'], s => seen.push(s.event));
  store.renew(state({view: 'functions', event: 1}), ['cycles', 'clock']);
  assert.deepEqual(calls, ['replace #view=functions&event=clock']);
  assert.deepEqual(seen, [1]);
  assert.equal(store.hashOf({event: 0}), '#view=functions');
  store.renew(state({view: 'functions', event: 1}), side => side === 'b' ? ['cycles', 'misses'] : []);
  assert.equal(calls.at(-1), 'replace #view=functions&event=misses');
});

test('data that nobody sees are not asked for, but the last state is', () => {
  const seen = {hidden: false, paused: false, choosing: null};
  const running = {version: 3, newest: 5, ended: false};
  assert.equal(question(seen, running), 'data?after=3');
  for (const page of [{...seen, hidden: true}, {...seen, paused: true}, {...seen, choosing: 200}]) {
    assert.equal(question(page, running), 'alive?after=3');
    assert.equal(question(page, {...running, ended: true}), 'data?after=3');
  }
  assert.equal(question({...seen, choosing: 60000}, running), 'data?after=3');
  assert.equal(isDone({version: 5, newest: 5, ended: true}), true);
  assert.equal(isDone({version: 4, newest: 5, ended: true}), false);
});

test('a page that is slow asks less often', () => {
  assert.equal(waitAfter(20, 0), 1000);
  assert.equal(waitAfter(3000, 0), 6000);
  assert.equal(waitAfter(0, 1), 5000);
});

test('the page says whether it follows the program', () => {
  const seen = {hidden: false, paused: false, choosing: null};
  const running = {version: 3, newest: 5, ended: false};
  const said = [
    words(seen, running, 0), words({...seen, paused: true}, running, 0), words(seen, running, 2),
    words(seen, {version: 5, newest: 5, ended: true}, 0),
  ];
  assert.match(said[0], /follows/);
  assert.match(said[1], /paused/);
  assert.match(said[2], /No answer/);
  assert.match(said[3], /has ended/);
});
