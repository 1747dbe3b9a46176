// Where the wall time of the run's threads went, as the parts of one bar.

import { visible } from './numbers.js';

// Kinds of waiting that have a part of their own; smaller ones are one part.
const MOST_KINDS = 5;
const LEAST_KIND = 0.01;

/** Time by kind of what threads waited for: {name, seconds}, the longest first. Idle threads are a kind of their own. */
function waitsByKind(waits) {
  const kinds = new Map();
  const add = (name, seconds) => kinds.set(name, (kinds.get(name) || 0) + seconds);
  for (const group of waits.groups) {
    if (group.idle) add('idle, waiting for work', group.seconds);
    else for (const row of group.rows) add(visible(row.primitive), row.seconds);
  }
  return [...kinds].map(([name, seconds]) => ({name, seconds})).sort((a, b) => b.seconds - a.seconds);
}

/**
 * {seconds, threads, parts}: parts are {kind, name, seconds, share} in the order of the bar: running, waiting for a
 * processor, blocked by what was waited for where that was recorded, and what could not be divided. null: the profile
 * has no such times.
 */
export function wallParts(report) {
  const time = report.verdict.thread_time;
  if (!time || !(time.seconds > 0)) return null;
  const parts = [{kind: 'running', name: 'running', seconds: time.running_seconds}, {kind: 'waiting', name: 'no processor', seconds: time.waiting_seconds}];
  let blocked = time.blocked_seconds;
  if (report.waits) {
    const kinds = waitsByKind(report.waits);
    // Looks are samples: their sum may be above the exact time by the error of sampling.
    const all = kinds.reduce((sum, kind) => sum + kind.seconds, 0);
    const scale = all > blocked ? blocked / all : 1;
    let others = 0;
    kinds.forEach(({name, seconds}, i) => {
      blocked -= seconds * scale;
      if (i < MOST_KINDS && seconds * scale >= LEAST_KIND * time.seconds) parts.push({kind: 'blocked' + i, name, seconds: seconds * scale});
      else others += seconds * scale;
    });
    if (others > 0) parts.push({kind: 'blocked' + MOST_KINDS, name: 'other waits', seconds: others});
    // A remainder of rounding is none.
    if (blocked < 1e-9 * time.seconds) blocked = 0;
  }
  parts.push({kind: 'blocked', name: report.waits ? 'blocked, not looked at' : 'blocked', seconds: blocked});
  parts.push({kind: 'undivided', name: 'not divided', seconds: time.undivided_seconds});
  return {seconds: time.seconds, threads: time.threads,
    parts: parts.filter(part => part.seconds > 0).map(part => ({...part, share: part.seconds / time.seconds}))};
}
