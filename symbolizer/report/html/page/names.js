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
  for (let i = 0; i < name.length; ++i) {
    const c = name[i];
    if (!'<>()'.includes(c) || isOperator(name, i) || (c === '>' && name[i - 1] === '-')) continue;
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
const LONGEST = 4000;

/**
 * A function's name in at most `width` characters: arguments of templates and parameters are left out, the innermost
 * first, then the list of parameters, then the middle, so that scope and name stay readable.
 */
export function shortenFunction(name, width) {
  if (name.length <= width) return name;
  let text = name.slice(0, LONGEST);
  while (text.length > width) {
    // The begin of a Rust name, "<T as Trait>::f", says which type it belongs to.
    const groups = groupsOf(text, DOTS.length).filter(group => group.begin !== 1 || text[0] !== '<');
    if (groups.length === 0) break;
    const size = group => group.end - group.begin;
    const {begin, end} = groups.reduce((best, group) => group.depth > best.depth ||
      (group.depth === best.depth && size(group) > size(best)) ? group : best);
    text = text.slice(0, begin) + DOTS + text.slice(end);
  }
  if (text.length > width) text = withoutParameters(text);
  if (text.length <= width) return text;
  if (width < 8) return text.slice(0, Math.max(0, width - 1)) + DOTS;
  const head = Math.floor((width - 1) / 3);
  return text.slice(0, head) + DOTS + text.slice(text.length - (width - 1 - head));
}

/**
 * A name that is no wider than `room` by `widthOf(text)`: shortened, and cut behind a word ("std::vector\u2026"). Empty if
 * not even three characters fit.
 */
export function fittingName(name, room, widthOf) {
  if (widthOf(name) <= room) return name;
  // All letters as wide as those of this name are on average.
  const letters = Math.floor(room / Math.max(1, widthOf(name) / name.length));
  let text = shortenFunction(name, Math.max(8, letters));
  for (let tries = 0; tries < 4 && widthOf(text) > room && text.length > 8; ++tries) {
    text = shortenFunction(name, Math.max(8, Math.floor(text.length * room / widthOf(text))));
  }
  if (widthOf(text) <= room) return text;
  for (let end = Math.min(name.length, letters); end >= 3; --end) {
    if (widthOf(name.slice(0, end) + DOTS) > room) continue;
    // The end of a word that is not far away.
    const word = /^.*\w(?=\W)/.exec(name.slice(0, end + 1));
    const cut = word && word[0].length > end / 2 && word[0].length <= end ? word[0].length : end;
    return name.slice(0, cut) + DOTS;
  }
  return '';
}
