// The first screen: where the time went, and where findings lead: node --test.

import assert from 'node:assert/strict';
import test from 'node:test';

const page = new URL('../../../../../symbolizer/report/html/page/', import.meta.url);
const load = name => import(new URL(name, page).href);
const {findingChange} = await load('finding_links.js');
const {readPage} = await load('data.js');
const {makeModel} = await load('model.js');
const {wallParts} = await load('run_time.js');
const {sampleBlock} = await import('./sample.js');

const time = {threads: 5, seconds: 20, running_seconds: 4, waiting_seconds: 6, blocked_seconds: 10, undivided_seconds: 0};
const parts = report => wallParts(report).parts.map(({kind, name, seconds}) => [kind, name, Math.round(seconds * 1000) / 1000]);
const row = (primitive, seconds) => ({primitive, seconds});

test('the time of threads divides into what they did', () => {
  assert.deepEqual(parts({verdict: {thread_time: time}, waits: null}), [['running', 'running', 4], ['waiting', 'no processor', 6], ['blocked', 'blocked', 10]]);
  assert.equal(wallParts({verdict: {thread_time: null}}), null);
  assert.equal(wallParts({verdict: {thread_time: {...time, seconds: 0}}}), null);
});

test('blocked time has its kinds where waits were recorded', () => {
  const waits = {groups: [{idle: false, seconds: 5, rows: [row('mutex', 3), row('sleep', 2)]}, {idle: false, seconds: 1.1, rows: [row('mutex', 1), row('read of a pipe', 0.1)]},
    {idle: true, seconds: 2, rows: [row('condition variable', 2)]}]};
  assert.deepEqual(parts({verdict: {thread_time: time}, waits}), [['running', 'running', 4], ['waiting', 'no processor', 6], ['blocked0', 'mutex', 4],
    ['blocked1', 'sleep', 2], ['blocked2', 'idle, waiting for work', 2], ['blocked5', 'other waits', 0.1], ['blocked', 'blocked, not looked at', 1.9]]);
});

test('looks that see more than the blocked time are scaled to it', () => {
  const waits = {groups: [{idle: false, seconds: 20, rows: [row('mutex', 15), row('sleep', 5)]}]};
  const all = wallParts({verdict: {thread_time: time}, waits}).parts;
  assert.deepEqual(all.map(part => part.seconds), [4, 6, 7.5, 2.5]);
  assert.equal(all.reduce((sum, part) => sum + part.share, 0), 1);
});

test('a finding leads to its view and its row', () => {
  const views = ['summary', 'functions', 'threads', 'time', 'waiting'];
  const keyOf = name => name === 'f' ? 'lib:f' : '';
  const of = (kind, name, list = views) => (({view, fn}) => [view, fn])(findingChange({kind, function: name}, list, keyOf));
  assert.deepEqual(of('function', 'f'), ['functions', 'lib:f']);
  assert.deepEqual(of('lock', 'f'), ['waiting', 'lib:f']);
  assert.deepEqual(of('wait', 'never_sampled'), ['waiting', ':never_sampled']);
  assert.deepEqual(of('wait', 'f', ['functions', 'time']), ['time', '']);
  assert.deepEqual(of('no-processor', ''), ['time', '']);
  assert.deepEqual(of('imbalance', 'f'), ['functions', 'lib:f']);
  assert.deepEqual(of('kernel', ''), ['threads', '']);
  assert.deepEqual(of('a later kind', ''), ['functions', '']);
});

test('of several functions of one name the one with most samples is meant', () => {
  const model = makeModel(readPage(JSON.stringify(sampleBlock({names: ['f', 'f', 'main']})))[0]);
  assert.equal(model.keyOfName('f'), 'app:f');
  assert.equal(model.keyOfName('none'), '');
});
