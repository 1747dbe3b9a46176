// What threads waited for: a table for each group of threads, a line for each idle group, and the locks.

import { el, fill, markRows, table } from './dom.js';
import { duration, grouped, visible } from './numbers.js';
import { waitingTables } from './waiting.js';

// Threads that no look has seen blocked are in no table; pages of older spools do not know their time.
function blockedText(waits) {
  const text = 'Blocked: ' + duration(waits.blocked_seconds) + ' of the threads that were looked at, divided by ' +
    grouped(waits.looks) + ' looks.';
  if (!(waits.not_looked_seconds > 0)) return text;
  return text + ' Of all threads: ' + duration(waits.all_blocked_seconds) + '; not looked at: ' + duration(waits.not_looked_seconds) + '.';
}

export function makeWaitingView(model) {
  const {report} = model.profile;
  const element = el('section', {'aria-label': 'waiting'});
  // The comparison's other side may have been recorded without it.
  if (!report.waits) {
    fill(element, el('p', {class: 'note'}, 'Waiting was not recorded. CSINK_WAIT=1, or csink run --wait, records it.'));
    return {element, update() {}};
  }
  const {tables, idle} = waitingTables(report);
  fill(element,
    el('p', {}, blockedText(report.waits)),
    tables.map(({caption, heads, rows, left_out}) => [
      table(caption, heads, rows), left_out > 0 ? el('p', {class: 'note'}, grouped(left_out) + ' more are not drawn.') : null]),
    idle.length > 0 ? [el('h2', {}, 'Idle'), el('ul', {}, idle.map(text => el('li', {}, text)))] : null,
    el('p', {class: 'note'}, 'Shares are those of the blocked time of the threads in a table. Filters do not apply here: they choose samples, ' +
      'and these are looks at blocked threads.'));
  let chosen = '';
  return {
    element,
    update(state) {
      const name = visible(state.fn.replace(/^[^:]*:/, ''));
      if (name !== chosen) markRows(element, name);
      chosen = name;
    },
  };
}
