// A share with its interval: a bar, the whisker of the 95 % interval over it, and the numbers.

import { el } from './dom.js';
import { amount, grouped, intervalText, sharePercent } from './numbers.js';

/** An empty share cell. setShare fills it in again and again. */
export function makeShare() {
  const fill = el('span', {class: 'fill'});
  const whisker = el('span', {class: 'whisker'});
  const text = el('span', {class: 'share-text'});
  return el('span', {class: 'share'}, text, el('span', {class: 'track', 'aria-hidden': true}, fill, whisker));
}

/** Where bars end, so that the largest of some cells fills its track: a share above 0. */
export function scaleOf(cells) {
  return Math.min(1, Math.max(1e-9, ...cells.map(cell => cell ? cell.high : 0)));
}

/** Shows a cell in a share of makeShare. `event` names what the cell counts; bars end at the share `scale`. */
export function setShare(share, event, cell, scale = 1) {
  const [text, track] = share.children;
  const [fill, whisker] = track.children;
  text.textContent = sharePercent(cell.share);
  const part = share => 100 * Math.min(1, share / scale) + '%';
  fill.style.width = part(cell.share);
  whisker.style.left = part(cell.low);
  whisker.style.width = part(cell.high - cell.low);
  share.title = event.name + ': ' + sharePercent(cell.share) + ', 95 % interval ' + intervalText(cell) + '; ' +
    amount(event, cell.weight) + ', ' + grouped(cell.samples) + ' samples';
  share.setAttribute('aria-label', share.title);
  share.setAttribute('role', 'img');
}

/** Shows a dash in a share of makeShare; `title` says why there is no share. */
export function clearShare(share, title) {
  const [text, track] = share.children;
  text.textContent = '\u2013';
  for (const part of track.children) part.style.width = '0';
  share.title = title;
  share.setAttribute('aria-label', title);
  share.setAttribute('role', 'img');
}

/** A filled share. */
export function shareOf(event, cell, scale) {
  const share = makeShare();
  setShare(share, event, cell, scale);
  return share;
}
