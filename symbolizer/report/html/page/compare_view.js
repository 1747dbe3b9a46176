// The comparison of two sides: what was compared, what was not and why, and the table of functions.

import { cpuWords, faintText, pText, partOfRun, pValue, renamedWords, rowChange, rowInterval, rowName, rowWords, sideOf, sortKey, tintOf } from './changes.js';
import { el, fill, table } from './dom.js';
import { makeGrid } from './grid.js';
import { duration, grouped, sharePercent, short, visible } from './numbers.js';
import { matches, sorted } from './rows.js';

const LABELS = {
  A: 'A, earlier', B: 'B, later', 'B/A': 'CPU time, B / A', event: 'event', match: 'programs', order: 'order of the runs', test: 'tests', finds: 'what can be found',
  result: 'result',
};
const MARKS = {t: 'the time changed beyond the error'};

/** A bar from 0 in the middle to a change, with the whisker of its interval. */
function makeChange() {
  const bar = el('span', {class: 'fill'});
  const whisker = el('span', {class: 'whisker'});
  return el('span', {class: 'share'}, el('span', {class: 'share-text'}),
    el('span', {class: 'track', 'aria-hidden': true}, bar, whisker, el('span', {class: 'zero'})));
}

/** `part`, `low`, `high`: of a run. `scale`: the part at the ends of the track. */
function setChange(content, {text: change, part, low, high, tint, words}, scale) {
  const [text, track] = content.children;
  const [bar, whisker] = track.children;
  const at = value => 50 + 50 * Math.max(-1, Math.min(1, value / scale));
  text.textContent = change;
  bar.className = 'fill ' + (tint.direction > 0 ? 'more' : tint.direction < 0 ? 'less' : 'same') + (tint.beyond ? '' : ' faint');
  bar.style.left = Math.min(50, at(part)) + '%';
  bar.style.width = Math.abs(at(part) - 50) + '%';
  whisker.style.left = at(low) + '%';
  whisker.style.width = at(high) - at(low) + '%';
  content.title = words;
  content.setAttribute('role', 'img');
  content.setAttribute('aria-label', change + '; ' + words);
}

