// The block of data as the views use it: columns become typed arrays. docs/page.schema.json is the schema.

import { addCallFunctions } from './call_functions.js';
import { readComparison } from './changes.js';

function column(list) {
  return Int32Array.from(list);
}

/** A profile of the block. The result is never changed. */
export function readProfile(raw) {
  const report = raw.report;
  const rows = {
    count: raw.samples.function.length,
    function: column(raw.samples.function),
    line: column(raw.samples.line),
    node: column(raw.samples.node),
    thread: column(raw.samples.thread),
    phase: column(raw.samples.phase),
    samples: [],
    weight: [],
  };
  for (const event of raw.samples.events) {
    const samples = Float64Array.from(event.samples);
    rows.samples.push(samples);
    // With a fixed period the weights follow from the samples.
    rows.weight.push(event.weight ? Float64Array.from(event.weight) : samples.map(n => n * event.unit));
  }
  const processOf = column(raw.threads.process);
  rows.process = rows.thread.map(thread => thread < 0 ? -1 : processOf[thread]);
  const nodes = {
    count: raw.nodes.parent.length,
    parent: column(raw.nodes.parent),
    frame: column(raw.nodes.frame),
  };
  const modules = {name: [...raw.modules.name], path: [...raw.modules.path], build_id: [...raw.modules.build_id]};
  const table = {name: [...raw.functions.name], module: [...raw.functions.module],
    aliases: [...raw.functions.aliases], source: [...raw.functions.source]};
  const functionOfFrame = addCallFunctions(raw.frames, nodes, rows, table, modules);
  const functions = {
    count: table.name.length,
    name: column(table.name),
    module: column(table.module),
    aliases: column(table.aliases),
    source: column(table.source),
  };
  rows.module = rows.function.map(f => functions.module[f]);
  const lines = {
    count: raw.lines.file.length,
    file: column(raw.lines.file),
    line: column(raw.lines.line),
    name: column(raw.lines.name),
    module: column(raw.lines.module),
  };
  const threads = {...raw.threads, process: processOf, count: processOf.length};
  return {
    report,
    events: report.events.map((event, i) => ({...event, missing: raw.missing[i]})),
    verdictLines: raw.verdict_lines,
    names: raw.names,
    files: raw.files,
    modules: {...modules, count: modules.name.length},
    functions,
    // By function: its ratios and shares of slots, one for each of report.derived.
    slots: new Map(raw.slots.map(row => [row.function, row.shares])),
    lines,
    threads,
    times: raw.times,
    phases: {...raw.phases, count: raw.phases.name.length},
    timeline: raw.timeline || null,
    frames: raw.frames,
    functionOfFrame,
    nodes,
    rows,
    folded: raw.folded,
    sources: raw.sources,
  };
}

/** The profiles and the comparison of a page's block; null: it has no comparison. Throws an Error that says what is wrong. */
export function readBlock(text) {
  const page = JSON.parse(text);
  if (page.format !== 'csink-page') throw new Error('this file has no data of csink');
  if (page.version !== 1) throw new Error('the data is of a later version of csink: ' + page.version);
  return {profiles: page.profiles.map(readProfile), comparison: readComparison(page.comparison)};
}

/** The profiles of a page's block. */
export function readPage(text) {
  return readBlock(text).profiles;
}

/** The text that names a function in an address: "module:function". */
export function functionKey(module, name) {
  return module + ':' + name;
}

/** The frame that stands for library code; behind the frames of the profile and the one of folded stacks. */
export function libraryFrame(profile) {
  return profile.frames.name.length + 1;
}

/** The frame that stands for the module of this index; behind libraryFrame. */
export function moduleFrame(profile, module) {
  return libraryFrame(profile) + 1 + module;
}

/** Name of a frame of the call tree. `frame` is -1 for the root. */
export function frameName(profile, frame) {
  if (frame < 0) return 'all';
  const known = profile.frames.name.length;
  if (frame < known) return profile.names[profile.frames.name[frame]];
  if (frame === known) return profile.names[profile.frames.folded];
  return frame === libraryFrame(profile) ? '[library code]' : '[' + profile.modules.name[frame - moduleFrame(profile, 0)] + ']';
}

/** Module of a frame; empty where there is none. */
export function frameModule(profile, frame) {
  if (frame >= moduleFrame(profile, 0)) return profile.modules.name[frame - moduleFrame(profile, 0)];
  return frame >= 0 && frame < profile.frames.module.length ? profile.frames.module[frame] : '';
}
