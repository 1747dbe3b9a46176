// What threads waited for, as tables of texts. docs/report.schema.json has waits and locks.

import { duration, grouped, percent, sharePercent, visible } from './numbers.js';

// Rows of a table; the JSON report has all of them.
const MOST_ROWS = 200;
const MOST_PATHS = 3;
const MOST_HOLDERS = 5;
// Paths with a smaller part of their row are left out.
const LEAST_PATH = 0.1;

/** Half of the interval in percent points; the time of threads that stood still is exact. */
export function halfWidth(cell) {
  return cell.high > cell.low ? '\u00b1' + ((cell.high - cell.low) * 50).toFixed(1) : 'exact';
}

function lineText(line) {
  return visible(line.slice(line.lastIndexOf('/') + 1));
}

/** The lock of a row in words; empty: it has no name. */
function lockName(row, locks) {
  return row.lock === null || row.kind === 'join' ? '' : visible(locks[row.lock].name);
}

function waitsFor(row, locks) {
  const call = row.kind === 'poll' && row.call !== '' && row.call !== 'poll' ? ' (' + row.call + ')' : '';
  const name = lockName(row, locks);
  return visible(row.primitive) + (name ? ' ' + name : '') + call;
}

/** A lock: "mutex table_lock", or where a thread first waited for it. */
export function lockText(lock) {
  const what = (lock.objects === 1 ? '' : grouped(lock.objects) + ' \u00d7 ') + visible(lock.primitive);
  if (lock.name) return what + ' ' + visible(lock.name);
  return what + ' first waited for in ' + visible(lock.first_function || 'unknown code') +
    (lock.first_line ? ' ' + lineText(lock.first_line) : '');
}

function groupTable(group, locks) {
  const rows = [];
  for (const row of group.rows.slice(0, MOST_ROWS)) {
    rows.push([duration(row.seconds), sharePercent(row.share), halfWidth(row), grouped(row.looks), visible(row.function),
      waitsFor(row, locks), lineText(row.line)]);
    for (const path of row.paths.slice(0, MOST_PATHS)) {
      if (path.functions.length === 0 || path.share < LEAST_PATH) continue;
      rows.push(['', sharePercent(path.share * row.share), '', grouped(path.looks),
        '\u00a0\u00a0from ' + path.functions.map(visible).join(' < '), '', '']);
    }
  }
  const many = group.threads === 1 ? '' : ', ' + grouped(group.threads) + ' threads';
  return {
    caption: visible(group.name) + many + ': blocked ' + duration(group.seconds) + (group.critical ? ' (critical)' : ''),
    heads: ['#time', '#share', '#\u00b195%', '#looks', 'function', 'waits for', 'where'],
    rows,
    left_out: Math.max(0, group.rows.length - MOST_ROWS),
  };
}

function idleText(group) {
  const row = group.rows[group.idle_row];
  const name = visible(group.threads === 1 ? group.name.replace(/^threads /, 'thread ') : group.name);
  return grouped(group.threads) + (group.name.includes('(') ? (group.threads === 1 ? ' thread of ' : ' threads of ') : ' ') + name + ': ' +
    percent(group.idle_share, 0) + ' idle in ' + visible(row.function) + ' (' + visible(row.primitive) + '), ' + duration(group.seconds);
}

function holderText(holder) {
  const share = percent(holder.share, 0);
  return '\u00a0\u00a0' + (holder.only_runner ? 'only runner ' + share + ': ' : 'held ' + share + ' by ') +
    visible(holder.function || 'unknown code') + ' in thread ' + holder.tid + ' ' + visible(holder.thread) +
    (holder.blocked ? ', blocked itself' : '');
}

function lockTable(locks) {
  const shown = locks.filter(lock => lock.is_lock && lock.looks > 0);
  const rows = [];
  for (const lock of shown.slice(0, MOST_ROWS)) {
    rows.push([duration(lock.seconds), sharePercent(lock.share), halfWidth(lock), grouped(lock.looks), lockText(lock),
      lock.most_waiters > 0 ? 'up to ' + grouped(lock.most_waiters) : '']);
    for (const holder of lock.holders.slice(0, MOST_HOLDERS)) {
      rows.push(['', '', halfWidth(holder), grouped(holder.looks), holderText(holder), '']);
    }
  }
  return {
    caption: 'Locks', heads: ['#time', '#share', '#\u00b195%', '#looks', 'lock', 'waiters'], rows,
    left_out: Math.max(0, shown.length - MOST_ROWS),
  };
}

/**
 * The view's contents: `tables` (caption, heads, rows, left_out) and `idle`, one text for each idle group. `report` has
 * `waits` and `locks`.
 */
export function waitingTables(report) {
  const {waits, locks} = report;
  const tables = waits.groups.filter(group => !group.idle).map(group => groupTable(group, locks));
  const ofLocks = lockTable(locks);
  if (ofLocks.rows.length > 0) tables.push(ofLocks);
  return {tables, idle: waits.groups.filter(group => group.idle).map(idleText)};
}
