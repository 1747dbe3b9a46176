// Source lines and instructions of one function, with the samples of each.

import { functionKey } from './data.js';
import { el, fill } from './dom.js';
import { percent, visible } from './numbers.js';
import { scaleOf, shareOf } from './share_bar.js';
import { cellOf } from './statistics.js';

const counts = (cells, event) => ({samples: cells[2 * event] || 0, weight: cells[2 * event + 1] || 0});

/** One of ten steps of heat for a share of the hottest row. */
function heatClass(share, most) {
  return share > 0 && most > 0 ? 'heat heat-' + Math.min(9, Math.floor(10 * share / most)) : '';
}

export function makeSourceView(model, store) {
  const {profile} = model;
  const element = el('section', {'aria-label': 'source'});
  // The place that the view opened at last.
  let opened = '';

  function heatTable(caption, heads, rows, event, whole) {
    const cells = rows.map(row => row.cells.length ? cellOf(event, row.cells[0].samples, row.cells[0].weight, whole) : null);
    const most = Math.max(0, ...cells.map(cell => cell ? cell.share : 0));
    const scale = scaleOf(cells);
    return el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption}, el('table', {class: 'code'},
      el('thead', {}, el('tr', {}, ['share of the function', ...heads].map(head => el('th', {scope: 'col'}, head)))),
      el('tbody', {}, rows.map((row, i) => el('tr', {class: cells[i] ? heatClass(cells[i].share, most) : null, id: row.id, 'data-share': cells[i] && cells[i].samples > 0 ? cells[i].share : null},
        el('td', {}, cells[i] && cells[i].samples > 0 ? shareOf(event, cells[i], scale) : ''),
        row.texts.map((text, t) => el('td', {class: row.classes[t]}, text)))))));
  }

  function sourceTable(source, e, event, whole) {
    let before = 0;
    const rows = source.lines.map(([number, text, cells]) => {
      const gap = before > 0 && number > before + 1;
      before = number;
      return {
        cells: cells.length ? [counts(cells, e)] : [], texts: [String(number), text === null ? '(not in the file)' : visible(text.replace(/\t/g, '    '))],
        classes: [gap ? 'line-number gap' : 'line-number', 'line-text'],
      };
    });
    return [
      el('h3', {}, el('bdi', {}, visible(source.found || source.recorded))),
      source.problem ? el('p', {class: 'note'}, visible(source.problem)) : null,
      source.warnings.map(warning => el('p', {class: 'note'}, visible(warning))),
      rows.length ? heatTable('source lines of ' + visible(source.recorded), ['line', 'source'], rows, event, whole) : null,
    ];
  }

  function codeTable(code, e, event, whole) {
    const rows = code.lines.map(([address, text, label, target, file, line, inlined, cells]) => ({
      id: label ? 'label-' + label : null,
      cells: cells.length ? [counts(cells, e)] : [],
      texts: [
        address, (label ? 'L' + label : ''), [visible(text), target ? el('span', {class: 'target'}, ' \u2192 L' + target) : null],
        line ? visible(code.files[file].split('/').pop()) + ':' + line : '', visible(inlined),
      ],
      classes: ['address', 'label', 'line-text', 'where', 'where'],
    }));
    const outside = counts(code.outside, e);
    return [
      el('h3', {}, 'Instructions'),
      code.problem ? el('p', {class: 'note'}, visible(code.problem)) : null,
      outside.samples > 0 ? el('p', {class: 'note'}, 'In instructions that are not listed: ' +
        percent(cellOf(event, outside.samples, outside.weight, whole).share) + ' of the function.') : null,
      rows.length ? heatTable('instructions', ['address', 'label', 'instruction', 'line', 'inlined function'], rows, event, whole) : null,
    ];
  }

  /** Brings the hottest source line into the window; where no line is known the hottest instruction. */
  function openAtHottest() {
    const heat = row => Number(row.dataset.share);
    for (const part of ['.lines-of-source', '.instructions']) {
      const rows = [...element.querySelectorAll(part + ' tr[data-share]')];
      if (rows.length === 0) continue;
      const hottest = rows.reduce((best, row) => heat(row) > heat(best) ? row : best);
      hottest.classList.add('hottest-row');
      hottest.scrollIntoView({block: 'center'});
      return;
    }
  }

  return {
    element,
    /** `isNew`: another view was shown before. */
    update(state, isNew = false) {
      const {sources, events} = profile;
      if (sources.length === 0 || events.length === 0) {
        fill(element, el('div', {class: 'explain'}, el('p', {}, document.documentElement.dataset.live ?
          'A live page gets the source when the program has ended. csink annotate FUNCTION PID shows it now.' : 'No function has 1 % of the samples, so none is embedded with its ' +
          'source. csink annotate FUNCTION shows the source of any function.')));
        return;
      }
      const source = model.source(state.fn) || sources[0];
      const event = events[state.event];
      const whole = counts(source.counts, state.event);
      const select = el('select', {id: 'function', change: () => store.set({fn: select.value})}, sources.map(other => {
        const share = event.weight > 0 ? counts(other.counts, state.event).weight / event.weight : 0;
        return el('option', {value: functionKey(other.module, other.function)},
          percent(share) + '  ' + visible(other.function).slice(0, 200));
      }));
      select.value = functionKey(source.module, source.function);
      const key = select.value;
      const unknown = state.fn !== '' && !model.source(state.fn);
      const noLine = counts(source.no_line, state.event);
      fill(element,
        el('p', {}, el('label', {for: 'function'}, 'function '), select, ' ',
          model.hasStacks ? el('a', {href: store.hashOf({view: 'flame', fn: key, callers: true, zoom: 0})}, 'its callers') : null),
        unknown ? el('p', {class: 'note'}, visible(state.fn) + ' has less than 1 % of the samples: its source is not in this file.') : null,
        el('h2', {}, el('bdi', {}, visible(source.function))),
        el('p', {class: 'note'}, 'All samples of the profile: the filters above do not apply to source and instructions.'),
        source.no_line_reason ? el('p', {class: 'note'}, visible(source.no_line_reason)) : null,
        noLine.samples > 0 ? el('p', {class: 'note'}, 'Without a source line: ' +
          percent(cellOf(event, noLine.samples, noLine.weight, whole).share) + ' of the function.') : null,
        el('div', {class: 'lines-of-source'}, source.sources.map(file => sourceTable(file, state.event, event, whole))),
        el('div', {class: 'instructions'}, codeTable(source.code, state.event, event, whole)));
      const place = key + '\u0001' + state.event;
      if (isNew || place !== opened) openAtHottest();
      opened = place;
    },
  };
}
