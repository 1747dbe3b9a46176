// The red and blue flame graph: the call paths of one side, coloured by the change of each function.

import { directionOf, otherSide, rowWords, sideOf, signText } from './changes.js';
import { changeColour } from './colours.js';
import { samplingModes } from './compare_view.js';
import { el } from './dom.js';
import { makeFlameView } from './flame_view.js';

function words(...texts) {
  const element = el('section', {'aria-label': 'flame graph of changes'}, el('div', {class: 'explain'}, texts.map(text => el('p', {}, text))));
  return {element, update() {}};
}

/** `letter`: the side whose call paths are drawn. `model`: of its profile. */
export function makeChangesView(comparison, letter, model, store) {
  const event = model.profile.events.findIndex(({name}) => name === comparison.event);
  if (event < 0) return words('A and B have no event in common, so there are no changes to draw.');
  const {frames} = sideOf(comparison, letter);
  const rowOf = frame => frame >= 0 && frame < frames.length ? frames[frame] : -1;
  const sampling = () => store.get().sampling;
  const direction = frame => rowOf(frame) < 0 ? 0 : directionOf(comparison, rowOf(frame), sampling());
  return makeFlameView(model, store, {
    label: 'flame graph of changes',
    // The comparison is of all samples of its event: filters do not apply.
    stateOf: state => ({...state, event, callers: false, fn: '', process: [], tname: [], thread: [], phase: [], focus: [], hide: [], collapse: [], inlined: false}),
    colour: frame => changeColour(direction(frame), rowOf(frame) < 0 ? 0 : comparison.rows.change[rowOf(frame)]),
    sign: frame => signText(direction(frame)),
    words: frame => frame < 0 ? '' : '; ' + rowWords(comparison, rowOf(frame), sampling()),
    modes: state => [
      el('span', {class: 'key'},
        el('span', {class: 'swatch more'}, '+'), ' larger share in B ',
        el('span', {class: 'swatch less'}, '\u2212'), ' smaller share in B ',
        el('span', {class: 'swatch same'}), comparison.tested ? ' no more than chance' : sampling() ? ' within the error of sampling' : ' not tested'),
      el('span', {class: 'note'}, 'Width: samples of side ' + letter.toUpperCase() + ' (x: side ' + otherSide(letter).toUpperCase() +
        '). Colour: change of the share of the function itself.'),
      samplingModes(comparison, state, store),
    ],
  });
}
