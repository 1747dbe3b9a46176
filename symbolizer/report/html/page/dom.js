// Elements. Text is always a text node: no name of a profile is ever read as markup.

/**
 * Makes an element. `properties`: "class", "title", "aria-..." and other attributes; functions are
 * listeners ("click"). `children`: elements and texts; null is left out. The attribute "style" is
 * refused, because the page's policy forbids it.
 */
export function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name === 'style') throw new Error('styles are set by CSSOM');
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  add(element, children);
  return element;
}

/** Whether the screen is one of a telephone: tables then have fewer and narrower columns. */
export function isNarrow() {
  return window.matchMedia('(max-width: 700px)').matches;
}

/** Appends elements and texts; lists are flattened. */
export function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** Replaces everything in an element. */
export function fill(element, ...children) {
  element.textContent = '';
  add(element, children);
}

/** Marks the rows of tables in which a cell has this text, and brings the first one into the window; '': none. */
export function markRows(element, text) {
  const marked = [...element.querySelectorAll('tbody tr')].filter(row => {
    const isIt = text !== '' && [...row.cells].some(cell => cell.textContent === text || cell.textContent.endsWith(' in ' + text));
    row.classList.toggle('chosen', isIt);
    return isIt;
  });
  if (marked.length > 0) marked[0].scrollIntoView({block: 'center'});
}

/** A plain table. `heads`: texts; "#" in front: a column of numbers. `rows`: lists of texts or elements. */
export function table(caption, heads, rows, className = '') {
  const isNumber = heads.map(head => head.startsWith('#'));
  return el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption}, el('table', {class: ('plain ' + className).trim()},
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, heads.map((head, i) =>
      el('th', {scope: 'col', class: isNumber[i] ? 'number' : null}, head.replace(/^#/, ''))))),
    el('tbody', {}, rows.map(row => el('tr', {}, row.map((cell, i) =>
      el('td', {class: isNumber[i] ? 'number' : null}, cell)))))));
}
