// Parallel programs: the regions of OpenMP, and the ranks of an MPI job.

import { el, fill, markRows, table } from './dom.js';
import { grouped, visible } from './numbers.js';
import { parallelTables } from './parallel.js';

export function makeParallelView(model) {
  const {report} = model.profile;
  const element = el('section', {'aria-label': 'parallel'});
  const {tables, notes} = parallelTables(report);
  // The comparison's other side may be without them.
  if (tables.length === 0 && notes.length === 0) {
    fill(element, el('p', {class: 'note'}, 'The profile has no regions of OpenMP, and fewer than two ranks of MPI.'));
    return {element, update() {}};
  }
  fill(element,
    notes.map(text => el('p', {}, text)),
    tables.map(({caption, heads, rows, left_out}) => [
      table(caption, heads, rows), left_out > 0 ? el('p', {class: 'note'}, grouped(left_out) + ' more are not drawn.') : null]),
    el('p', {class: 'note'}, 'Filters do not apply here: these are sums of the whole profile.'));
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
