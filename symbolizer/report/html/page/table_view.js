// The tables of functions, lines, modules and threads. A column that can be sorted has `keyOf(index)`, or
// `keyFor(state)`, which returns such a function.

import { el, fill, isNarrow } from './dom.js';
import { isFiltered, threadText } from './filters.js';
import { makeGrid } from './grid.js';
import { shortenFunction } from './names.js';
import { amount, duration, grouped, percent, visible } from './numbers.js';
import { isUncertain } from './rows.js';
import { clearShare, makeShare, scaleOf, setShare } from './share_bar.js';
import { slotHead, slotText, slotTitle, WHOLE_PROFILE } from './slots.js';
import { stretchFor } from './stretch.js';

const NO_TOTAL = 'call paths have no times: no total of a stretch';
const UNCERTAIN = 'order not certain: the 95 % interval overlaps with that of a neighbouring row';

/** "src/a/b.cc" of a longer path, which the tooltip has. */
function tail(path) {
  return path.split('/').slice(-2).join('/');
}

// Columns of a function's name.
const WIDE_NAME = 70;
const NARROW_NAME = 24;

/** A column of texts. `textOf(index)` returns a text, `titleOf` its tooltip, `linkOf` an address or null. `most`: longer names of functions are shortened. */
function textColumn(title, sort, width, textOf, titleOf, linkOf, most = Infinity) {
  return {
    title, sort, width, className: 'text',
    make: () => el('a', {class: 'name'}),
    set(content, index) {
      content.textContent = shortenFunction(visible(textOf(index)), most);
      content.title = visible(titleOf ? titleOf(index) : textOf(index));
      const link = linkOf ? linkOf(index) : null;
      if (link) content.setAttribute('href', link);
      else content.removeAttribute('href');
    },
  };
}

function numberColumn(title, sort, width, textOf, titleOf) {
  return {
    title, sort, width, className: 'number',
    make: () => el('span', {}),
    set(content, index) {
      content.textContent = textOf(index);
      content.title = titleOf ? titleOf(index) : '';
    },
  };
}

/** The columns that differ between the tables; each has a key for sorting, `keyOf(index)`. */
function ownColumns(kind, model, store) {
  const {profile} = model;
  const {functions, lines, modules, threads, names, files, report} = profile;
  const sourceLink = key => model.source(key) ? store.hashOf({view: 'source', fn: key, find: ''}) : null;
  if (kind === 'functions') {
    const of = f => names[functions.name[f]];
    const link = f => {
      const key = model.functionKeyOf(f);
      return model.hasStacks ? store.hashOf({view: 'calls', fn: key, find: '', zoom: 0, callers: false}) : sourceLink(key);
    };
    const column = textColumn('function', 'name', 'minmax(13rem,4fr)', f => of(f) +
      (functions.aliases[f] ? ' (+' + functions.aliases[f] + (functions.aliases[f] > 1 ? ' aliases)' : ' alias)') : ''),
    null, link, isNarrow() ? NARROW_NAME : WIDE_NAME);
    return [
      {...column, keyOf: f => functions.name[f]},
      {...textColumn('module', 'module', 'minmax(7rem,1fr)', f => modules.name[functions.module[f]],
        f => modules.path[functions.module[f]]), keyOf: f => model.moduleRank(functions.module[f])},
    ];
  }
  if (kind === 'lines') {
    const where = l => files[lines.file[l]] + ':' + lines.line[l];
    const key = l => modules.name[lines.module[l]] + ':' + names[lines.name[l]];
    return [
      {...textColumn('line', 'file', 'minmax(11rem,2fr)', l => tail(where(l)), where, l => sourceLink(key(l))),
        keyOf: l => lines.file[l] * 1e6 + lines.line[l]},
      {...textColumn('function', 'name', 'minmax(10rem,3fr)', l => names[lines.name[l]], null, null, WIDE_NAME), keyOf: l => lines.name[l]},
      {...textColumn('module', 'module', 'minmax(6rem,1fr)', l => modules.name[lines.module[l]]),
        keyOf: l => model.moduleRank(lines.module[l])},
    ];
  }
  if (kind === 'modules') {
    return [
      {...textColumn('module', 'module', 'minmax(9rem,2fr)', m => modules.name[m]), keyOf: m => model.moduleRank(m)},
      {...textColumn('file', null, 'minmax(9rem,3fr)', m => modules.path[m]), keyOf: m => m},
      {...textColumn('build-id', null, '8rem', m => modules.build_id[m].slice(0, 12), m => modules.build_id[m]),
        keyOf: m => m},
    ];
  }
  const process = t => report.processes[threads.process[t]];
  return [
    {...textColumn('thread', 'tid', 'minmax(9rem,2fr)', t => threadText(threads, t), null, t => store.hashOf({view: 'functions', thread: [String(t)]})), keyOf: t => threads.tid[t]},
    {...textColumn('process', 'process', 'minmax(7rem,1fr)', t => process(t) ? process(t).pid + ' ' + process(t).program : ''),
      keyOf: t => threads.process[t]},
    {...textColumn('start routine', null, 'minmax(7rem,1fr)', t => threads.start_routine[t]), keyOf: t => t},
    {...numberColumn('CPU time', 'cpu', '6rem', t => duration(threads.cpu_ns[t] / 1e9),
      t => 'of it sampled: ' + duration(threads.sampled_ns[t] / 1e9)), keyOf: t => threads.cpu_ns[t]},
  ];
}

