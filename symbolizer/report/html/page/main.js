// Starts the page: reads the data, makes the views, and shows the one that the address names.

import { readPage } from './data.js';
import { el, fill } from './dom.js';
import { makeFilterBar } from './filter_bar.js';
import { makeFlameView } from './flame_view.js';
import { carryState, keepPlace } from './live.js';
import { makeModel } from './model.js';
import { visible } from './numbers.js';
import { makeSourceView } from './source_view.js';
import { makeStore } from './state.js';
import { makeSummaryView } from './summary_view.js';
import { makeTableView } from './table_view.js';
import { makeTimeView } from './time_view.js';

const VIEWS = [
  ['summary', 'Summary', makeSummaryView],
  ['functions', 'Functions', (model, store) => makeTableView('functions', model, store)],
  ['lines', 'Lines', (model, store) => makeTableView('lines', model, store)],
  ['modules', 'Modules', (model, store) => makeTableView('modules', model, store)],
  ['threads', 'Threads', (model, store) => makeTableView('threads', model, store)],
  ['flame', 'Flame graph', makeFlameView],
  ['source', 'Source', makeSourceView],
  ['time', 'Time', makeTimeView],
];

const KEYS = 'Keys: 1 to ' + VIEWS.length + ' choose a view, / goes to the text field, Escape leaves it. In the flame graph: arrows, ' +
  'Enter zooms in, Escape out, c shows callers.';

function start() {
  const [first] = readPage(document.getElementById('csink-data').textContent);
  const namesOf = profile => profile.events.map(event => event.name);
  const place = el('main', {id: 'view', tabindex: -1});
  const tabs = el('nav', {class: 'tabs', 'aria-label': 'views'});
  const heading = el('bdi', {});
  let made, model, bar, life, command;

  function show(state) {
    const known = VIEWS.find(([id]) => id === state.view) || VIEWS[0];
    const [id, title, make] = known;
    if (!made.has(id)) made.set(id, make(model, store));
    const view = made.get(id);
    if (place.firstChild !== view.element) {
      fill(place, view.element);
      document.title = title + ' - ' + command.slice(0, 200) + ' - csink';
    }
    fill(tabs, VIEWS.map(([other, words]) => el('a', {
      href: store.hashOf({view: other, sort: '', up: false, zoom: 0, callers: false}), 'aria-current': other === id ? 'page' : null,
    }, words)));
    bar.update(state);
    view.update(state);
  }

  /** Takes another profile. Views are made when they are shown. */
  function use(profile) {
    if (life) life.abort();
    life = new AbortController();
    model = makeModel(profile, life.signal);
    made = new Map();
    const next = makeFilterBar(model, store);
    if (bar) bar.element.replaceWith(next.element);
    bar = next;
    command = visible(profile.report.command);
    heading.title = command;
    heading.textContent = command.slice(0, 300);
  }

  const store = makeStore(window, namesOf(first), show);
  use(first);
  document.getElementById('first-view').remove();
  document.body.prepend(el('header', {}, el('h1', {}, heading), tabs, bar.element), place, el('footer', {class: 'note'}, KEYS));
  // In live pages alone (live/poll.js): the same program later.
  document.addEventListener('csink-data', event => {
    const [next] = readPage(event.detail);
    const before = model;
    const restore = keepPlace(document);
    use(next);
    store.renew(carryState(before, model, store.get()), namesOf(next));
    restore();
  });
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = document.getElementById('find');
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === 'Escape' && event.target === field) {
      field.blur();
    } else if (!isTyping && event.key === '/') {
      event.preventDefault();
      field.focus();
    } else if (!isTyping && event.key >= '1' && event.key <= String(VIEWS.length)) {
      store.set({view: VIEWS[Number(event.key) - 1][0], sort: '', up: false, zoom: 0, callers: false});
    }
  });
  show(store.get());
  // For tests: the page can be used.
  document.documentElement.dataset.ready = 'yes';
}

try {
  start();
} catch (error) {
  document.body.prepend(el('p', {class: 'warning', role: 'alert'}, 'The page cannot be shown: ' + error.message));
  throw error;
}
