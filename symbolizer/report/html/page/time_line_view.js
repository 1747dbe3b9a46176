// Threads over time: one row of slices a thread, a stretch that can be selected, and what is known of that stretch.

import { el, fill, table } from './dom.js';
import { duration, grouped, percent, visible } from './numbers.js';
import { functionsIn, sharesAt, stretchOf, stretchText, sumIn, threadIn } from './time_line.js';

const HEIGHT = 28;
// More rows are not drawn; the sums of a stretch have all threads.
const MOST_ROWS = 100;
const MOST_FUNCTIONS = 30;

export function makeTimeLineView(model, store) {
  const line = model.profile.timeline;
  const element = el('div', {});
  if (!line) {
    fill(element, el('p', {class: 'note'}, 'No time line: the processes ran less than a second, or the file is of an older ' +
      'version or of csink merge.'));
    return {element, update() {}};
  }
  const shown = line.threads.slice(0, MOST_ROWS);
  const picture = el('div', {class: 'time-line'});
  const below = el('div', {'aria-live': 'polite'});
  const from = el('input', {type: 'number', min: 0, max: line.seconds, step: 'any', 'aria-label': 'begin of the stretch in seconds'});
  const to = el('input', {type: 'number', min: 0, max: line.seconds, step: 'any', 'aria-label': 'end of the stretch in seconds'});
  const take = () => store.set({stretch: from.value !== '' && to.value !== '' ? stretchText(line, Number(from.value), Number(to.value)) : ''});
  from.addEventListener('change', take);
  to.addEventListener('change', take);
  let drag = null;

  /** Seconds under the pointer, by the track where the drag began. */
  function secondsAt(event, track) {
    const box = track.getBoundingClientRect();
    return (event.clientX - box.left) / Math.max(1, box.width) * line.seconds;
  }

  function listen(track) {
    track.addEventListener('pointerdown', event => {
      drag = secondsAt(event, track);
      track.setPointerCapture(event.pointerId);
    });
    track.addEventListener('pointerup', event => {
      if (drag === null) return;
      store.set({stretch: stretchText(line, drag, secondsAt(event, track))});
      drag = null;
    });
    track.addEventListener('pointercancel', () => { drag = null; });
  }

  /** Draws the slices of a thread: running from the bottom, waiting for a processor above it; what is blocked stays empty. */
  function draw(canvas, thread) {
    const width = Math.max(1, canvas.clientWidth);
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(HEIGHT * scale);
    const context = canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    const colour = name => style.getPropertyValue(name).trim();
    const whole = line.seconds / line.slice_seconds;
    for (let i = 0; i < thread.run_us.length; ++i) {
      const shares = sharesAt(line, thread, i);
      if (shares.known <= 0) continue;
      const left = i / whole * canvas.width;
      const right = Math.min(canvas.width, (i + 1) / whole * canvas.width);
      const part = (name, low, high) => {
        context.fillStyle = colour(name);
        context.fillRect(left, (1 - high) * canvas.height, right - left + 0.5, (high - low) * canvas.height);
      };
      part('--track', 0, 1);
      part('--fill', 0, shares.run);
      part('--more', shares.run, shares.run + shares.wait);
    }
  }

  const tracks = shown.map(thread => {
    const words = thread.rest ? 'running ' + duration(thread.run_seconds) :
      'running ' + duration(thread.run_seconds) +
      (thread.wait_known ? ', waiting for a processor ' + duration(thread.wait_seconds) : '') +
      ', blocked ' + duration(thread.blocked_seconds);
    const name = thread.rest ? '(further threads)' : thread.tid + ' ' + thread.name;
    const title = visible(name + ': ' + words);
    const canvas = el('canvas', {class: 'time-slices', role: 'img', 'aria-label': title, title});
    const track = el('div', {class: 'time-stretchable'}, canvas);
    listen(track);
    return {thread, name, canvas, track, title};
  });

  function marks() {
    if (line.marks.length === 0) return null;
    const track = el('div', {class: 'time-marks'}, line.marks.map(mark => {
      const title = visible(mark.name + ' at ' + duration(mark.seconds));
      const sign = el('span', {class: 'time-mark', title}, visible(mark.name));
      sign.style.left = 100 * mark.seconds / line.seconds + '%';
      return sign;
    }));
    return el('div', {class: 'time-row'}, el('span', {class: 'name'}, 'marks'), track);
  }

  function axis() {
    const track = el('div', {class: 'time-axis'}, [0, 1, 2, 3, 4].map(quarter => {
      const tick = el('span', {}, duration(line.seconds * quarter / 4));
      tick.style.left = 25 * quarter + '%';
      return tick;
    }));
    return el('div', {class: 'time-row'}, el('span', {}), track);
  }

  fill(picture, marks(), tracks.map(({name, track, title}) => el('div', {class: 'time-row'},
    el('span', {class: 'name', title}, visible(name)), track)),
  axis());
  fill(element,
    el('p', {class: 'note'}, 'From the bottom: running, waiting for a processor; the rest is blocked. One slice is ' +
      duration(line.slice_seconds) + '. Drag over a row, or enter two times, to select a stretch.'),
    el('div', {class: 'filters'}, el('label', {}, el('span', {}, 'from'), from, 's'), el('label', {}, el('span', {}, 'to'), to, 's'),
      el('button', {type: 'button', click: () => store.set({stretch: ''})}, 'whole run')),
    picture,
    line.threads.length > MOST_ROWS ? el('p', {class: 'note'}, grouped(line.threads.length - MOST_ROWS) + ' more are not drawn.') : null,
    below);

  function stretchTables(stretch) {
    const wall = stretch.to - stretch.from;
    const hot = functionsIn(line, stretch);
    const placed = hot.reduce((sum, row) => sum + row.inside, 0);
    const taken = line.threads.reduce((sum, thread) => sum + sumIn(line, thread.samples, stretch), 0);
    return [
      table('Threads from ' + duration(stretch.from) + ' to ' + duration(stretch.to), ['thread', '#running', '#waiting', '#blocked'],
        line.threads.filter(thread => !thread.rest).slice(0, MOST_ROWS).map(thread => {
          const sums = threadIn(line, thread, stretch);
          return [visible(thread.tid + ' ' + thread.name), percent(sums.run / wall),
            thread.wait_known ? percent(sums.wait / wall) : '', percent(sums.blocked / wall)];
        })),
      table('Functions in this stretch', ['function', 'module', '#samples', '#of its own'], hot.slice(0, MOST_FUNCTIONS).map(row =>
        [visible(row.function.function), visible(row.function.module), row.inside.toFixed(row.inside < 10 ? 1 : 0),
          percent(row.function.total > 0 ? row.inside / row.function.total : 0)])),
      el('p', {class: 'note'}, 'Only the 64 hottest places of each process keep the time of their samples: about ' +
        grouped(Math.round(placed)) + ' samples here, of ' + grouped(Math.round(taken)) + ' in the stretch (all events). Functions, ' +
        'Modules and Threads count the stretch; lines and callers have no time, so their views show the whole run. A phase filters all.'),
    ];
  }

  return {
    element,
    update(state) {
      const stretch = stretchOf(line, state.stretch);
      from.value = stretch ? String(stretch.from) : '';
      to.value = stretch ? String(stretch.to) : '';
      for (const {thread, canvas, track} of tracks) {
        draw(canvas, thread);
        const old = track.querySelector('.time-chosen');
        if (old) old.remove();
        if (!stretch) continue;
        const chosen = el('span', {class: 'time-chosen'});
        chosen.style.left = 100 * stretch.from / line.seconds + '%';
        chosen.style.width = 100 * (stretch.to - stretch.from) / line.seconds + '%';
        track.append(chosen);
      }
      fill(below, stretch ? stretchTables(stretch) : null);
    },
  };
}