/** Whether the text that is looked for is in a row. `found` is of model.found. */
function isFound(kind, profile, found, index) {
  const {functions, lines} = profile;
  if (kind === 'functions') return found.names[functions.name[index]] || found.modules[functions.module[index]];
  if (kind === 'lines') return found.names[lines.name[index]] || found.files[lines.file[index]];
  return kind === 'modules' ? found.modules[index] : found.threads[index];
}

/** A view of one kind: functions, lines, modules or threads. */
export function makeTableView(kind, model, store) {
  const {profile} = model;
  const note = el('p', {class: 'note', role: 'status'});
  const grid = makeGrid(kind, key => {
    const state = store.get();
    const same = (state.sort || 'e' + state.event) === key;
    store.set({sort: key, up: same ? !state.up : key === 'name' || key === 'module' || key === 'file'});
  }, model.signal);
  const element = el('section', {'aria-label': kind}, note, grid.element);
  let columnsKey = null;
  let current = [];
  // The cell by which rows are sorted; null: by something that is no share.
  let cellOfSort = null;
  // Where the bars of each event end.
  let scales = [];
  let totalScale = 1;

  const ratios = kind === 'functions' || kind === 'threads' || kind === 'modules' ?
    profile.report.derived.filter(column => !column.of_slots) : [];
  // Shares of slots need more events than two: the page has those of the functions of the whole profile.
  const slotColumns = kind === 'functions' && profile.slots.size > 0 ?
    [...profile.report.derived.entries()].filter(([, column]) => column.of_slots) : [];

  const narrow = isNarrow();
  const hasTotals = (kind === 'functions' || kind === 'modules') && model.hasStacks;
  const noun = kind === 'modules' ? 'the module' : 'the function';

  function columnsFor() {
    const mark = {
      title: '\u2248', sort: null, width: '1.4rem', className: 'mark',
      make: () => el('span', {}),
      set(content, index, position) {
        const unsure = cellOfSort !== null && isUncertain(position, current.length, i => cellOfSort(current[i]));
        content.textContent = unsure ? '\u2248' : '';
        if (unsure) {
          content.title = UNCERTAIN;
          content.setAttribute('aria-label', 'order not certain');
          content.setAttribute('role', 'img');
        } else {
          for (const name of ['title', 'aria-label', 'role']) content.removeAttribute(name);
        }
      },
    };
    const shares = profile.events.map((event, e) => ({
      title: (hasTotals ? 'self, ' : '') + event.name, sort: 'e' + e, width: narrow ? '4.6rem' : 'minmax(9.5rem,1.5fr)', className: 'number',
      make: makeShare,
      set: (content, index) => setShare(content, event, model.cell(kind, store.get(), index, e), scales[e]),
      keyFor(state) {
        const weight = model.sums(kind, state).weight[e];
        return index => weight[index];
      },
      cellFor: state => index => model.cell(kind, state, index, e),
    }));
    const chosen = () => store.get().event;
    const cell = index => model.cell(kind, store.get(), index, chosen());
    const amountText = of => amount(profile.events[chosen()], of.weight);
    const amounts = [
      {...numberColumn(hasTotals ? 'self amount' : 'amount', 'amount', '5.5rem', index => amountText(cell(index)), () => 'amount in ' + noun + ' itself'),
        keyFor(state) {
          const weight = model.sums(kind, state).weight[state.event];
          return index => weight[index];
        }},
    ];
    const totals = !hasTotals ? [] : [{
      title: 'total', sort: 'total', width: narrow ? '4.6rem' : 'minmax(9.5rem,1.5fr)', className: 'number',
      make: makeShare,
      set(content, index) {
        const of = model.totalCell(store.get(), index, chosen(), kind);
        if (of) setShare(content, profile.events[chosen()], of, totalScale);
        else clearShare(content, NO_TOTAL);
      },
      keyFor(state) {
        const of = model.totals(state, kind);
        return index => of ? of.weight[state.event][index] : 0;
      },
      cellFor: state => model.totals(state, kind) && (index => model.totalCell(state, index, state.event, kind)),
    }];
    if (hasTotals) {
      amounts.push({...numberColumn('total amount', 'totalamount', '5.5rem', index => {
        const of = model.totalCell(store.get(), index, chosen(), kind);
        return of ? amountText(of) : '\u2013';
      }, () => 'amount in ' + noun + ' and in all that it called'), keyFor: totals[0].keyFor});
    }
    const extra = [
      {...numberColumn('samples', 'samples', '6rem', index => grouped(cell(index).samples)),
        keyFor(state) {
          const samples = model.sums(kind, state).samples[state.event];
          return index => samples[index];
        }},
    ];
    const derived = ratios.map((column, r) => {
      const ratio = index => model.ratio(kind, store.get(), index, column);
      const bound = value => Number.isFinite(value) ? value.toPrecision(3) : 'no bound';
      return {
        ...numberColumn(column.key.replace(/_/g, ' '), 'r' + r, '7.5rem',
          index => (value => value ? value.value.toPrecision(3) : '\u2013')(ratio(index)),
          index => (value => value ? '95 % interval ' + bound(value.low) + ' to ' + bound(value.high) : 'no divisor')(ratio(index))),
        keyOf: index => (value => value && Number.isFinite(value.value) ? value.value : 0)(ratio(index)),
      };
    });
    const slots = slotColumns.map(([i, column]) => {
      const isPart = () => isFiltered(store.get()) || stretchFor(profile, kind, store.get()) !== null;
      const shareOf = index => isPart() ? null : (profile.slots.get(index) || [])[i] || null;
      return {
        ...numberColumn(slotHead(column.key), 's' + i, '7.5rem',
          index => slotText(shareOf(index)),
          index => isPart() ? WHOLE_PROFILE : slotTitle(shareOf(index))),
        keyOf: index => (share => share && share.value !== null ? share.value : -1)(shareOf(index)),
      };
    });
    const [first, ...others] = ownColumns(kind, model, store);
    // On a narrow screen the shares stand beside the names, where they are seen without scrolling.
    if (!narrow) return [mark, first, ...others, ...shares, ...totals, ...amounts, ...extra, ...slots, ...derived];
    // The amount beside the shares, in a width that 390 pixels have.
    return [mark, {...first, width: 'minmax(7rem,1fr)'}, ...shares.slice(0, 1), ...totals, {...amounts[0], width: '4.2rem'},
      ...shares.slice(1), ...amounts.slice(1), ...extra, ...slots, ...derived, ...others];
  }

  const columns = columnsFor();
  return {
    element,
    update(state) {
      const sort = columns.some(column => column.sort === state.sort && column.sort) ? state.sort : 'e' + state.event;
      const key = sort + state.up;
      const column = columns.find(c => c.sort === sort);
      if (!column) {
        fill(note, 'The profile has no events.');
        return;
      }
      if (key !== columnsKey) {
        columnsKey = key;
        grid.setColumns(columns, sort, state.up);
      }
      // The event decides what some columns count.
      const order = model.ordered(kind, state, sort + '/' + state.event, column.keyFor ? column.keyFor(state) : column.keyOf);
      cellOfSort = column.cellFor ? column.cellFor(state) : null;
      const found = model.found(state.find);
      current = found ? order.filter(index => isFound(kind, profile, found, index)) : order;
      scales = profile.events.map((_, e) => {
        const weight = model.sums(kind, state).weight[e];
        const most = current.reduce((best, index) => weight[index] > weight[best] ? index : best, current[0]);
        return scaleOf(current.length ? [model.cell(kind, state, most, e)] : []);
      });
      const totals = hasTotals ? model.totals(state, kind) : null;
      if (totals && current.length) {
        const weight = totals.weight[state.event];
        totalScale = scaleOf([model.totalCell(state, current.reduce((best, index) => weight[index] > weight[best] ? index : best, current[0]), state.event, kind)]);
      }
      grid.setItems(current, kind === 'functions' && state.fn ? model.functionOf(state.fn) : -1);
      const rowNoun = current.length === 1 ? kind.slice(0, -1) : kind;
      fill(note, grouped(current.length) + (found ? ' of ' + grouped(order.length) : '') + ' ' + rowNoun + '. ' +
        (current.length > 1 ? '\u2248 marks rows whose order is not certain. ' : '') +
        (current.length ? 'Bars of ' + profile.events[state.event].name + ' end at ' + percent(scales[state.event]) + '.' : ''));
    },
  };
}
