// A table of many rows: only the rows in the window are elements.

import { el, fill } from './dom.js';
import { grouped } from './numbers.js';
import { windowOf } from './rows.js';

const ROW_HEIGHT = 28;
// Rows that a printed page has: some fifty sheets.
const PRINTED = 2000;

/** The sum of the least widths, in rem, of columns like "6rem" and "minmax(9rem,2fr)", with gaps and edges. */
export function leastWidth(widths) {
  return widths.reduce((sum, width) => sum + parseFloat(width.replace('minmax(', '')) + 0.7, 1);
}

/**
 * Makes a table. `columns`: {title, className, sort, make, set}: `make` returns the content of a
 * cell, `set(content, item, index)` shows an item in it; `sort` is the key of the column, or null.
 * `onSort(key)` is called when a title is chosen. `signal` ends the listeners on the window.
 */
export function makeGrid(label, onSort, signal) {
  const head = el('div', {class: 'grid-row grid-head', role: 'row', 'aria-rowindex': 1});
  const body = el('div', {class: 'grid-body', role: 'rowgroup'});
  const spacer = el('div', {class: 'grid-spacer', role: 'presentation'});
  const scroller = el('div', {class: 'grid', role: 'table', 'aria-label': label, tabindex: 0},
    el('div', {role: 'rowgroup', class: 'grid-top'}, head), spacer);
  const rest = el('p', {class: 'note print-only grid-rest'});
  spacer.append(body);
  let columns = [];
  let items = [];
  let pool = [];
  let drawn = {first: -1, last: -1};
  let printing = false;
  let chosen = -1;

  function makeRow() {
    const cells = columns.map(column => {
      const content = column.make();
      return {column, content, element: el('div', {role: 'cell', class: 'cell ' + column.className}, content)};
    });
    return {index: -1, cells, element: el('div', {class: 'grid-row', role: 'row'}, cells.map(cell => cell.element))};
  }

  function draw(force) {
    const height = printing ? PRINTED * ROW_HEIGHT : scroller.clientHeight || 600;
    const top = printing ? 0 : scroller.scrollTop;
    const range = windowOf(top, height, ROW_HEIGHT, items.length, 4);
    if (!force && range.first === drawn.first && range.last === drawn.last) return;
    drawn = range;
    while (pool.length < range.last - range.first) {
      const row = makeRow();
      pool.push(row);
      body.append(row.element);
      force = true;
    }
    // Row i is drawn by the same element as long as it is in the window: scrolling sets only what is new.
    const seen = new Set();
    for (let index = range.first; index < range.last; ++index) {
      const row = pool[index % pool.length];
      seen.add(row);
      if (!force && row.index === index) continue;
      row.index = index;
      row.element.hidden = false;
      row.element.style.transform = 'translateY(' + index * ROW_HEIGHT + 'px)';
      row.element.setAttribute('aria-rowindex', index + 2);
      row.element.classList.toggle('chosen', items[index] === chosen);
      if (items[index] === chosen) row.element.setAttribute('aria-current', 'true');
      else row.element.removeAttribute('aria-current');
      for (const cell of row.cells) cell.column.set(cell.content, items[index], index);
    }
    for (const row of pool) {
      if (seen.has(row)) continue;
      row.index = -1;
      row.element.hidden = true;
    }
  }

  // At most one draw a frame, however many scroll events there are.
  let waiting = false;
  scroller.addEventListener('scroll', () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw(false);
    });
  }, {passive: true});
  window.addEventListener('resize', () => draw(false), {signal});
  window.addEventListener('beforeprint', () => {
    printing = true;
    rest.textContent = items.length > PRINTED ? 'The first ' + grouped(PRINTED) + ' of ' + grouped(items.length) + ' rows are printed.' : '';
    scroller.append(rest);
    draw(true);
  }, {signal});
  window.addEventListener('afterprint', () => {
    printing = false;
    rest.remove();
    draw(true);
  }, {signal});

  return {
    element: scroller,
    /** Shows other columns. `sort` and `up` are the present order. */
    setColumns(next, sort, up) {
      columns = next;
      pool = [];
      drawn = {first: -1, last: -1};
      fill(body);
      fill(head, columns.map(column => {
        const isSorted = column.sort !== null && column.sort === sort;
        const title = column.sort === null ? column.title : el('button', {
          type: 'button', class: 'sort', click: () => onSort(column.sort),
        }, column.title, el('span', {'aria-hidden': true}, isSorted ? (up ? ' \u25b2' : ' \u25bc') : ''));
        return el('div', {
          role: 'columnheader', class: 'cell ' + column.className,
          'aria-sort': isSorted ? (up ? 'ascending' : 'descending') : null,
        }, title);
      }));
      scroller.style.setProperty('--columns', columns.map(column => column.width).join(' '));
      scroller.style.setProperty('--least', leastWidth(columns.map(column => column.width)) + 'rem');
    },
    /** Shows other rows. `next`: the items; `choice`: the one that is marked, and brought into the window when it is new; -1: none. */
    setItems(next, choice = -1) {
      items = next;
      spacer.style.height = items.length * ROW_HEIGHT + 'px';
      scroller.setAttribute('aria-rowcount', items.length + 1);
      if (scroller.scrollTop > items.length * ROW_HEIGHT) scroller.scrollTop = 0;
      const at = choice >= 0 && choice !== chosen ? items.indexOf(choice) : -1;
      chosen = choice;
      if (at >= 0) scroller.scrollTop = Math.max(0, at * ROW_HEIGHT - (scroller.clientHeight || 600) / 3);
      draw(true);
    },
  };
}
