// What the page shows, as the part of the address behind '#': a link to it shows the same.

import { FILTERS } from './filters.js';

/** The state without an address. Lists are never changed, only replaced. */
export const START = {
  view: 'summary', side: 'b', event: 0, sort: '', up: false, find: '', zoom: 0, fn: '', callers: false, sampling: false,
  process: [], tname: [], thread: [], phase: [], focus: [], hide: [], collapse: [], inlined: true, stretch: '',
};

/** The members that are lists: each value is a part of the address of its own. */
const LISTS = [...FILTERS, 'collapse'];

/** The names of events: of a list, or of a function that has a list for each side of a comparison. */
function namesFor(eventNames, side) {
  return typeof eventNames === 'function' ? eventNames(side) : eventNames;
}

/**
 * The state of an address. Unknown parts are ignored; wrong values are those of START, and of `first`, which
 * replaces members of it. `eventNames`: a list, or a function of the side, because sides may have other events.
 */
export function parseState(hash, eventNames, first = {}) {
  const state = {...START, ...first};
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  if (params.get('side') === 'a') state.side = 'a';
  if (/^[a-z]+$/.test(params.get('view') || '')) state.view = params.get('view');
  const event = namesFor(eventNames, state.side).indexOf(params.get('event'));
  if (event >= 0) state.event = event;
  for (const key of ['sort', 'find', 'fn', 'stretch']) state[key] = params.get(key) || '';
  state.up = params.get('up') === '1';
  state.callers = params.get('callers') === '1';
  state.sampling = params.get('sampling') === '1';
  const zoom = Number(params.get('zoom'));
  if (Number.isInteger(zoom) && zoom > 0) state.zoom = zoom;
  state.inlined = params.get('inlined') !== '0';
  for (const kind of LISTS) state[kind] = params.getAll(kind);
  return state;
}

/** The address of a state, with what differs from START. */
export function stateHash(state, eventNames) {
  const params = new URLSearchParams();
  params.set('view', state.view);
  if (state.side !== START.side) params.set('side', state.side);
  if (state.event > 0) params.set('event', namesFor(eventNames, state.side)[state.event]);
  for (const key of ['sort', 'find', 'fn', 'stretch']) if (state[key]) params.set(key, state[key]);
  if (state.up) params.set('up', '1');
  if (state.callers) params.set('callers', '1');
  if (state.sampling) params.set('sampling', '1');
  if (state.zoom > 0) params.set('zoom', String(state.zoom));
  if (!state.inlined) params.set('inlined', '0');
  for (const kind of LISTS) for (const value of state[kind]) params.append(kind, value);
  return '#' + params.toString();
}

/**
 * Keeps the state in the address. `window` is the browser's. `listener` is called with the new
 * state after each change, also by the browser's back button. `first` as of parseState.
 */
export function makeStore(window, eventNames, listener, first = {}) {
  let names = eventNames;
  let state = parseState(window.location.hash, names, first);
  window.addEventListener('hashchange', () => {
    const hash = window.location.hash;
    if (hash === stateHash(state, names)) return;
    state = parseState(hash, names, first);
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
    /** The state for another profile, without a new entry in the browser's history (live.js). `nextNames` as eventNames. */
    renew(nextState, nextNames) {
      names = nextNames;
      this.set(nextState, true);
    },
  };
}
