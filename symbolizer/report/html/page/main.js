// Starts the page: reads the data, makes the views, and shows the one that the address names.

import { otherSide, sideChange, sideOf } from './changes.js';
import { makeCallsView } from './calls_view.js';
import { makeChangesView } from './changes_view.js';
import { makeCompareView } from './compare_view.js';
import { readBlock, readPage } from './data.js';
import { el, fill } from './dom.js';
import { makeFilterBar, makeFindBar } from './filter_bar.js';
import { makeFlameView } from './flame_view.js';
import { carryState, keepPlace } from './live.js';
import { makeModel } from './model.js';
import { visible } from './numbers.js';
import { makeParallelView } from './parallel_view.js';
import { makeSourceView } from './source_view.js';
import { makeStore } from './state.js';
import { makeSummaryView } from './summary_view.js';
import { makeTableView } from './table_view.js';
import { makeTimeView } from './time_view.js';
import { makeWaitingView } from './waiting_view.js';

// The views of one profile: id, title, and what makes them. Keys 1 to 8.
const VIEWS = [
  ['summary', 'Summary', makeSummaryView],
  ['functions', 'Functions', (model, store) => makeTableView('functions', model, store)],
  ['lines', 'Lines', (model, store) => makeTableView('lines', model, store)],
  ['modules', 'Modules', (model, store) => makeTableView('modules', model, store)],
  ['threads', 'Threads', (model, store) => makeTableView('threads', model, store)],
  ['flame', 'Flame graph', (model, store) => makeFlameView(model, store)],
  ['source', 'Source', makeSourceView],
  ['time', 'Time', makeTimeView],
];
// Only where a profile has what they show: the key, the view, and whether a profile has it.
const OPTIONAL_VIEWS = [
  ['b', ['calls', 'Calls', makeCallsView], profile => profile.nodes.count > 1],
  ['w', ['waiting', 'Waiting', makeWaitingView], ({report}) => report.waits],
  ['p', ['parallel', 'Parallel', makeParallelView], ({report}) => report.openmp || report.ranks],
];
// Those of a comparison, before the others. Keys 9 and 0, so that 1 to 8 mean the same on all pages.
const COMPARISON_VIEWS = [['compare', 'Comparison'], ['changes', 'Flame graph of changes']];

/** Instead of a view of a side that has no profile. */
function missingProfile(letter) {
  const element = el('section', {'aria-label': 'no profile'}, el('div', {class: 'explain'},
    el('p', {}, 'Side ' + letter.toUpperCase() + ' has no samples in this file: one of its runs is a JSON report, which has sums alone. ' +
      'The comparison has all its numbers. To see the views of this side and the flame graph of changes, compare spools or merged files:'),
    el('pre', {}, 'csink run --keep --stacks=fp -- PROGRAM      # keeps the spool\n' +
      'csink merge -o run.csink FOLDER              # one file of the spools of a run\n' +
      'csink diff -o changes.html A.csink B.csink')));
  return {element, update() {}};
}

