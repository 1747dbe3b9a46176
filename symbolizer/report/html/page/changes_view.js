// The red and blue flame graph: the call paths of one side, coloured by the change of each function.

import { otherSide, partOfRun, rowWords, sideOf, signText, tintOf } from './changes.js';
import { changeColour } from './colours.js';
import { changeLegend, samplingModes } from './compare_view.js';
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
  const NOT_COMPARED = {direction: 0, beyond: false};
  const tint = frame => rowOf(frame) < 0 ? NOT_COMPARED : tintOf(comparison, rowOf(frame), sampling());
  return makeFlameView(model, store, {
    label: 'flame graph of changes',
    // The comparison is of all samples of its event: filters do not apply.
    stateOf: state => ({...state, event, callers: false, fn: '', process: [], tname: [], thread: [], phase: [], focus: [], hide: [], collapse: [], inlined: false}),
    colour: frame => changeColour(tint(frame), rowOf(frame) < 0 ? 0 : partOfRun(comparison, rowOf(frame))),
    sign: frame => signText(tint(frame)),
    words: frame => frame < 0 ? '' : '; ' + rowWords(comparison, rowOf(frame), sampling()),
    modes: state => [
      changeLegend(comparison, sampling()),
      el('span', {class: 'note'}, 'Width: samples of side ' + letter.toUpperCase() + ' (x: side ' + otherSide(letter).toUpperCase() +
        '). Colour: change of the CPU time of the function itself.'),
      samplingModes(comparison, state, store),
    ],
  });
}
