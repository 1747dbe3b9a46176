// Callers, the function, and callees side by side.

import { butterfly } from './butterfly.js';
import { frameModule, frameName } from './data.js';
import { el, fill, isNarrow } from './dom.js';
import { functionActions, noStacks } from './function_actions.js';
import { shortenFunction } from './names.js';
import { amount, grouped, percent, sharePercent, visible } from './numbers.js';
import { scaleOf, shareOf } from './share_bar.js';
import { cellOf } from './statistics.js';

// Rows of a list, and choices of functions.
const MOST = 200;
const NAME = 40;
const NARROW_NAME = 24;

export function makeCallsView(model, store) {
  const {profile} = model;
  const element = el('section', {'aria-label': 'callers and callees'});

  /** A list of callers or callees. `of`: weight of the whole function. */
  function list(title, rows, of, state, empty) {
    const event = profile.events[state.event];
    const all = model.all(state)[state.event];
    const cells = rows.map(row => cellOf(event, row.samples, row.weight, all));
    const scale = scaleOf(cells.slice(0, 1));
    const found = state.find.toLowerCase().split(/\s+/).filter(Boolean);
    const nameOf = row => row.frame < 0 ? '' : visible(frameName(profile, row.frame));
    const shown = rows.map((row, i) => [row, cells[i]]).filter(([row]) => found.every(word => nameOf(row).toLowerCase().includes(word)));
    return el('div', {class: 'scroll calls-list', tabindex: 0, role: 'region', 'aria-label': title}, el('table', {class: 'plain'},
      el('caption', {}, title),
      el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'function'), el('th', {scope: 'col', class: 'number'}, 'share'),
        el('th', {scope: 'col', class: 'number'}, 'amount'), el('th', {scope: 'col', class: 'number'}, 'part'))),
      el('tbody', {}, shown.slice(0, MOST).map(([row, cell]) => el('tr', {},
        el('td', {}, row.frame < 0 ? el('span', {class: 'name'}, '(start of the thread)') : el('a', {
          class: 'name', href: store.hashOf({fn: model.frameKey(row.frame), find: ''}), title: nameOf(row) + ' in ' + visible(frameModule(profile, row.frame)),
        }, shortenFunction(nameOf(row), isNarrow() ? NARROW_NAME : NAME))),
        el('td', {class: 'number'}, shareOf(event, cell, scale)), el('td', {class: 'number'}, amount(event, row.weight)),
        el('td', {class: 'number'}, sharePercent(of > 0 ? row.weight / of : 0)))))),
    shown.length > MOST ? el('p', {class: 'note'}, grouped(shown.length - MOST) + ' more are not drawn: the text field looks for them.') : null,
    rows.length === 0 ? el('p', {class: 'note'}, empty) : null);
  }

  function chooser(state, key, order, weight) {
    const all = model.all(state)[state.event].weight;
    const keys = [...order.slice(0, MOST)].map(f => [model.functionKeyOf(f), f]);
    if (!keys.some(([known]) => known === key)) keys.unshift([key, model.functionOf(key)]);
    const control = el('select', {id: 'function', change: () => store.set({fn: control.value})}, keys.map(([known, f]) =>
      el('option', {value: known}, percent(all > 0 && f >= 0 ? weight[f] / all : 0) + '  ' +
        shortenFunction(visible(f >= 0 ? profile.names[profile.functions.name[f]] : known), 100))));
    control.value = key;
    return el('p', {}, el('label', {for: 'function'}, 'function '), control);
  }

  return {
    element,
    update(state) {
      if (!model.hasStacks || profile.events.length === 0) {
        fill(element, noStacks());
        return;
      }
      const totals = model.totals({...state, stretch: ''});
      const weight = totals.weight[state.event];
      const order = model.byTotal(state);
      const own = model.sums('functions', {...state, stretch: ''}).weight[state.event];
      // Without a choice: where most samples are.
      const hottest = order.reduce((best, f) => best < 0 || own[f] > own[best] ? f : best, -1);
      const key = state.fn || (hottest >= 0 ? model.functionKeyOf(hottest) : '');
      const event = profile.events[state.event];
      const all = model.all(state)[state.event];
      const found = butterfly(model.tree({...state, inlined: false}), frame => model.frameKey(frame) === key);
      const name = visible(key.replace(/^[^:]*:/, ''));
      const share = of => shareOf(event, cellOf(event, of.samples, of.weight, all));
      const fact = (term, of) => el('div', {}, el('dt', {}, term), el('dd', {}, share(of), ' ' + amount(event, of.weight)));
      fill(element, chooser(state, key, order, weight),
        el('div', {class: 'calls'},
          list('Callers', found.callers, found.total.weight, state, 'None is known.'),
          el('div', {class: 'calls-function'},
            el('h2', {}, el('bdi', {title: name}, shortenFunction(name, 140))),
            found.total.weight > 0 ? el('dl', {class: 'facts'}, fact('total', found.total), fact('self', found.self)) :
              el('p', {class: 'note'}, 'No samples of this function are in the call paths that are shown.'),
            functionActions(model, store, state, key)),
          list('Callees', found.callees, found.total.weight, state, 'It called nothing while samples were taken.')),
        el('p', {class: 'note'}, 'Shares are of all samples that count; the part is of the total of the function. Of a function that calls itself ' +
          'the outermost call has the callers, the innermost one the callees.'));
    },
  };
}
