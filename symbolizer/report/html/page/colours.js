// Colours that people with any kind of colour vision tell apart: tints of the palette of M. Okabe
// and K. Ito ("Color universal design", 2008). Text on them is always black; each tint has a contrast
// of more than 7:1 to it.

const TINTS = ['#f3b95f', '#8fcdf0', '#6fcfae', '#f5ec8c', '#f29a70', '#e2a9cb', '#b9b9e8', '#c9b899'];

/** The colour of a module by its place among the modules, the hottest first; -1: no module. */
export function moduleColour(index) {
  return index < 0 ? '#dddddd' : TINTS[index % TINTS.length];
}

// Changes: red and blue, which all kinds of colour vision tell apart, in three steps of 1, 3 and more
// percent points; the signs + and - stand in the text, too. Greyer tints of both: no more than the error.
const MORE = ['#f6bcab', '#f4a38e', '#f28a70'];
const LESS = ['#b4d0f3', '#99c0ee', '#7fb0e8'];
const FAINT_MORE = '#e6d5d0';
const FAINT_LESS = '#d0d9e6';
export const NO_CHANGE = '#d9d9d9';

/** The colour of a function that grew (1) or shrank (-1) by `change`, a difference of shares; 0: it did not. Faint unless `beyond` the error. */
export function changeColour({direction, beyond}, change) {
  if (direction === 0) return NO_CHANGE;
  if (!beyond) return direction > 0 ? FAINT_MORE : FAINT_LESS;
  const size = Math.abs(change);
  return (direction > 0 ? MORE : LESS)[size < 0.01 ? 0 : size < 0.03 ? 1 : 2];
}

/** All tints of changes, for tests. */
export const CHANGE_COLOURS = [...MORE, ...LESS, FAINT_MORE, FAINT_LESS, NO_CHANGE];

/** Relative luminance of "#rrggbb" (WCAG 2.1, "relative luminance"). */
export function luminance(colour) {
  const [r, g, b] = [1, 3, 5].map(at => {
    const c = parseInt(colour.slice(at, at + 2), 16) / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast of two colours, 1 to 21 (WCAG 2.1, "contrast ratio"). */
export function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** All tints; further modules repeat them. */
export const MODULE_COLOURS = TINTS;
