// Names of functions in little room. The rules of symbolizer/report/wording/shorten.cpp, with one sign for dots.

const DOTS = '\u2026';

/** Whether the bracket at `at` belongs to the name of an operator: operator<, <<, <=>, ->, (). */
function isOperator(name, at) {
  const word = name.lastIndexOf('operator', at);
  if (word < 0) return false;
  const begin = word + 'operator'.length;
  if (name.startsWith('()', begin)) return at < begin + 2;
  let end = begin;
  while (end < name.length && '<>=-'.includes(name[end])) ++end;
  return at < end;
}

/** All pairs of brackets with more than `least` characters between them, with the depth of each. */
function groupsOf(name, least) {
  const groups = [];
  const open = [];
  const mayBeOperator = name.includes('operator');
  for (let i = 0; i < name.length; ++i) {
    const c = name[i];
    if (!'<>()'.includes(c) || (mayBeOperator && isOperator(name, i)) || (c === '>' && name[i - 1] === '-')) continue;
    if (c === '<' || c === '(') {
      open.push(i);
      continue;
    }
    if (open.length === 0 || name[open[open.length - 1]] !== (c === '>' ? '<' : '(')) continue;
    const begin = open.pop() + 1;
    if (i - begin > least) groups.push({begin, end: i, depth: open.length});
  }
  return groups;
}

/** "f(...) const" -> "f". A list in front of "::" stays: it belongs to an outer function. */
function withoutParameters(name) {
  let cut = name.length;
  for (const {begin, end, depth} of groupsOf(name, 0)) {
    if (depth === 0 && name[end] === ')' && begin > 1 && name.indexOf('::', end) < 0) cut = begin - 1;
  }
  return name.slice(0, cut);
}

/** Names that are longer are cut first: looking for brackets again and again would take long. */
const LONGEST = 1000;

/** Where `what` last stands outside of brackets; -1: nowhere. */
function lastOutside(name, what) {
  const groups = groupsOf(name, 0).filter(group => group.depth === 0);
  for (let at = name.lastIndexOf(what); at >= 0; at = at > 0 ? name.lastIndexOf(what, at - 1) : -1) {
    if (!groups.some(({begin, end}) => at >= begin && at < end)) return at;
  }
  return -1;
}

/** Shorter and shorter forms of a name: without arguments of templates and parameters, the innermost first, then without the list of parameters. */
function* shorterForms(name) {
  let text = name.slice(0, LONGEST);
  for (;;) {
    yield text;
    // The begin of a Rust name, "<T as Trait>::f", says which type it belongs to.
    const groups = groupsOf(text, DOTS.length).filter(group => group.begin !== 1 || text[0] !== '<');
    if (groups.length === 0) break;
    const size = group => group.end - group.begin;
    const {begin, end} = groups.reduce((best, group) => group.depth > best.depth ||
      (group.depth === best.depth && size(group) > size(best)) ? group : best);
    text = text.slice(0, begin) + DOTS + text.slice(end);
  }
  yield withoutParameters(text);
}

/**
 * A function's name in at most `width` characters: the first of its shorter forms that fits; of the last one the
 * middle is left out, so that scope and name stay readable.
 */
export function shortenFunction(name, width) {
  if (name.length <= width) return name;
  let text = name;
  for (text of shorterForms(name)) if (text.length <= width) return text;
  if (width < 8) return text.slice(0, Math.max(0, width - 1)) + DOTS;
  const head = Math.floor((width - 1) / 3);
  return text.slice(0, head) + DOTS + text.slice(text.length - (width - 1 - head));
}

/**
 * A name that is no wider than `room` by `widthOf(text)`: one of its shorter forms, without the type that it returns,
 * without its scope, or cut behind a word ("first_word..."). Empty if not even three characters fit.
 */
export function fittingName(name, room, widthOf) {
  if (widthOf(name) <= room) return name;
  let text = name;
  for (text of shorterForms(name)) if (widthOf(text) <= room) return text;
  // "operator new" and "[clone .cold]" have blanks that do not end a type.
  const type = /operator|\[/.test(text) ? -1 : lastOutside(text, ' ');
  if (type >= 0) text = text.slice(type + 1);
  if (widthOf(text) <= room) return text;
  const scope = lastOutside(text, '::');
  if (scope > 0) {
    const own = DOTS + text.slice(scope + 2);
    if (widthOf(own) <= room) return own;
    text = text.slice(scope + 2);
  }
  for (let end = Math.min(text.length, Math.ceil(room / 3)); end >= 3; --end) {
    if (widthOf(text.slice(0, end) + DOTS) > room) continue;
    // The end of a word that is not far away.
    const word = /^.*[A-Za-z0-9](?=[^A-Za-z0-9])/.exec(text.slice(0, end + 1));
    const cut = word && word[0].length > end / 2 ? word[0].length : end;
    return text.slice(0, cut) + DOTS;
  }
  return '';
}
