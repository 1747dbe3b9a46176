// The summary. The first screen: findings, where the time went, the hottest functions, and the verdict in a line.

import { el, fill, isNarrow, table } from './dom.js';
import { findingChange } from './finding_links.js';
import { shortenFunction } from './names.js';
import { amount, duration, grouped, percent, sharePercent, visible } from './numbers.js';
import { wallParts } from './run_time.js';
import { scaleOf, shareOf } from './share_bar.js';

// Rows of the list of hottest functions.
const HOTTEST = 5;
const MOST_PROCESSES = 300;

/** `views`: the ids of the views that the page has. */
export function makeSummaryView(model, store, views) {
  const {profile} = model;
  const {report, events} = profile;
  const {verdict} = report;
  const element = el('section', {'aria-label': 'summary'});

  function findings() {
    const keyOf = name => model.keyOfName(name);
    return report.findings.length ? el('ol', {class: 'findings', 'aria-label': 'findings'},
      report.findings.map(finding => el('li', {}, el('a', {href: store.hashOf(findingChange(finding, views, keyOf))},
        el('bdi', {}, visible(finding.text)))))) : null;
  }

  /** One bar of the wall time of all threads. */
  function wallTime() {
    const wall = wallParts(report);
    if (!wall) return null;
    const text = part => part.name + ' ' + duration(part.seconds) + ', ' + sharePercent(part.share);
    const blocked = views.includes('waiting') ? 'waiting' : 'time';
    const title = 'Where ' + duration(wall.seconds) + ' of ' + (wall.threads === 1 ? 'one thread' : grouped(wall.threads) + ' threads') + ' went';
    return el('section', {class: 'wall', 'aria-label': 'wall time'},
      el('h2', {}, title),
      el('div', {class: 'wall-bar', role: 'img', 'aria-label': wall.parts.map(text).join('; ')}, wall.parts.map(part => {
        const span = el('span', {class: 'part-' + part.kind, title: text(part)});
        span.style.width = 100 * part.share + '%';
        return span;
      })),
      el('ul', {class: 'wall-key'}, wall.parts.map(part => el('li', {}, el('span', {class: 'wall-swatch part-' + part.kind, 'aria-hidden': true}), ' ',
        el('a', {href: store.hashOf({view: part.kind === 'running' ? 'functions' : part.kind === 'waiting' ? 'time' : blocked, fn: ''})}, part.name),
        ' ' + duration(part.seconds) + ', ' + sharePercent(part.share)))));
  }

  /** One line, which opens. */
  function verdictBox() {
    const [first, ...others] = profile.verdictLines.map(visible);
    const words = (first || '').replace(verdict.grade, '').replace(/^[\s:,;.-]+/, '');
    const end = words.indexOf(';');
    return el('details', {class: 'verdict grade-' + verdict.grade},
      el('summary', {class: 'grade'}, el('strong', {}, verdict.grade), ' ', end < 0 ? words : words.slice(0, end)),
      [end < 0 ? '' : words.slice(end + 1).trim(), ...others].filter(Boolean).map(line => el('p', {}, line)), losses());
  }

  function facts() {
    const pairs = [
      ['end', report.end], ['state', report.state], ['machine', report.host],
      ['wall time', duration(report.wall_seconds)], ['user time', duration(report.user_seconds)],
      ['system time', duration(report.system_seconds) + (report.system_sampled ? '' : ' (not sampled)')],
      ['samples', grouped(verdict.samples)], ['source of samples', report.source + (report.source_reason ? ': ' + report.source_reason : '')],
      ['threads', grouped(verdict.threads_sampled) + ' sampled of ' + grouped(verdict.threads_seen)],
      ['cost of profiling', verdict.agent_share === null ? '' : percent(verdict.agent_share, 2) + ' of the CPU time'
        + (verdict.interrupt_share === null ? '' : ', interrupts about ' + percent(verdict.interrupt_share, 2))],
      ['only the phase', report.only_phase],
    ];
    return el('details', {class: 'fold'}, el('summary', {}, 'Facts of the run: ' + [report.end, duration(report.wall_seconds) + ' of wall time', report.host].filter(Boolean).map(visible).join(', ')),
      el('dl', {class: 'facts'}, pairs.filter(([, text]) => text).map(([term, text]) =>
      el('div', {}, el('dt', {}, term), el('dd', {}, el('bdi', {}, visible(String(text))))))),
      settings());
  }

  function losses() {
    const rows = report.ledger.remainders.map(row => [visible(row.text), duration(row.seconds)]);
    for (const [key, words] of [['lost_records', 'samples dropped by the kernel (full ring buffers)'], ['throttled', 'times throttled'],
      ['unplaced', 'samples without room in the spool'], ['bad_stacks', 'call stacks that were cut']]) {
      if (verdict[key] > 0) rows.push([words, grouped(verdict[key])]);
    }
    return rows.length ? table('CPU time and samples that the tables do not have', ['cause', '#amount'], rows) : null;
  }

  function eventTable() {
    return table('Events', ['event', '#samples', '#total', '#period or rate', '#counted', 'precision'], events.map(event => [
      visible(event.name), grouped(event.samples), amount(event, event.weight),
      event.period > 0 ? (event.kind === 'clock' ? duration(event.period / 1e9) : grouped(event.period)) : grouped(event.frequency_hz) + ' Hz',
      event.enabled_seconds > 0 ? percent(Math.min(1, event.running_seconds / event.enabled_seconds)) : '\u2013',
      visible(event.precision || event.skid),
    ]));
  }

  function ratioTable() {
    const number = value => value === null ? '\u2013' : value.toPrecision(3);
    return report.derived.length ? table('Ratios of the whole run', ['ratio', '#value', '#from', '#to'], report.derived.map(column => [
      column.key.replace(/_/g, ' '), number(column.total.value), number(column.total.low), number(column.total.high)])) : null;
  }

  function hottest(state) {
    if (events.length === 0) return null;
    const weight = model.sums('functions', state).weight[state.event];
    const order = model.ordered('functions', {...state, up: false}, 'e' + state.event + '/' + state.event, f => weight[f]);
    const shown = [...order.slice(0, HOTTEST)].filter(f => weight[f] > 0);
    if (shown.length === 0) return el('p', {class: 'note'}, 'The profile contains no samples.');
    const event = events[state.event];
    const cells = shown.map(f => model.cell('functions', state, f, state.event));
    const totals = shown.map(f => model.totalCell(state, f, state.event));
    const hasTotals = totals.some(cell => cell !== null);
    const rows = shown.map((f, i) => {
      const key = model.functionKeyOf(f);
      const name = visible(profile.names[profile.functions.name[f]]);
      const link = model.hasStacks ? {view: 'calls', fn: key, zoom: 0} : model.source(key) ? {view: 'source', fn: key} : null;
      const text = shortenFunction(name, isNarrow() ? 24 : 70);
      const cell = totals[i];
      return [link ? el('a', {class: 'name', href: store.hashOf(link), title: name}, text) : el('span', {class: 'name', title: name}, text),
        visible(profile.modules.name[profile.functions.module[f]]), shareOf(event, cells[i], scaleOf(cells)),
        ...(hasTotals ? [cell ? shareOf(event, cell, scaleOf(totals)) : '\u2013'] : []), amount(event, cells[i].weight)];
    });
    return [table('Hottest functions by ' + event.name, ['function', 'module', hasTotals ? '#self' : '#share', ...(hasTotals ? ['#total'] : []), '#amount'], rows, 'hottest'),
      el('p', {class: 'note'}, el('a', {href: store.hashOf({view: 'functions', fn: ''})}, 'all functions'))];
  }

  function processTree() {
    const rows = report.processes.slice(0, MOST_PROCESSES).map((process, i) => [
      el('a', {class: 'name depth-' + Math.min(8, process.depth), href: store.hashOf({view: 'functions', process: [String(i)]}), title: visible(process.command)},
        process.pid + ' ' + visible(process.program)),
      visible(process.host), process.state, grouped(process.samples), duration(process.user_seconds), duration(process.system_seconds),
      process.threads_sampled + ' of ' + process.threads_seen,
    ]);
    return [
      table('Processes', ['process', 'machine', 'state', '#samples', '#user', '#system', '#threads sampled'], rows),
      report.processes.length > MOST_PROCESSES ?
        el('p', {class: 'note'}, grouped(report.processes.length - MOST_PROCESSES) + ' more processes.') : null,
    ];
  }

  function phaseTable() {
    const {phases} = profile;
    return phases.count ? table('Phases', ['phase', '#marks', '#CPU time'], phases.name.map((name, i) => [
      el('a', {class: 'name', href: store.hashOf({view: 'functions', phase: [String(i)]})}, visible(name || '(before the first mark)')),
      grouped(phases.marks[i]), duration(phases.cpu_ns[i] / 1e9)])) : null;
  }

  function waiting() {
    const rows = verdict.wall.slice(0, 50).map(wall => [wall.pid + ' ' + visible(wall.program), duration(wall.wall_seconds),
      duration(wall.on_cpu_seconds), duration(wall.off_cpu_seconds)]);
    return rows.length ? table('Main threads: running and waiting', ['process', '#wall time', '#on a CPU', '#waiting or without a CPU'], rows) : null;
  }

  function changes() {
    const {baseline} = report;
    if (!baseline) return null;
    const share = value => value === null ? '\u2013' : percent(value);
    return table('Changes since ' + visible(baseline.file) + ' (' + baseline.event + ')',
      ['function', '#was', '#is', '#change', '#from', '#to'],
      baseline.functions.slice(0, 50).map(row => [el('span', {class: 'name'}, visible(row.function)), share(row.was), share(row.share),
        percent(row.change), percent(row.low), percent(row.high)]));
  }

  function devices() {
    const {device_counters: counters, energy} = report;
    return [
      counters.length ? table('Counters of devices', ['counter', '#value', '#seconds', 'machine'], counters.map(counter => [
        visible(counter.name), counter.value.toPrecision(4) + ' ' + counter.units, counter.seconds.toFixed(2), visible(counter.host)])) : null,
      energy ? el('p', {}, 'Energy: ' + energy.joules.toPrecision(4) + ' J of the machine, about ' +
        energy.program_joules_estimate.toPrecision(4) + ' J by this program.') : null,
    ];
  }

  function modules() {
    const list = verdict.modules_without_symbols.filter(module => module.unnamed_share > 0 || module.problem);
    return list.length ? table('Functions without names', ['module', '#share', 'package', 'problem'], list.map(module =>
      [visible(module.module), percent(module.unnamed_share), visible(module.package), visible(module.problem)])) : null;
  }

  function settings() {
    const configuration = report.processes.length ? report.processes[0].configuration : '';
    return configuration ? [el('p', {class: 'note'}, 'Settings:'), el('pre', {tabindex: 0}, configuration.split('\n').map(visible).join('\n'))] : null;
  }

  function folded() {
    const {rows, functions, threads, share} = profile.folded;
    if (rows === 0) return null;
    return el('p', {class: 'warning'}, 'This page was made smaller: the coldest ' + grouped(rows) + ' combinations of function, line, stack and thread (' +
      percent(share[0] || 0) + ' of ' + events[0].name + ') have no line and no stack' +
      (functions > 0 ? ', and ' + grouped(functions) + ' functions are shown as one row a module' : '') +
      (threads ? '; they are left out where threads or phases are chosen' : '') + '. All sums are complete.');
  }

  // Made once, so that they stay open.
  const wall = wallTime();
  const verdictLine = verdictBox();
  const factsFold = facts();
  return {
    element,
    update(state) {
      fill(element, findings(), wall, hottest(state), verdictLine, folded(), factsFold,
        changes(), eventTable(), ratioTable(), phaseTable(), processTree(), waiting(), devices(), modules());
    },
  };
}
