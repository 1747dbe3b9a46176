// Colours that people with any kind of colour vision tell apart: tints of the palette of M. Okabe
// and K. Ito ("Color universal design", 2008). Text on them is always black; each tint has a contrast
// of more than 7:1 to it.

const TINTS = ['#f3b95f', '#8fcdf0', '#6fcfae', '#f5ec8c', '#f29a70', '#e2a9cb', '#b9b9e8', '#c9b899'];

/** The colour of a module by its index among the profile's modules; -1: no module. */
export function moduleColour(index) {
  return index < 0 ? '#dddddd' : TINTS[index % TINTS.length];
}

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

/** All tints, for tests. */
export const MODULE_COLOURS = TINTS;
