// The code that only live pages have: asks the server of the page for newer data and gives them to main.js.

import { isDone, question, waitAfter, words } from './poller.js';

// A server that annotates the last state may need long.
const TIMEOUT = 120000;

const known = {version: 0, newest: 0, ended: false};
const page = {hidden: false, paused: false, choosing: null};
let failures = 0;
let chosenAt = null;
let isPressed = false;
let whenReleased = null;

const text = document.createElement('span');
const button = document.createElement('button');
button.type = 'button';
const bar = document.createElement('div');
bar.className = 'live';
text.setAttribute('role', 'status');
bar.append(text, ' ', button);

function say() {
  const next = words(page, known, failures);
  if (text.textContent !== next) text.textContent = next;
  button.textContent = page.paused ? 'Go on' : 'Pause';
  button.hidden = isDone(known);
}

/** Waits until no button of the mouse is down: an element that is replaced in between gets no click. */
function released() {
  return isPressed ? new Promise(resolve => { whenReleased = resolve; }) : Promise.resolve();
}

async function ask() {
  const active = document.activeElement;
  page.hidden = document.hidden;
  page.choosing = chosenAt !== null && active && active.tagName === 'SELECT' ? performance.now() - chosenAt : null;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIMEOUT);
  let spent = 0;
  try {
    const answer = await fetch(question(page, known), {cache: 'no-store', signal: stop.signal});
    if (!answer.ok) throw new Error('status ' + answer.status);
    const data = await answer.text();
    known.newest = Number(answer.headers.get('X-Csink-Version'));
    known.ended = answer.headers.get('X-Csink-State') === 'ended';
    failures = 0;
    if (data) {
      await released();
      const begin = performance.now();
      document.dispatchEvent(new CustomEvent('csink-data', {detail: data}));
      known.version = known.newest;
      spent = performance.now() - begin;
    }
  } catch (error) {
    ++failures;
  }
  clearTimeout(timer);
  say();
  if (!isDone(known)) setTimeout(ask, waitAfter(spent, failures));
}

button.addEventListener('click', () => {
  page.paused = !page.paused;
  say();
});
const choosing = event => { if (event.target.tagName === 'SELECT') chosenAt = performance.now(); };
document.addEventListener('focusin', choosing);
document.addEventListener('pointerdown', event => {
  isPressed = true;
  choosing(event);
}, true);
for (const type of ['pointerup', 'pointercancel']) {
  document.addEventListener(type, () => {
    isPressed = false;
    // The click comes behind this event.
    if (whenReleased) setTimeout(whenReleased, 50);
    whenReleased = null;
  }, true);
}
(document.querySelector('header') || document.body).prepend(bar);
say();
ask();
