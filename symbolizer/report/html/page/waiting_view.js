// What threads waited for: a table for each group of threads, a line for each idle group, and the locks.

import { el, fill, table } from './dom.js';
import { duration, grouped } from './numbers.js';
import { waitingTables } from './waiting.js';

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
    el('p', {}, 'Blocked: ' + duration(report.waits.blocked_seconds) + ' of all threads, divided by ' + grouped(report.waits.looks) + ' looks.'),
    tables.map(({caption, heads, rows, left_out}) => [
      table(caption, heads, rows), left_out > 0 ? el('p', {class: 'note'}, grouped(left_out) + ' more are not drawn.') : null]),
    idle.length > 0 ? [el('h2', {}, 'Idle'), el('ul', {}, idle.map(text => el('li', {}, text)))] : null,
    el('p', {class: 'note'}, 'Shares are those of the blocked time of the threads in a table. Filters do not apply here: they choose samples, ' +
      'and these are looks at blocked threads.'));
  return {element, update() {}};
}