/** `profileOf(letter)`: the profile of a side, or null. */
export function makeCompareView(comparison, profileOf, store) {
  const {rows, names} = comparison;
  const amount = value => comparison.amount_unit === 'seconds' ? duration(value) : short(value);
  const note = el('p', {class: 'note', role: 'status'});
  const modes = el('div', {class: 'modes'});
  const legend = el('div', {class: 'modes'});
  const grid = makeGrid('compared functions', key => {
    const state = store.get();
    const upward = ['name', 'module', 'p'].includes(key);
    store.set({sort: key, up: state.sort === key ? !state.up : upward});
  });
  const element = el('section', {'aria-label': 'comparison'}, cpu(), lines(), sides(), modes, legend, note, grid.element);
  let texts = null;
  let current = [];
  let scale = 1;
  let columnsKey = null;

  /** The answer before the details: how much CPU time both sides took. */
  function cpu() {
    const words = cpuWords(comparison);
    if (!words) return null;
    const fact = (term, text) => el('div', {}, el('dt', {}, term), el('dd', {}, text));
    return el('dl', {class: 'cpu'}, fact('CPU time of a run, A', words.a), fact('B', words.b), fact('B / A', words.ratio),
      fact('error of B / A', words.error));
  }

  function lines() {
    return el('dl', {class: 'lines'}, comparison.lines.map(([label, text]) =>
      el('div', {class: label === 'result' ? 'result' : null}, el('dt', {}, LABELS[label] || label), el('dd', {}, visible(text)))));
  }

  /** The header facts of both sides beside each other. */
  function sides() {
    const both = [sideOf(comparison, 'a'), sideOf(comparison, 'b')];
    const reports = ['a', 'b'].map(letter => profileOf(letter)).map(profile => profile && profile.report);
    const fact = (name, textOf) => [name, ...both.map((side, i) => {
      const text = textOf(side, reports[i]);
      return el('bdi', {}, text === null || text === '' ? '\u2013' : visible(String(text)));
    })];
    const ofReport = textOf => (_, report) => report ? textOf(report) : null;
    return el('details', {class: 'sides-facts'}, el('summary', {}, 'Both sides'), table('Facts of both sides', ['', 'A', 'B'], [
      fact('command', side => side.command), fact('runs', side => grouped(side.runs)),
      fact('effective samples', side => grouped(side.effective_samples)),
      fact('CPU time of a run', side => duration(side.cpu_seconds)), fact('amount of a run', side => amount(side.amount)),
      fact('verdict', side => side.verdict),
      fact('machine', ofReport(report => report.host)), fact('end', ofReport(report => report.end)),
      fact('wall time', ofReport(report => duration(report.wall_seconds))),
      fact('processes', ofReport(report => grouped(report.processes.length))),
      fact('source of samples', ofReport(report => report.source)),
      fact('views of this side', side => side.profile >= 0 ? 'yes' : 'no: a JSON report has no samples'),
    ]));
  }

  /** Dim where the change may be chance. */
  function shaded(column) {
    return {...column, set(content, row) {
      column.set(content, row);
      content.classList.toggle('chance', !tintOf(comparison, row, store.get().sampling).beyond);
    }};
  }
  function textColumn(title, sort, width, textOf, linkOf, titleOf = textOf) {
    return shaded({
      title, sort, width, className: 'text', make: () => el('a', {class: 'name'}),
      set(content, row) {
        content.textContent = textOf(row);
        content.title = titleOf(row);
        const link = linkOf ? linkOf(row) : null;
        if (link) content.setAttribute('href', link);
        else content.removeAttribute('href');
      },
    });
  }
  function numberColumn(title, sort, width, textOf, titleOf) {
    return shaded({
      title, sort, width, className: 'number', make: () => el('span', {}),
      set(content, row) {
        content.textContent = textOf(row);
        content.title = titleOf ? titleOf(row) : '';
      },
    });
  }

  /** The table of functions of the later side, or of the earlier one where the function is gone. */
  function linkOf(row) {
    const letter = rows.share[row] !== null ? 'b' : 'a';
    const profile = profileOf(letter);
    if (!profile) return null;
    const event = Math.max(0, profile.events.findIndex(({name}) => name === comparison.event));
    return store.hashOf({view: 'functions', side: letter, event, find: names[rows.function[row]], sort: '', up: false});
  }

  /** The interval of the change as parts of a run; no whisker where it has no bound. */
  function bounds(row) {
    const part = partOfRun(comparison, row);
    const {amount: now, was_amount: was} = rows;
    if (rows.ratio_high[row] === null || now[row] === was[row]) return {low: part, high: part};
    const of = ratio => (ratio - 1) * was[row] * part / (now[row] - was[row]);
    return {low: of(rows.ratio_low[row]), high: of(rows.ratio_high[row])};
  }

  function columns() {
    return [
      {title: 'mark', sort: 'mark', width: '3rem', className: 'mark', make: () => el('span', {}),
        set(content, row) {
          content.textContent = rows.mark[row];
          content.title = MARKS[rows.mark[row]] || '';
        }},
      textColumn('function', 'name', 'minmax(13rem,4fr)', row => rowName(comparison, row) + (rows.moved[row] ? ' (' + rows.moved[row] + ')' : ''), linkOf,
        row => rowName(comparison, row) + (comparison.renamed.has(row) ? '; ' + renamedWords(comparison, row) : '')),
      textColumn('module', 'module', 'minmax(6rem,1fr)', row => visible(names[rows.module[row]])),
      numberColumn('share in A', 'was', '5rem', row => rows.was[row] === null ? 'new' : sharePercent(rows.was[row])),
      numberColumn('share in B', 'share', '5rem', row => rows.share[row] === null ? 'gone' : sharePercent(rows.share[row])),
      shaded({title: comparison.amount_unit === 'seconds' ? 'change of CPU time' : 'change of events', sort: 'change', width: 'minmax(10rem,1.5fr)',
        className: 'number', make: makeChange,
        set: (content, row) => setChange(content, {
          text: rowChange(comparison, row), part: partOfRun(comparison, row), ...bounds(row), words: rowWords(comparison, row, store.get().sampling),
          tint: tintOf(comparison, row, store.get().sampling),
        }, scale)}),
      numberColumn(comparison.tested ? '95 % interval' : 'of sampling', 'change', '9rem', row => rowInterval(comparison, row)),
      numberColumn(comparison.tested ? 'p' : 'p of sampling', 'p', '5.5rem', row => pText(pValue(comparison, row)),
        row => pValue(comparison, row) === null ? 'too few samples for a test' :
          comparison.tested ? 'corrected for all tests' : 'of the error of sampling alone: no test of a change'),
      numberColumn(comparison.amount_unit === 'seconds' ? 'CPU time in A' : 'events in A', 'amountwas', '6rem', row => amount(rows.was_amount[row])),
      numberColumn('in B', 'amount', '6rem', row => amount(rows.amount[row])),
    ];
  }

  const made = columns();
  return {
    element,
    update(state) {
      fill(modes, samplingModes(comparison, state, store));
      fill(legend, comparison.count > 0 ? changeLegend(comparison, state.sampling) : null);
      const sort = made.some(column => column.sort === state.sort) ? state.sort : '';
      const key = sort + '/' + state.up;
      if (key !== columnsKey) {
        columnsKey = key;
        grid.setColumns(made, sort, state.up);
      }
      if (!texts) texts = rows.function.map((name, row) => (names[name] + ' ' + names[rows.module[row]] + (comparison.renamed.has(row) ? ' ' + rowName(comparison, row) : '')).toLowerCase());
      const found = matches(texts, state.find);
      const all = [...rows.function.keys()];
      const chosen = found ? all.filter(row => found[row]) : all;
      current = sorted(chosen, sortKey(comparison, sort), sort !== '' && state.up);
      scale = Math.max(1e-9, ...chosen.slice(0, 1).map(row => Math.max(Math.abs(partOfRun(comparison, row)), ...Object.values(bounds(row)).map(Math.abs))));
      grid.setItems(current);
      const marked = chosen.filter(row => rows.mark[row] !== '').length;
      fill(note, grouped(chosen.length) + (found ? ' of ' + grouped(comparison.count) : '') + ' functions, ' + grouped(marked) + ' marked. ' +
        (sort === '' ? 'The largest change first. ' : '') + (chosen.length ? 'Bars end at ' + (100 * scale).toFixed(1) + ' % of a run. ' : '') +
        (comparison.left_out > 0 ? grouped(comparison.left_out) + ' functions with smaller changes are not in this file.' : ''));
    },
  };
}

/** What the colours of changes mean. */
export function changeLegend(comparison, sampling) {
  const swatch = (name, text) => el('span', {class: 'swatch ' + name}, text);
  return el('span', {class: 'key'}, swatch('more', '+'), ' more time in B ', swatch('less', '\u2212'), ' less time in B ',
    swatch('more faint', '(+)'), ' ', swatch('less faint', '(\u2212)'), ' faint: ' + faintText(comparison, sampling) + ' ',
    swatch('same', ''), ' no change, or not compared');
}

/** Where changes were not tested: the choice to colour what is beyond the error of sampling alone. */
export function samplingModes(comparison, state, store) {
  if (comparison.tested || comparison.count === 0) return null;
  return [
    el('a', {class: state.sampling ? 'mode' : 'mode on', href: store.hashOf({sampling: false})}, 'not tested: all faint'),
    el('a', {class: state.sampling ? 'mode on' : 'mode', href: store.hashOf({sampling: true})},
      'full colours beyond the error of sampling alone (runs may differ by more)'),
  ];
}
