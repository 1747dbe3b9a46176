// The row of controls above all views: event, text, and the filters.

import { el, fill } from './dom.js';
import { FILTERS, choosableThreads, filterText, isFiltered, threadText } from './filters.js';
import { duration, grouped, percent, visible } from './numbers.js';
import { collapseText } from './path_ops.js';
import { chosenStretch, whyWhole } from './stretch.js';

// More choices than this are not listed: the table of threads has them all.
const MOST_CHOICES = 500;

function select(label, options, change) {
  const control = el('select', {change: () => change(control.value)},
    options.map(([value, text]) => el('option', {value}, visible(text))));
  return {element: el('label', {}, el('span', {}, label), control), control};
}

const remove = () => el('span', {class: 'screen-only'}, ' \u00d7');

/** The field of the text that is looked for. */
function makeFind(store) {
  const find = el('input', {
    type: 'search', id: 'find', placeholder: 'type to filter', 'aria-label': 'text to look for', autocomplete: 'off',
    input: () => store.set({find: find.value}, true),
  });
  return find;
}

/** The row of a view that shows no single profile: the text alone. */
export function makeFindBar(store) {
  const find = makeFind(store);
  return {
    element: el('div', {class: 'filters', role: 'search'}, el('label', {}, el('span', {}, 'find'), find)),
    update(state) {
      if (find.value !== state.find) find.value = state.find;
    },
  };
}

/** The group of samples that a view counts; Summary has the table of the hottest functions. */
const GROUP_OF = {summary: 'functions', functions: 'functions', modules: 'modules', threads: 'threads'};
// These show the stretch itself, or no samples at all.
const WITHOUT_NOTE = ['time', 'waiting', 'parallel'];

/** What a chosen stretch of time means in the view of `state`; '': nothing to say. */
function stretchNote(model, state) {
  if (WITHOUT_NOTE.includes(state.view)) return '';
  const group = GROUP_OF[state.view] || state.view;
  const why = whyWhole(model.profile, group, state);
  if (why) return why;
  const all = model.allOf(group, state)[0];
  const placed = model.sums(group, state).samples[0].reduce((sum, n) => sum + n, 0);
  const note = 'Shares are of the ' + grouped(all.samples) + ' samples of the stretch.';
  if (group === 'threads' || placed >= all.samples) return note;
  return note + ' ' + grouped(all.samples - placed) + ' of them are in no row: only the 64 hottest places of a process keep times.';
}

export function makeFilterBar(model, store) {
  const {profile} = model;
  const {report, threads, phases, events} = profile;
  const addTo = (kind, value) => {
    const list = store.get()[kind];
    if (value !== '' && !list.includes(value)) store.set({[kind]: [...list, value]});
  };
  const choosable = choosableThreads(threads);
  const choices = {
    process: report.processes.length > 1 ?
      report.processes.map((process, i) => [String(i), process.pid + ' ' + process.program]) : [],
    tname: [...new Set(choosable.map(t => threads.name[t]))].sort().map(name => ['=' + name, name || '(no name)']),
    thread: choosable.length > 1 && choosable.length <= MOST_CHOICES ?
      choosable.map(t => [String(t), threadText(threads, t)]) : [],
    phase: phases.name.map((name, i) => [String(i), name || '(before the first mark)']),
    // These are chosen where call paths are shown.
    focus: [], hide: [],
  };
  if (choices.tname.length < 2) choices.tname = [];
  const labels = {process: 'process', tname: 'thread name', thread: 'thread', phase: 'phase'};

  const find = makeFind(store);
  const event = select('event', events.map((e, i) => [String(i), e.name]), value => store.set({event: Number(value), sort: ''}));
  const selects = FILTERS.filter(kind => choices[kind].length > 0).map(kind => {
    const made = select(labels[kind], [['', 'all'], ...choices[kind].slice(0, MOST_CHOICES)], value => {
      addTo(kind, kind === 'tname' ? value.slice(1) : value);
      made.control.value = '';
    });
    return made.element;
  });
  /** What hiding and focusing left out. */
  function hiddenText(state) {
    if (state.hide.length + state.focus.length === 0) return '';
    const without = model.all({...state, hide: [], focus: []})[state.event];
    const left = without.samples - model.all(state)[state.event].samples;
    const share = without.weight > 0 ? 1 - model.all(state)[state.event].weight / without.weight : 0;
    return ' Hidden: ' + grouped(left) + ' samples, ' + percent(share) + '.';
  }
  function mergedText(state) {
    const {count} = model.paths({...state, collapse: []});
    return 'Call paths: ' + grouped(count - model.paths(state).count) + ' of ' + grouped(count - 1) + ' frames are merged into others.';
  }
  const chips = el('div', {class: 'chips', 'aria-live': 'polite'});
  const element = el('div', {class: 'filters', role: 'search'},
    el('label', {}, el('span', {}, 'find'), find), events.length > 1 ? event.element : null, selects, chips);
  return {
    element,
    update(state) {
      if (find.value !== state.find) find.value = state.find;
      event.control.value = String(state.event);
      const stretch = chosenStretch(profile, state);
      const chosen = FILTERS.flatMap(kind => state[kind].map(value => [kind, value]));
      const part = () => {
        const all = events[state.event].weight;
        return all > 0 ? percent(model.all(state)[state.event].weight / all) : '0 %';
      };
      fill(chips, chosen.map(([kind, value]) => el('button', {
        type: 'button', class: 'chip', title: 'remove this filter',
        click: () => store.set({[kind]: state[kind].filter(other => other !== value), zoom: 0}),
      }, visible(filterText(profile, kind, value)), remove())),
      stretch ? el('button', {
        type: 'button', class: 'chip', title: 'remove this filter', click: () => store.set({stretch: ''}),
      }, duration(stretch.from) + ' to ' + duration(stretch.to), remove()) : null,
      stretch ? el('span', {class: 'note'}, stretchNote(model, state)) : null,
      state.collapse.map(what => el('button', {
        type: 'button', class: 'chip', title: 'remove this', click: () => store.set({collapse: state.collapse.filter(other => other !== what), zoom: 0}),
      }, visible(collapseText(what)), remove())),
      isFiltered(state) && events.length > 0 ?
        el('span', {class: 'note'}, 'Shares are of these samples: ' + part() + ' of ' + events[state.event].name + '.' + hiddenText(state)) : null,
      state.collapse.length > 0 && model.hasStacks ? el('span', {class: 'note'}, mergedText(state)) : null,
      FILTERS.filter(kind => state[kind].length > 0).length + state.collapse.length > 1 ? el('button', {
        type: 'button', class: 'chip screen-only', click: () => store.set({...Object.fromEntries(FILTERS.map(kind => [kind, []])), collapse: [], zoom: 0}),
      }, 'show everything') : null);
    },
  };
}
