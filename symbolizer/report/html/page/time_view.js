// Threads over time, processes over time, the CPU time of phases, and the CPU time of threads.

import { el, fill } from './dom.js';
import { duration, grouped, percent, visible } from './numbers.js';
import { makeTimeLineView } from './time_line_view.js';

// More rows than this would not be looked at; the tables have all of them.
const MOST = 400;

export function makeTimeView(model, store) {
  const {profile} = model;
  const {report, times, threads, phases} = profile;
  const element = el('section', {'aria-label': 'time'});
  const end = Math.max(1e-9, ...times.end);
  const timeLine = makeTimeLineView(model, store);

  /** A bar from `begin` to `to`, parts of the width, of which `busy` (0 to 1) is filled. */
  function bar(begin, to, busy, title) {
    const inner = el('span', {class: 'busy'});
    const outer = el('span', {class: 'span', title}, inner);
    outer.style.left = 100 * begin + '%';
    outer.style.width = Math.max(0.15, 100 * (to - begin)) + '%';
    inner.style.width = 100 * Math.min(1, Math.max(0, busy)) + '%';
    return el('span', {class: 'time-track', role: 'img', 'aria-label': title}, outer);
  }

  function row(label, title, link, content) {
    return el('div', {class: 'time-row'}, el('a', {class: 'name', href: link, title}, label), content);
  }

  function phaseRows(state) {
    const whole = phases.cpu_ns.reduce((sum, ns) => sum + ns, 0);
    if (phases.count === 0 || whole === 0) {
      return el('p', {class: 'note'}, 'The program set no marks. csink_mark("NAME"), or csink ctl PID mark NAME, divides a run into phases.');
    }
    let at = 0;
    return phases.name.map((name, i) => {
      const begin = at;
      at += phases.cpu_ns[i] / whole;
      const chosen = state.phase.includes(String(i));
      const title = (name || 'before the first mark') + ': ' + duration(phases.cpu_ns[i] / 1e9) + ' of CPU time, ' +
        percent(phases.cpu_ns[i] / whole) + (phases.marks[i] > 1 ? ', marked ' + grouped(phases.marks[i]) + ' times' : '');
      return row((chosen ? '\u2713 ' : '') + visible(name || '(before the first mark)'), visible(title),
        store.hashOf({phase: chosen ? state.phase.filter(p => p !== String(i)) : [...state.phase, String(i)]}),
        bar(begin, at, 1, visible(title)));
    });
  }

  function processRows(state) {
    return report.processes.slice(0, MOST).map((process, i) => {
      const wall = times.end[i] - times.begin[i];
      const cpu = process.user_seconds + process.system_seconds - process.start_user_seconds - process.start_system_seconds;
      const cores = wall > 0 ? cpu / wall : 0;
      const title = process.pid + ' ' + process.program + ': ' + duration(wall) + ' of wall time, ' + duration(cpu) +
        ' of CPU time (' + cores.toFixed(2) + ' cores)';
      const chosen = state.process.includes(String(i));
      return row((chosen ? '\u2713 ' : '') + visible(process.pid + ' ' + process.program), visible(title),
        store.hashOf({process: chosen ? state.process.filter(p => p !== String(i)) : [...state.process, String(i)]}),
        bar(times.begin[i] / end, times.end[i] / end, cores, visible(title)));
    });
  }

  function threadRows(state) {
    const order = [...threads.cpu_ns.keys()].sort((a, b) => threads.cpu_ns[b] - threads.cpu_ns[a]).slice(0, MOST);
    return order.map(t => {
      const p = threads.process[t];
      const wall = Math.max(1e-9, times.end[p] - times.begin[p]);
      const busy = threads.cpu_ns[t] / 1e9 / wall;
      const title = threads.tid[t] + ' ' + threads.name[t] + ': running ' + duration(threads.cpu_ns[t] / 1e9) + ' of ' +
        duration(wall) + ' (' + percent(Math.min(1, busy)) + ')';
      const chosen = state.thread.includes(String(t));
      return row((chosen ? '\u2713 ' : '') + visible(threads.tid[t] + ' ' + threads.name[t]), visible(title),
        store.hashOf({thread: chosen ? state.thread.filter(x => x !== String(t)) : [...state.thread, String(t)]}),
        bar(times.begin[p] / end, times.end[p] / end, busy, visible(title)));
    });
  }

  function rest(count) {
    return count > MOST ? el('p', {class: 'note'}, grouped(count - MOST) + ' more are not drawn.') : null;
  }

  return {
    element,
    update(state) {
      fill(element,
        el('h2', {}, 'Threads over time'), timeLine.element,
        el('h2', {}, 'Phases, by CPU time'), phaseRows(state),
        el('h2', {}, 'Processes, ' + duration(end) + ' of wall time'), processRows(state), rest(report.processes.length),
        el('h2', {}, 'Threads: CPU time as a part of the life of their process'), threadRows(state), rest(threads.count),
        el('p', {class: 'note'}, 'The filled part of a bar is CPU time divided by wall time. A row that is chosen filters all ' +
          'other views.'));
      // Its canvases have a width only now.
      timeLine.update(state);
    },
  };
}
