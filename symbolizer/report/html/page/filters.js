// Which samples the views count: those of chosen processes, threads, names of threads and phases, and of call paths.

import { shortenFunction } from './names.js';
import { rowsThrough } from './path_ops.js';

/** The kinds of filters, in the order in which the page shows them. Each is a list in the state. */
export const FILTERS = ['process', 'tname', 'thread', 'phase', 'focus', 'hide'];

/** How a thread is called. A sum of short threads has the number and the name of its first thread; other sums have none. */
export function threadText(threads, t) {
  if (!threads.merged[t]) return threads.tid[t] + ' ' + threads.name[t];
  return threads.tid[t] ? threads.name[t] + ', ' + threads.threads[t] + ' short threads' : '(sum of others)';
}

/** The threads that can be chosen: every process has a row for the sum of others, which often has no samples. */
export function choosableThreads(threads) {
  return Array.from({length: threads.count}, (_, t) => t)
    .filter(t => !threads.merged[t] || threads.samples[t].some(samples => samples > 0));
}

/** A text that is equal for equal filters, to keep results. */
export function filterKey(state) {
  return FILTERS.map(kind => state[kind].join('\u0001')).join('\u0002');
}

/** Whether any filter is set. */
export function isFiltered(state) {
  return FILTERS.some(kind => state[kind].length > 0);
}

/** One byte for each row: 1 if the filters let it through. null: no filter is set. */
export function maskOf(profile, state) {
  if (!isFiltered(state)) return null;
  const {rows, threads} = profile;
  const numbers = list => list.length ? new Set(list.map(Number)) : null;
  const processes = numbers(state.process);
  const phases = numbers(state.phase);
  const names = state.tname.length ? new Set(state.tname) : null;
  const chosen = numbers(state.thread);
  const threadPasses = new Uint8Array(threads.count);
  for (let t = 0; t < threads.count; ++t) {
    threadPasses[t] = (!names || names.has(threads.name[t])) && (!chosen || chosen.has(t)) &&
      (!processes || processes.has(threads.process[t])) ? 1 : 0;
  }
  const hidden = state.hide.map(key => rowsThrough(profile, key));
  const focused = state.focus.map(key => rowsThrough(profile, key));
  const byThread = names || chosen || processes;
  const mask = new Uint8Array(rows.count);
  for (let r = 0; r < rows.count; ++r) {
    const t = rows.thread[r];
    if (byThread && (t < 0 || !threadPasses[t])) continue;
    if (phases && !phases.has(rows.phase[r])) continue;
    if (hidden.some(isThrough => isThrough(r)) || !focused.every(isThrough => isThrough(r))) continue;
    mask[r] = 1;
  }
  return mask;
}

/** Words for one chosen value of a filter. */
export function filterText(profile, kind, value) {
  const {report, threads, phases} = profile;
  if (kind === 'tname') return 'threads named ' + (value || '(no name)');
  if (kind === 'hide' || kind === 'focus') return (kind === 'hide' ? 'without ' : 'only ') + shortenFunction(value.replace(/^[^:]*:/, ''), 40);
  const i = Number(value);
  if (kind === 'process') {
    const process = report.processes[i];
    return process ? 'process ' + process.pid + ' ' + process.program : 'process ' + value;
  }
  if (kind === 'thread') return i < threads.count ? 'thread ' + threadText(threads, i) : 'thread ' + value;
  return 'phase ' + (phases.name[i] || '(before the first mark)');
}
