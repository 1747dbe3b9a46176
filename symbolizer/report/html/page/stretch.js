// A stretch of the time line as a filter: the samples of threads and functions in it.

import { isFiltered } from './filters.js';
import { stretchOf, sumIn } from './time_line.js';

// The groups whose samples have times.
const WITH_TIMES = ['functions', 'modules', 'threads'];

/** The chosen stretch, {from, to} in seconds; null: none, or the profile has no time line. */
export function chosenStretch(profile, state) {
  return profile.timeline ? stretchOf(profile.timeline, state.stretch) : null;
}

/** Why a chosen stretch does not change what the samples of `group` are; '': it does. */
export function whyWhole(profile, group, state) {
  if (!WITH_TIMES.includes(group)) {
    return 'This view shows the whole run: lines, call paths and phases have no times. Functions, Modules and Threads count the stretch.';
  }
  if (profile.events.length > 1) {
    return 'This view shows the whole run: the time line counts all events together, and the table one event.';
  }
  if (isFiltered(state)) {
    return 'This view shows the whole run: a stretch cannot be combined with filters. Remove one of the two.';
  }
  return '';
}

/** The stretch that the samples of `group` are counted in; null: the whole run. */
export function stretchFor(profile, group, state) {
  return WITH_TIMES.includes(group) && whyWhole(profile, group, state) === '' ? chosenStretch(profile, state) : null;
}

/** As sumBy of totals.js, of the stretch. Functions and modules have those of their places that keep times. */
export function stretchSums(profile, group, count, stretch) {
  const {timeline: line, functions, events: [event]} = profile;
  const inside = new Float64Array(count);
  const add = (index, numbers) => {
    if (index >= 0 && index < count) inside[index] += sumIn(line, numbers, stretch);
  };
  if (group === 'threads') {
    for (const thread of line.threads) add(thread.thread, thread.samples);
  } else {
    for (const f of line.functions) add(group === 'modules' && f.row >= 0 ? functions.module[f.row] : f.row, f.samples);
  }
  const samples = inside.map(Math.round);
  return {samples: [samples], weight: [samples.map(n => n * unitOf(event))]};
}

/** As sumAll of totals.js: all samples of the stretch, also those of places without times. */
export function stretchAll(profile, stretch) {
  const {timeline: line, events: [event]} = profile;
  const samples = Math.round(line.threads.reduce((sum, thread) => sum + sumIn(line, thread.samples, stretch), 0));
  return [{samples, weight: samples * unitOf(event)}];
}

/** The mean weight of a sample. */
function unitOf(event) {
  return event.samples > 0 ? event.weight / event.samples : 0;
}