function start() {
  const {profiles, comparison} = readBlock(document.getElementById('csink-data').textContent);
  let models, life, title;
  /** The model of a side; null: the side has no profile. Without a comparison there is one side. */
  const modelOf = letter => models[comparison ? sideOf(comparison, letter).profile : 0] || null;
  const profileOf = letter => modelOf(letter) && modelOf(letter).profile;
  const namesOf = letter => profileOf(letter) ? profileOf(letter).events.map(event => event.name) : [];
  const optional = OPTIONAL_VIEWS.filter(([, , isIn]) => profiles.some(isIn));
  const ofProfile = [...VIEWS, ...optional.map(([, view]) => view)];
  const views = comparison ? [...COMPARISON_VIEWS, ...ofProfile] : ofProfile;
  const keys = (comparison ? '90' : '') + '12345678' + optional.map(([key]) => key).join('');
  const made = new Map();
  const bars = new Map();
  const heading = el('bdi', {});
  const printHeading = el('p', {class: 'print-only print-heading'});
  const place = el('main', {id: 'view', tabindex: -1});
  const tabs = el('nav', {class: 'tabs', 'aria-label': 'views'});
  const sides = el('nav', {class: 'sides', 'aria-label': 'sides'});
  const barPlace = el('div', {});

  /** Takes the profiles of a block. Views are made when they are shown. */
  function use(shown) {
    if (life) life.abort();
    life = new AbortController();
    models = shown.map(profile => makeModel(profile, life.signal));
    made.clear();
    bars.clear();
    title = comparison ? comparison.sides.map(side => visible(side.name)).join(' (A) and ') + ' (B)' : visible(shown[0].report.command);
    heading.title = title;
    heading.textContent = title.slice(0, 300);
  }

  function makeView(id, letter) {
    if (id === 'compare') return makeCompareView(comparison, profileOf, store);
    const model = modelOf(letter);
    if (!model) return missingProfile(letter);
    if (id === 'changes') return makeChangesView(comparison, letter, model, store);
    return ofProfile.find(([known]) => known === id)[2](model, store, ofProfile.map(([known]) => known));
  }
  /** The value of a map, which is made when it is first needed. */
  function keep(map, key, make) {
    if (!map.has(key)) map.set(key, make());
    return map.get(key);
  }
  const reset = view => ({view, sort: '', up: false, zoom: 0, callers: false});

  function showSides(state, id) {
    sides.hidden = !comparison || id === 'compare';
    if (sides.hidden) return;
    fill(sides, 'side', ['a', 'b'].map(letter => el('a', {
      href: store.hashOf(letter === state.side ? {} : sideChange(state, letter, namesOf)), 'aria-current': letter === state.side ? 'true' : null,
      title: visible(sideOf(comparison, letter).name),
    }, letter.toUpperCase() + ': ' + visible(sideOf(comparison, letter).name).slice(0, 200))));
  }

  function show(state) {
    const [id, words] = views.find(([known]) => known === state.view) || views[0];
    const view = keep(made, id === 'compare' ? id : id + state.side, () => makeView(id, state.side));
    const isNew = place.firstChild !== view.element;
    if (isNew) {
      fill(place, view.element);
      document.title = words + ' - ' + title.slice(0, 200) + ' - csink';
    }
    fill(tabs, views.map(([other, text]) => el('a', {
      href: store.hashOf(reset(other)), 'aria-current': other === id ? 'page' : null,
    }, text)));
    printHeading.textContent = [words, comparison && id !== 'compare' ? 'side ' + state.side.toUpperCase() + ': ' + visible(sideOf(comparison, state.side).name) : '',
      state.find ? 'find "' + visible(state.find) + '"' : ''].filter(Boolean).join(', ');
    showSides(state, id);
    // A comparison is of all samples: its views have no filters.
    const model = id === 'compare' || id === 'changes' ? null : modelOf(state.side);
    const bar = keep(bars, model, () => model ? makeFilterBar(model, store) : makeFindBar(store));
    if (barPlace.firstChild !== bar.element) fill(barPlace, bar.element);
    bar.update(state);
    view.update(state, isNew);
  }

  use(profiles);
  const store = makeStore(window, namesOf, show, {view: views[0][0]});
  document.getElementById('first-view').remove();
  document.body.prepend(
    el('header', {}, el('h1', {}, heading), printHeading, tabs, sides, barPlace),
    place, el('footer', {class: 'note'}, 'Keys: ' + (comparison ? '9 and 0 choose a view of the comparison, x the other side, ' : '') +
      ['1 to ' + VIEWS.length, ...optional.map(([key]) => key)].join(' and ') + ' choose a view, / goes to the text field, Escape leaves it. In the flame graph: arrows, ' +
      'Enter zooms in, Escape out, c shows callers, f focuses, h hides.'));
  // In live pages alone (live/poll.js): the same program later. They have one profile and no comparison.
  document.addEventListener('csink-data', event => {
    const next = readPage(event.detail);
    const before = models[0];
    const restore = keepPlace(document);
    use(next);
    store.renew(carryState(before, models[0], store.get()), namesOf);
    restore();
  });
  // Paper is light and has everything that is folded. Views have canvases in the colours of the style, so they are shown again;
  // their own listeners come later.
  let opened = [];
  window.addEventListener('beforeprint', () => {
    document.documentElement.dataset.paper = 'yes';
    show(store.get());
    opened = [...document.querySelectorAll('details:not([open])')];
    for (const details of opened) details.open = true;
  });
  window.addEventListener('afterprint', () => {
    delete document.documentElement.dataset.paper;
    for (const details of opened) details.open = false;
    show(store.get());
  });
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = document.getElementById('find');
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const number = event.key.length === 1 ? keys.indexOf(event.key) : -1;
    if (event.key === 'Escape' && event.target === field) {
      field.blur();
    } else if (isTyping) {
      return;
    } else if (event.key === '/') {
      event.preventDefault();
      field.focus();
    } else if (event.key === 'x' && comparison) {
      store.set(sideChange(store.get(), otherSide(store.get().side), namesOf));
    } else if (number >= 0) {
      store.set(reset(views[number][0]));
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
