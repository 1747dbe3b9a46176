// Another state of a running program in the place of the one that is shown: what people have chosen stays.

import { pathTo } from './flame_layout.js';

/** Texts that name a process and a thread in every state of a profile; indices change when new ones come. */
function processKey(profile, index) {
  const {host, pid, generation} = profile.report.processes[index] || {};
  return [host, pid, generation].join('\u0001');
}
function threadKey(profile, index) {
  const {threads} = profile;
  return [processKey(profile, threads.process[index]), threads.tid[index], threads.merged[index]].join('\u0002');
}

/** The indices `chosen`, texts, among the `count` things that `keyOf` names in `to`. What is gone is left out. */
function carried(chosen, from, to, count, keyOf) {
  if (chosen.length === 0) return chosen;
  const index = new Map();
  for (let i = 0; i < count; ++i) index.set(keyOf(to, i), String(i));
  return chosen.map(text => index.get(keyOf(from, Number(text)))).filter(text => text !== undefined);
}

const treeOf = (model, state) => state.callers ? model.callers(state) : model.tree(state);

/** The node with the same path of frames, or the last one of the path that is still there. */
function carriedZoom(before, after, state, next) {
  if (!(state.zoom > 0) || !before.hasStacks || !after.hasStacks) return 0;
  const old = treeOf(before, state);
  if (state.zoom >= old.count) return 0;
  const tree = treeOf(after, next);
  let at = 0;
  for (const node of pathTo(old, state.zoom)) {
    const key = before.frameKey(old.frame[node]);
    let below = -1;
    for (let c = tree.start[at]; below < 0 && c < tree.start[at + 1]; ++c) {
      if (after.frameKey(tree.frame[tree.child[c]]) === key) below = tree.child[c];
    }
    if (below < 0) return at;
    at = below;
  }
  return at;
}

/** The state that shows the same of the model `after` as `state` shows of the model `before`. */
export function carryState(before, after, state) {
  const from = before.profile;
  const to = after.profile;
  const eventOf = index => to.events.findIndex(event => from.events[index] && event.name === from.events[index].name);
  const next = {
    ...state,
    event: Math.max(0, eventOf(state.event)),
    process: carried(state.process, from, to, to.report.processes.length, processKey),
    thread: carried(state.thread, from, to, to.threads.count, threadKey),
    // A phase has its name alone.
    phase: carried(state.phase, from, to, to.phases.count, (profile, i) => profile.phases.name[i]),
  };
  if (/^e\d+$/.test(state.sort)) {
    const event = eventOf(Number(state.sort.slice(1)));
    next.sort = event < 0 ? '' : 'e' + event;
  }
  next.zoom = carriedZoom(before, after, state, next);
  return next;
}

const PLACES = '.grid, .scroll';
const FOCUSABLE = 'a, button, input, select, canvas, [tabindex]';

/** Remembers how far everything is scrolled, what is unfolded and what has the focus. Returns what restores it. */
export function keepPlace(page) {
  const all = what => [...page.querySelectorAll(what)];
  const scrolled = all(PLACES).map(element => [element.scrollTop, element.scrollLeft]);
  const open = all('details').map(element => element.open);
  const {activeElement, scrollingElement} = page;
  const top = scrollingElement ? scrollingElement.scrollTop : 0;
  const focus = all(FOCUSABLE).indexOf(activeElement);
  const marked = focus >= 0 && activeElement.id === 'find' ? [activeElement.selectionStart, activeElement.selectionEnd] : null;
  return () => {
    all(PLACES).forEach((element, i) => {
      if (scrolled[i]) [element.scrollTop, element.scrollLeft] = scrolled[i];
    });
    all('details').forEach((element, i) => { element.open = Boolean(open[i]); });
    if (scrollingElement) scrollingElement.scrollTop = top;
    const element = marked ? page.getElementById('find') : all(FOCUSABLE)[focus];
    if (focus < 0 || !element || element === page.activeElement || element.tagName !== activeElement.tagName) return;
    element.focus({preventScroll: true});
    if (marked) element.setSelectionRange(...marked);
  };
}
