// When a live page asks csink for newer data, and what it says about it. No browser is needed here.

/** Milliseconds. Chrome lets hidden pages run once a minute; csink waits 150 s for them. */
export const SOON = 1000;
export const AFTER_FAILURE = 5000;
// A list of choices that is open closes when it is replaced. Nobody needs longer to choose.
const CHOOSING = 10000;

/** The wait before the next question. `spent`: what the last update took; a page updates for at most a third of its time. */
export function waitAfter(spent, failures) {
  return failures > 0 ? AFTER_FAILURE : Math.max(SOON, 2 * spent);
}

/**
 * What to ask for. `page`: {hidden, paused, choosing}, where `choosing` is the time in ms since a
 * list of choices got the focus, or null. `known`: {version, ended, newest}. Data that nobody sees
 * are not asked for, but the last state is. csink ends when the page has it, and learns that from
 * the version in the question.
 */
export function question(page, known) {
  const waits = page.paused || (page.choosing !== null && page.choosing < CHOOSING);
  const isLast = known.ended && known.newest > known.version;
  return (page.hidden || waits) && !isLast ? 'alive?after=' + known.version : 'data?after=' + known.version;
}

/** Whether the page has the last state of the program and need not ask again. */
export function isDone(known) {
  return known.ended && known.version >= known.newest;
}

/** The words above the page. */
export function words(page, known, failures) {
  if (isDone(known)) return 'The program has ended. This is its last state.';
  if (failures > 1) return 'No answer of csink view: this is the last state that it sent.';
  return page.paused ? 'The program runs. This page is paused.' : 'The program runs. This page follows it.';
}
