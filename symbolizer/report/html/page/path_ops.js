// What people do to call paths: hide a function, look at one function alone, and let several calls be one frame.

import { frameModule, functionKey, frameName, libraryFrame, moduleFrame } from './data.js';

/** Chosen members of `collapse` in the state: further ones are names of modules behind "module:". */
export const RECURSION = 'recursion';
export const LIBRARIES = 'libraries';
export const MODULE = 'module:';

/** Whether a module is a library by its name: "libc.so.6", "[vdso]". */
export function isLibrary(module) {
  return /\.so(\.[\w.]+)?$/.test(module) || module.startsWith('[');
}

/** For each node 1 if a frame of its path is in `keys`, texts of functionKey. Parents come before children. */
export function nodesBelow(profile, keys) {
  const {nodes} = profile;
  const below = new Uint8Array(nodes.count);
  const isIt = framesOf(profile, keys);
  for (let n = 1; n < nodes.count; ++n) below[n] = below[nodes.parent[n]] || isIt(nodes.frame[n]) ? 1 : 0;
  return below;
}

/** A function that says whether a frame has one of the keys. */
function framesOf(profile, keys) {
  const known = new Int8Array(profile.frames.name.length).fill(-1);
  return frame => {
    if (frame < 0 || frame >= known.length) return false;
    if (known[frame] < 0) known[frame] = keys.includes(functionKey(frameModule(profile, frame), frameName(profile, frame))) ? 1 : 0;
    return known[frame] === 1;
  };
}

/** A function that says whether the samples of a row went through the function `key`. */
export function rowsThrough(profile, key) {
  const {rows, functions, modules, names, nodes} = profile;
  const below = nodesBelow(profile, [key]);
  // A sample without a stack is in its own function.
  const own = new Uint8Array(functions.count);
  for (let f = 0; f < functions.count; ++f) own[f] = functionKey(modules.name[functions.module[f]], names[functions.name[f]]) === key ? 1 : 0;
  return r => (rows.node[r] < nodes.count && below[rows.node[r]] === 1) || own[rows.function[r]] === 1;
}

/** A text that is equal where shownPaths are. */
export function pathKey(state) {
  return [state.inlined, ...state.collapse, '\u0001', ...state.focus].join('\u0002');
}

/**
 * The tree of call paths as the state shows it: {count, parent, frame, of}. `of`: for each node of the profile the one
 * that shows it. Paths begin at a function of `focus`; members of `collapse` let several frames be one; without
 * `inlined` functions that were inlined have no frame.
 */
export function shownPaths(profile, state) {
  const {nodes} = profile;
  const {focus, collapse} = state;
  const of = new Int32Array(nodes.count);
  const parent = [0];
  const frame = [-1];
  const known = new Map();
  // Behind the frames of the profile stand those of modules.
  const frames = moduleFrame(profile, profile.modules.count);
  const child = (above, which) => {
    const key = above * (frames + 1) + which;
    let node = known.get(key);
    if (node === undefined) {
      node = parent.length;
      known.set(key, node);
      parent.push(above);
      frame.push(which);
    }
    return node;
  };
  const chosenModules = new Set(collapse.filter(text => text.startsWith(MODULE)).map(text => text.slice(MODULE.length)));
  const indexOfModule = new Map(profile.modules.name.map((name, m) => [name, m]));
  const shownAs = Int32Array.from(profile.frames.name, (_, f) => {
    const module = frameModule(profile, f);
    if (chosenModules.has(module)) return moduleFrame(profile, indexOfModule.get(module));
    return collapse.includes(LIBRARIES) && isLibrary(module) ? libraryFrame(profile) : f;
  });
  const firstInlined = state.inlined ? profile.frames.name.length : profile.frames.inlined;
  const isFocus = framesOf(profile, focus);
  const begun = new Uint8Array(nodes.count).fill(focus.length === 0 ? 1 : 0);
  const noRecursion = collapse.includes(RECURSION);
  for (let n = 1; n < nodes.count; ++n) {
    const raw = nodes.frame[n];
    const above = nodes.parent[n];
    begun[n] = begun[above] || isFocus(raw) ? 1 : 0;
    const at = of[above];
    const shown = raw >= 0 && raw < shownAs.length ? shownAs[raw] : raw;
    const isInlined = raw >= firstInlined && raw < shownAs.length;
    if (!begun[n] || isInlined || (shown !== raw && shown === frame[at])) {
      of[n] = at;
      continue;
    }
    let outer = 0;
    if (noRecursion && shown === raw) {
      outer = at;
      while (outer > 0 && frame[outer] !== shown) outer = parent[outer];
    }
    of[n] = outer > 0 ? outer : child(at, shown);
  }
  return {count: parent.length, parent: Int32Array.from(parent), frame: Int32Array.from(frame), of};
}

/** Sums by node (totals.js) as sums by the nodes that show them. */
export function shownSums(sums, {count, of}) {
  const moved = columns => columns.map(column => {
    const out = new Float64Array(count);
    column.forEach((value, n) => { out[of[n]] += value; });
    return out;
  });
  return {samples: moved(sums.samples), weight: moved(sums.weight)};
}

/** Words for a member of `collapse`. */
export function collapseText(text) {
  if (text === RECURSION) return 'recursion is one frame';
  if (text === LIBRARIES) return 'library code is one frame';
  return text.slice(MODULE.length) + ' is one frame';
}
