// What the views compute from a profile under a state. Results are kept until the filters change.

import { moduleOfNodes, outermostNodes, rowsOutsidePaths, totalSums } from './call_functions.js';
import { filterKey, isFiltered, maskOf } from './filters.js';
import { matches, sorted } from './rows.js';
import { cellOf, ratioOf } from './statistics.js';
import { stretchAll, stretchFor, stretchSums } from './stretch.js';
import { hottestOf, present, sumAll, sumBy } from './totals.js';
import { bottomUpTree, callTree, callerTree } from './tree_merge.js';
import { frameModule, frameName, functionKey } from './data.js';
import { pathKey, shownPaths, shownSums } from './path_ops.js';

/** Keeps the result of `make` as long as `key` is the same. */
function keep(make) {
  let last = {key: null};
  return (key, ...rest) => {
    if (last.key !== key) last = {key, value: make(...rest)};
    return last.value;
  };
}

/** The sums of all samples by thread, as the profile has them: the samples of a merged file have no thread. */
function threadSums({threads, events}) {
  const columns = table => events.map((_, e) => Float64Array.from(table, row => row[e]));
  return {samples: columns(threads.samples), weight: columns(threads.weight)};
}

/** `signal`: aborted when another profile replaces this one; views give it to listeners outside of their elements. */
export function makeModel(profile, signal) {
  const {rows, functions, lines, modules, threads, nodes} = profile;
  const groups = {
    functions: {key: rows.function, count: functions.count},
    lines: {key: rows.line, count: lines.count},
    modules: {key: rows.module, count: modules.count},
    threads: {key: rows.thread, count: threads.count},
    processes: {key: rows.process, count: profile.report.processes.length},
    phases: {key: rows.phase, count: profile.phases.count},
    nodes: {key: rows.node, count: nodes.count},
  };
  const mask = keep(state => maskOf(profile, state));
  const all = keep(state => sumAll(rows, mask(filterKey(state), state)));
  const allOfStretch = keep(stretch => stretchAll(profile, stretch));
  /** A text that is equal where the samples of a group are. */
  const keyOfGroup = (name, state) => filterKey(state) + '\u0004' + (stretchFor(profile, name, state) ? state.stretch : '');
  /** Sums of all samples that count in a group. */
  const allOf = (name, state) => {
    const stretch = stretchFor(profile, name, state);
    return stretch ? allOfStretch(state.stretch, stretch) : all(filterKey(state), state);
  };
  function groupSums(name, group, state) {
    const stretch = stretchFor(profile, name, state);
    if (stretch) return stretchSums(profile, name, group.count, stretch);
    if (name === 'threads' && !isFiltered(state)) return threadSums(profile);
    return sumBy(rows, group.key, group.count, mask(filterKey(state), state));
  }
  const sums = {};
  const shown = {};
  const orders = {};
  for (const [name, group] of Object.entries(groups)) {
    sums[name] = keep(state => groupSums(name, group, state));
    shown[name] = keep(state => presentIn(name, group, state));
    orders[name] = keep((state, keyOf) => sorted(model.present(name, state), keyOf, state.up));
  }
  const paths = keep(state => shownPaths(profile, state));
  const tree = keep(state => {
    const shownNodes = model.paths(state);
    return callTree(shownNodes, shownSums(model.sums('nodes', state), shownNodes), state.event);
  });
  const callers = keep(state => state.fn === '' ? bottomUpTree(model.tree(state)) :
    callerTree(model.tree(state), frame => model.frameKey(frame) === state.fn));
  const byTotal = keep(state => {
    const weight = model.totals(state).weight[state.event];
    return sorted(model.present('functions', state), f => weight[f], false);
  });
  const functionOf = n => nodes.frame[n] >= 0 && nodes.frame[n] < profile.functionOfFrame.length ? profile.functionOfFrame[nodes.frame[n]] : -1;
  const groupOfNode = {functions: functionOf, modules: moduleOfNodes(nodes, functionOf, functions)};
  const called = {};
  /** What totals need of the call paths under all filters. */
  function calledGroups(name) {
    const of = groupOfNode[name];
    if (!called[name]) called[name] = {outermost: outermostNodes(nodes, of), outside: rowsOutsidePaths(rows, nodes, of, groups[name].key)};
    return called[name];
  }
  const totals = {};
  for (const name of Object.keys(groupOfNode)) {
    totals[name] = keep(state => {
      const {outermost, outside} = calledGroups(name);
      return totalSums(nodes, rows, model.sums('nodes', state), groupOfNode[name], groups[name].count, outermost, outside,
        mask(filterKey(state), state), groups[name].key);
    });
  }
  /** Functions and modules have a row also where they only called others. */
  function presentIn(name, group, state) {
    const total = groupOfNode[name] ? model.totals(state, name) : null;
    return present(total || model.sums(name, state), group.count);
  }
  let lower = null;
  let byKey = null;
  let byWeight = null;
  let moduleHeat = null;
  let annotated = null;
  let hottest = null;
  let functionRanks = null;
  let moduleIndex = null;

  const model = {
    profile,
    signal,
    groups,
    /** Sums of all samples that the filters let through, one for each event; a stretch of time does not count. */
    all: state => all(filterKey(state), state),
    /** As `all`, with the stretch where the group has times. */
    allOf,
    /** Sums by index of a group. */
    sums: (name, state) => sums[name](keyOfGroup(name, state), state),
    /** Indices of a group that have samples. */
    present: (name, state) => shown[name](keyOfGroup(name, state), state),
    /** The cell of one index of a group. */
    cell(name, state, index, event) {
      const of = model.sums(name, state);
      return cellOf(profile.events[event], of.samples[event][index], of.weight[event][index], allOf(name, state)[event]);
    },
    /** Sums by function, or by module, with all that it called; null: there are no call paths, or a stretch of time is chosen, which paths do not know. */
    totals: (state, name = 'functions') => nodes.count > 1 && !stretchFor(profile, name, state) ? totals[name](filterKey(state), state) : null,
    /** The cell of a function, or of a module, with all that it called; null as of `totals`. */
    totalCell(state, index, event, name = 'functions') {
      const of = model.totals(state, name);
      return of && cellOf(profile.events[event], of.samples[event][index], of.weight[event][index], model.all(state)[event]);
    },
    /** A ratio of one index of a group; `column` is one of report.derived. */
    ratio(name, state, index, column) {
      const e = profile.events.findIndex(event => event.name === column.numerator);
      const d = profile.events.findIndex(event => event.name === column.denominator);
      if (e < 0 || d < 0) return null;
      return ratioOf(column, profile.events[e], model.cell(name, state, index, e),
        profile.events[d], model.cell(name, state, index, d));
    },
    /** Indices with samples in the order of `keyOf`; `sort` names the order. */
    ordered: (name, state, sort, keyOf) =>
      orders[name]([keyOfGroup(name, state), sort, state.up].join('\u0003'), state, keyOf),
    /** The call paths as the state shows them (path_ops.js). */
    paths: state => paths(pathKey(state), state),
    tree: state => tree([filterKey(state), pathKey(state), state.event].join('\u0003'), state),
    /** The callers of the function of the state, theirs, and so on; without one those of all functions. */
    callers: state => callers([filterKey(state), pathKey(state), state.event, state.fn].join('\u0003'), state),
    /** Functions with samples, those with the largest totals first; a stretch of time does not count. */
    byTotal: state => byTotal(filterKey(state) + '\u0003' + state.event, {...state, stretch: ''}),
    /** The order of the names of functions is that of their indices; modules have ranks of their own. */
    moduleRank(module) {
      if (!functionRanks) {
        const order = [...modules.name.keys()].sort((a, b) => modules.name[a] < modules.name[b] ? -1 : 1);
        functionRanks = new Int32Array(modules.count);
        order.forEach((index, rank) => { functionRanks[index] = rank; });
      }
      return functionRanks[module];
    },
    /** Which names, files and modules contain the text that is looked for; null: no text. */
    found(find) {
      if (!lower) {
        const lowered = texts => texts.map(text => text.toLowerCase());
        lower = {
          names: lowered(profile.names), files: lowered(profile.files), modules: lowered(modules.name),
          threads: lowered(threads.name.map((name, t) => name + ' ' + threads.start_routine[t] + ' ' + threads.tid[t])),
        };
      }
      const names = matches(lower.names, find);
      return names && {
        names, files: matches(lower.files, find), modules: matches(lower.modules, find),
        threads: matches(lower.threads, find),
      };
    },
    frameKey: frame => functionKey(frameModule(profile, frame), frameName(profile, frame)),
    functionKeyOf: f => functionKey(modules.name[functions.module[f]], profile.names[functions.name[f]]),
    /** The index of the function of this key; of several the one with most samples; -1: none. */
    functionOf(key) {
      if (!byKey) {
        byKey = new Map();
        for (const f of model.functionsByWeight()) if (!byKey.has(model.functionKeyOf(f))) byKey.set(model.functionKeyOf(f), f);
      }
      return byKey.has(key) ? byKey.get(key) : -1;
    },
    /** The key of the function of this name; of several the one with most samples; "": none. */
    keyOfName(name) {
      const f = model.functionsByWeight().find(index => profile.names[functions.name[index]] === name);
      return f === undefined ? '' : model.functionKeyOf(f);
    },
    /** All functions, those with most samples first. */
    functionsByWeight() {
      if (byWeight) return byWeight;
      const weight = profile.events.length ? sumBy(rows, rows.function, functions.count, null).weight[0] : new Float64Array(functions.count);
      byWeight = sorted(Int32Array.from({length: functions.count}, (_, f) => f), f => weight[f], false);
      return byWeight;
    },
    /** The annotated function of this key; undefined if it is not embedded. */
    source(key) {
      if (!annotated) annotated = new Map(profile.sources.map(s => [functionKey(s.module, s.function), s]));
      return annotated.get(key);
    },
    /** The hottest line of a function, an index of lines; -1 if none is known. */
    hottestLine(f) {
      if (!hottest) hottest = hottestOf(rows, rows.function, functions.count, rows.line, lines.count, 0);
      return hottest[f];
    },
    /** The index of a frame's module among the profile's modules; behind the last one for others; -1: none. */
    moduleOfFrame(frame) {
      const name = frameModule(profile, frame);
      if (name === '') return -1;
      if (!moduleIndex) moduleIndex = new Map(modules.name.map((known, i) => [known, i]));
      if (!moduleIndex.has(name)) moduleIndex.set(name, moduleIndex.size);
      return moduleIndex.get(name);
    },
    /** The place of a module by its samples, the hottest first: the first ones have colours of their own. */
    heatOfModule(module) {
      if (!moduleHeat) {
        const weight = profile.events.length ? sumBy(rows, rows.module, modules.count, null).weight[0] : new Float64Array(modules.count);
        moduleHeat = new Int32Array(modules.count);
        sorted(Int32Array.from(weight, (_, m) => m), m => weight[m], false).forEach((m, place) => { moduleHeat[m] = place; });
      }
      return module < modules.count ? moduleHeat[module] : module;
    },
    hasStacks: nodes.count > 1,
  };
  return model;
}
