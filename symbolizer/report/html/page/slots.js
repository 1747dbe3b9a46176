// Shares of slots of a function (docs/topdown.md), as texts. The report computed them from all samples of the profile.

import { intervalText, percent } from './numbers.js';

export const WHOLE_PROFILE = 'shares of slots are those of the whole profile: remove the filters';

/** The column's head: "slots backend" for the key "topdown_backend". */
export function slotHead(key) {
  return key.replace(/^topdown_/, 'slots ').replace(/_/g, ' ');
}

/** The share of a cell; a dash where the function has no slots. `share` may be null. */
export function slotText(share) {
  return share && share.value !== null ? percent(share.value) : '\u2013';
}

export function slotTitle(share) {
  return share && share.value !== null ? '95 % interval ' + intervalText(share) : 'no samples of the slots';
}
