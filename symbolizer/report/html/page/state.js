// What the page shows, as the part of the address behind '#': a link to it shows the same.

import { FILTERS } from './filters.js';

/** The state without an address. Lists are never changed, only replaced. */
export const START = {
  view: 'summary', event: 0, sort: '', up: false, find: '', zoom: 0, fn: '', callers: false,
  process: [], tname: [], thread: [], phase: [],
};

/** The state of an address. Unknown parts are ignored; wrong values are those of START. */
export function parseState(hash, eventNames) {
  const state = {...START};
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  if (/^[a-z]+$/.test(params.get('view') || '')) state.view = params.get('view');
  const event = eventNames.indexOf(params.get('event'));
  if (event >= 0) state.event = event;
  for (const key of ['sort', 'find', 'fn']) state[key] = params.get(key) || '';
  state.up = params.get('up') === '1';
  state.callers = params.get('callers') === '1';
  const zoom = Number(params.get('zoom'));
  if (Number.isInteger(zoom) && zoom > 0) state.zoom = zoom;
  for (const kind of FILTERS) state[kind] = params.getAll(kind);
  return state;
}

/** The address of a state, with what differs from START. */
export function stateHash(state, eventNames) {
  const params = new URLSearchParams();
  params.set('view', state.view);
  if (state.event > 0) params.set('event', eventNames[state.event]);
  for (const key of ['sort', 'find', 'fn']) if (state[key]) params.set(key, state[key]);
  if (state.up) params.set('up', '1');
  if (state.callers) params.set('callers', '1');
  if (state.zoom > 0) params.set('zoom', String(state.zoom));
  for (const kind of FILTERS) for (const value of state[kind]) params.append(kind, value);
  return '#' + params.toString();
}

/**
 * Keeps the state in the address. `window` is the browser's. `listener` is called with the new
 * state after each change, also by the browser's back button.
 */
export function makeStore(window, eventNames, listener) {
  let names = eventNames;
  let state = parseState(window.location.hash, names);
  window.addEventListener('hashchange', () => {
    const hash = window.location.hash;
    if (hash === stateHash(state, names)) return;
    state = parseState(hash, names);
    listener(state);
  });
  return {
    get: () => state,
    hashOf: change => stateHash({...state, ...change}, names),
    /** Changes members. `replace`: without a new entry in the browser's history, as for typing. */
    set(change, replace = false) {
      state = {...state, ...change};
      const hash = stateHash(state, names);
      if (replace) {
        window.history.replaceState(null, '', hash);
      } else if (hash !== window.location.hash) {
        window.history.pushState(null, '', hash);
      }
      listener(state);
    },
    /** The state for another profile, without a new entry in the browser's history (live.js). */
    renew(nextState, nextNames) {
      names = nextNames;
      this.set(nextState, true);
    },
  };
}
