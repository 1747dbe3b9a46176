// What can be done with one function: links that several views have.

import { el } from './dom.js';
import { visible } from './numbers.js';
import { LIBRARIES, MODULE, RECURSION } from './path_ops.js';

/** Instead of a view of call paths that a profile does not have. */
export function noStacks() {
  return el('div', {class: 'explain'},
    el('p', {}, 'This profile has no call stacks. Record them with one of:'),
    el('pre', {}, 'csink run --stacks=fp -o app.html -- PROGRAM      # programs built with -fno-omit-frame-pointer\n' +
      'csink run --stacks=unwind -o app.html -- PROGRAM  # all others: by unwind tables\n' +
      'CSINK_STACKS=fp                                   # the same without csink run'),
    el('p', {}, 'docs/stacks.md says what each costs.'));
}

/** The changes of the state that hide a function, show its call paths alone, and make its module one frame. */
export const hideChange = (state, key) => ({hide: [...state.hide.filter(other => other !== key), key], focus: state.focus.filter(other => other !== key), zoom: 0});
export const focusChange = (state, key) => ({focus: [key], hide: state.hide.filter(other => other !== key), zoom: 0});
const collapseChange = (state, what) => ({collapse: state.collapse.includes(what) ? state.collapse.filter(other => other !== what) : [...state.collapse, what], zoom: 0});

/** Links for the function `key`. */
export function functionActions(model, store, state, key) {
  const module = key.slice(0, key.indexOf(':'));
  const link = (text, change, title = null) => el('a', {class: 'mode', href: store.hashOf(change), title}, text);
  const isFunction = model.functionOf(key) >= 0;
  return el('div', {class: 'modes', role: 'group', 'aria-label': 'what to do with the function'},
    state.view === 'calls' || !isFunction ? null : link('callers and callees', {view: 'calls', fn: key, zoom: 0, callers: false}),
    model.source(key) ? link('source', {view: 'source', fn: key, callers: false, zoom: 0}) : null,
    isFunction ? link('all callers', {view: 'flame', fn: key, callers: true, zoom: 0}, 'the flame graph of its callers, theirs, and so on') : null,
    isFunction ? link('row of the table', {view: 'functions', fn: key, callers: false, zoom: 0}) : null,
    isFunction && !state.focus.includes(key) ? link('focus', focusChange(state, key), 'only call paths through this function, from it on (f)') : null,
    isFunction && !state.hide.includes(key) ? link('hide', hideChange(state, key), 'without the call paths through this function (h)') : null,
    isFunction && module && !state.collapse.includes(MODULE + module) ?
      link('collapse ' + visible(module), collapseChange(state, MODULE + module), 'calls inside of this module are one frame') : null);
}

/** Switches for all call paths. */
export function pathSwitches(model, store, state) {
  const {profile} = model;
  const toggle = (what, text) => {
    const on = state.collapse.includes(what);
    return el('a', {class: on ? 'mode on' : 'mode', href: store.hashOf(collapseChange(state, what)), 'aria-current': on ? 'true' : null},
      (on ? '\u2713 ' : '') + text);
  };
  const hasInlined = profile.frames.inlined < profile.frames.name.length;
  return [hasInlined ? el('a', {class: state.inlined ? 'mode on' : 'mode', href: store.hashOf({inlined: !state.inlined, zoom: 0}), 'aria-current': state.inlined ? 'true' : null},
    (state.inlined ? '\u2713 ' : '') + 'inlined functions') : null, toggle(RECURSION, 'recursion as one frame'), toggle(LIBRARIES, 'libraries as one frame')];
}
