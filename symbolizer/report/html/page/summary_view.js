// The summary: findings, verdict, losses, events, processes, settings, phases.

import { el, fill, table } from './dom.js';
import { amount, duration, grouped, percent, visible } from './numbers.js';
import { scaleOf, shareOf } from './share_bar.js';

// Rows of the list of hottest functions.
const HOTTEST = 12;
const MOST_PROCESSES = 300;

export function makeSummaryView(model, store) {
  const {profile} = model;
  const {report, events} = profile;
  const {verdict} = report;
  const element = el('section', {'aria-label': 'summary'});

  function findings() {
    return report.findings.length ? el('ol', {class: 'findings', 'aria-label': 'findings'},
      report.findings.map(finding => el('li', {}, el('bdi', {}, visible(finding.text))))) : null;
  }

  function verdictBox() {
    return el('div', {class: 'verdict grade-' + verdict.grade},
      el('p', {class: 'grade'}, el('strong', {}, verdict.grade), ' ', visible(profile.verdictLines[0] || '').replace(verdict.grade, '').replace(/^[\s:,;.-]+/, '')),
      profile.verdictLines.slice(1).map(line => el('p', {}, visible(line))));
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
    return el('dl', {class: 'facts'}, pairs.filter(([, text]) => text).map(([term, text]) =>
      el('div', {}, el('dt', {}, term), el('dd', {}, el('bdi', {}, visible(String(text)))))));
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
    const cells = [...order.slice(0, HOTTEST)].map(f => model.cell('functions', state, f, state.event));
    const scale = scaleOf(cells);
    const rows = [...order.slice(0, HOTTEST)].map((f, i) => {
      const key = model.functionKeyOf(f);
      const name = visible(profile.names[profile.functions.name[f]]);
      const link = model.source(key) ? {view: 'source', fn: key} : model.hasStacks ? {view: 'flame', fn: key, callers: true, zoom: 0} : null;
      return [link ? el('a', {class: 'name', href: store.hashOf(link), title: name}, name) : el('span', {class: 'name', title: name}, name),
        visible(profile.modules.name[profile.functions.module[f]]), shareOf(events[state.event], cells[i], scale)];
    });
    return rows.length ? table('Hottest functions by ' + events[state.event].name, ['function', 'module', '#share and 95 % interval'], rows) :
      el('p', {class: 'note'}, 'The profile contains no samples.');
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
    return configuration ? el('details', {}, el('summary', {}, 'Settings of the run'),
      el('pre', {}, configuration.split('\n').map(visible).join('\n'))) : null;
  }

  function folded() {
    const {rows, functions, threads, share} = profile.folded;
    if (rows === 0) return null;
    return el('p', {class: 'warning'}, 'This page was made smaller: the coldest ' + grouped(rows) + ' combinations of function, line, stack and thread (' +
      percent(share[0] || 0) + ' of ' + events[0].name + ') have no line and no stack' +
      (functions > 0 ? ', and ' + grouped(functions) + ' functions are shown as one row a module' : '') +
      (threads ? '; they are left out where threads or phases are chosen' : '') + '. All sums are complete.');
  }

  return {
    element,
    update(state) {
      fill(element, findings(), verdictBox(), folded(), facts(), hottest(state),
        losses(), changes(), eventTable(), ratioTable(), phaseTable(), processTree(), waiting(), devices(), modules(), settings());
    },
  };
}
