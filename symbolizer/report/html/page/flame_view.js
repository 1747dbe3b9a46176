// The flame graph: callers above, callees below; and the tree of callers of one function.

import { el, fill } from './dom.js';
import { MODULE_COLOURS, moduleColour } from './colours.js';
import { frameModule, frameName } from './data.js';
import { focusChange, functionActions, hideChange, noStacks, pathSwitches } from './function_actions.js';
import { fileStem, pngBlob, save, svgBlob, svgOf } from './flame_picture.js';
import { layout, neighbour, pathTo, rectangleAt } from './flame_layout.js';
import { fittingName, shortenFunction } from './names.js';
import { amount, grouped, intervalText, percent, sharePercent, visible } from './numbers.js';
import { cellOf } from './statistics.js';

const ROW = 20;
const FONT = '12px system-ui, sans-serif';
// Canvases of browsers are limited to some 16,000 pixels; deeper stacks are zoomed into.
const MOST_ROWS = 700;
// Names are elements, so that they can be found and copied; those of the deepest frames are left out.
const MOST_NAMES = 4000;
const LEAST_NAME_WIDTH = 24;
// The width of a printed page, in pixels of CSS: A4 without its edges.
const PAPER = 700;

/**
 * The view of a model. `paint` makes another picture of the call paths: {label, stateOf(state), colour(frame),
 * sign(frame), words(frame), modes(state)}: what is shown of a state, the colour of a frame, a sign before its
 * name, words behind its description, and what stands above the picture.
 */
export function makeFlameView(model, store, paint = null) {
  const {profile} = model;
  const canvas = el('canvas', {
    class: 'flame', tabindex: 0, role: 'application',
    'aria-label': 'flame graph; arrow keys move between frames, Enter zooms, Escape zooms out, h hides, f focuses, c shows callers',
  });
  const status = el('p', {class: 'note', role: 'status', 'aria-live': 'polite'});
  const tip = el('div', {class: 'tip', hidden: true});
  const crumbs = el('nav', {class: 'crumbs', 'aria-label': 'zoom'});
  const modes = el('div', {class: 'modes'});
  const actions = el('div', {});
  const names = el('div', {class: 'flame-names', 'aria-hidden': true});
  const legend = el('ul', {class: 'flame-legend', 'aria-label': 'colours of modules'});
  const holder = el('div', {class: 'flame-holder'}, canvas, names, tip);
  const paper = el('div', {class: 'flame-paper'});
  const saves = el('div', {class: 'modes screen-only', role: 'group', 'aria-label': 'save the picture'},
    el('button', {type: 'button', click: () => save(svgBlob(pictureNow()), fileName('svg'))}, 'Save as SVG'),
    el('button', {type: 'button', click: () => pngBlob(pictureNow(), blob => save(blob, fileName('png')))}, 'Save as PNG'));
  const element = el('section', {'aria-label': paint ? paint.label : 'flame graph'},
    model.hasStacks ? [modes, crumbs, status, actions, holder, paper, paint ? null : legend, saves] : noStacks());
  let rectangles = [];
  let tree = null;
  let focus = 0;
  let context = null;
  // The nodes of the elements of names.
  const nodeOf = new WeakMap();

  const shownState = () => paint ? paint.stateOf(store.get()) : store.get();
  const isInverse = state => state.callers;
  const whole = state => model.all(state)[state.event];
  const cellAt = (state, node) =>
    cellOf(profile.events[state.event], tree.samples[node], tree.weight[node], whole(state));
  const nameAt = node => node === 0 && tree.frame[0] < 0 ? 'all' : visible(frameName(profile, tree.frame[node]));
  const tintOf = module => moduleColour(module < 0 ? -1 : model.heatOfModule(module));
  const colourAt = frame => paint ? paint.colour(frame) : tintOf(model.moduleOfFrame(frame));
  const isInlined = frame => frame >= profile.frames.inlined && frame < profile.frames.name.length;
  const signAt = node => paint && paint.sign(tree.frame[node]) ? paint.sign(tree.frame[node]) + ' ' : '';

  function describe(state, node) {
    const event = profile.events[state.event];
    const cell = cellAt(state, node);
    const module = frameModule(profile, tree.frame[node]);
    return nameAt(node) + (isInlined(tree.frame[node]) ? ', inlined' : '') + (module ? ' (' + visible(module) + ')' : '') + ': ' + sharePercent(cell.share) + ', 95 % interval ' +
      intervalText(cell) + '; ' + amount(event, cell.weight) + ', ' + grouped(cell.samples) + ' samples' +
      (isInverse(state) || node === 0 ? '' : '; in itself ' + amount(event, tree.self[node])) +
      (paint ? paint.words(tree.frame[node]) : '');
  }

  /** Calls `draw(label, text)` for the names that fit into their frames. */
  function fitNames(labels, draw) {
    const widths = new Map();
    const widthOf = text => {
      if (!widths.has(text)) widths.set(text, context.measureText(text).width);
      return widths.get(text);
    };
    labels.sort((a, b) => a.depth - b.depth);
    return labels.slice(0, MOST_NAMES).map(label => {
      // The sign stays where the name is shortened: colour is not the only sign.
      const sign = signAt(label.node);
      const text = fittingName(nameAt(label.node), label.width - widthOf(sign), widthOf);
      return text ? draw(label, sign + text) : null;
    });
  }

  function drawNames(labels) {
    fill(names, fitNames(labels, ({node, x, depth, faint}, text) => {
      const span = el('span', {class: (faint ? 'faint ' : '') + (isInlined(tree.frame[node]) ? 'inlined' : '')}, text);
      span.style.left = x + 4 + 'px';
      span.style.top = depth * ROW + 'px';
      nodeOf.set(span, node);
      return span;
    }));
  }

  /** The modules with most samples, each with its colour. */
  function drawLegend(state) {
    const weight = model.sums('modules', {...state, stretch: ''}).weight[state.event];
    const shown = [...model.present('modules', {...state, stretch: ''})].sort((a, b) => weight[b] - weight[a]);
    fill(legend, shown.slice(0, MODULE_COLOURS.length).map(module => {
      const swatch = el('span', {class: 'swatch', 'aria-hidden': true});
      swatch.style.backgroundColor = tintOf(module);
      return el('li', {}, swatch, ' ' + visible(profile.modules.name[module]));
    }), shown.length > MODULE_COLOURS.length ? el('li', {class: 'note'}, grouped(shown.length - MODULE_COLOURS.length) + ' more modules repeat these colours') : null,
    state.inlined && profile.frames.inlined < profile.frames.name.length ? el('li', {class: 'note'}, el('i', {}, 'slanted'), ': inlined') : null);
  }

  const rowCount = () => Math.min(MOST_ROWS, 1 + rectangles.reduce((deepest, r) => Math.max(deepest, r.depth), 0));

  /** What draw() shows, as flame_picture.js takes it, in this width. */
  function pictureOf(state, width) {
    const style = getComputedStyle(document.documentElement);
    const colour = name => style.getPropertyValue(name).trim();
    const found = model.found(state.find);
    const labels = [];
    const frames = [];
    for (const r of rectangles) {
      if (r.depth >= MOST_ROWS) continue;
      const hit = found && isFound(found, tree.frame[r.node]);
      const w = r.width * width;
      frames.push({
        x: r.x * width, y: r.depth * ROW, width: Math.max(0.5, w - 0.5), height: ROW - 1, alpha: r.above ? 0.55 : 1,
        colour: found && !hit ? colour('--faint') : colourAt(tree.frame[r.node]), title: describe(state, r.node),
      });
      if (w > LEAST_NAME_WIDTH) labels.push({node: r.node, x: r.x * width, depth: r.depth, width: w - 7, faint: found && !hit});
    }
    context.font = FONT;
    const side = paint ? visible(profile.report.command) + ', ' + paint.label : visible(profile.report.command);
    return {
      width, height: rowCount() * ROW, back: colour('--back'), text: colour('--text'), frames,
      heads: [side, status.textContent].map(line => line.length > 160 ? line.slice(0, 160) + '\u2026' : line),
      labels: fitNames(labels, ({node, x, depth, faint}, text) => ({
        x: x + 4, y: depth * ROW + 14, text, colour: faint ? colour('--text') : '#000000', inlined: isInlined(tree.frame[node]),
      })).filter(label => label),
    };
  }
  const pictureNow = () => pictureOf(shownState(), holder.clientWidth || 800);
  const fileName = ending => fileStem(profile.report.command, paint ? 'changes' : 'flame') + '.' + ending;
  const isFound = (found, frame) => frame >= 0 && frame < profile.frames.name.length && found.names[profile.frames.name[frame]] === 1;

  function draw(state) {
    const width = holder.clientWidth || 800;
    const rows = rowCount();
    const scale = Math.min(window.devicePixelRatio || 1, 16000 / (rows * ROW));
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(rows * ROW * scale);
    canvas.style.height = rows * ROW + 'px';
    context = context || canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const style = getComputedStyle(document.documentElement);
    context.fillStyle = style.getPropertyValue('--back');
    context.fillRect(0, 0, width, rows * ROW);
    context.font = FONT;
    const found = model.found(state.find);
    const labels = [];
    let matched = 0;
    // Samples below a match count once.
    const counted = new Set();
    for (const r of rectangles) {
      if (r.depth >= MOST_ROWS) continue;
      const frame = tree.frame[r.node];
      const hit = found && isFound(found, frame);
      const below = counted.has(tree.parent[r.node]) && r.node > 0;
      if (hit || below) counted.add(r.node);
      if (hit && !below && !r.above) matched += tree.weight[r.node];
      const x = r.x * width;
      const w = r.width * width;
      context.globalAlpha = r.above ? 0.55 : 1;
      context.fillStyle = found && !hit ? style.getPropertyValue('--faint') : colourAt(frame);
      context.fillRect(x, r.depth * ROW, Math.max(0.5, w - 0.5), ROW - 1);
      if (w > LEAST_NAME_WIDTH) labels.push({node: r.node, x, depth: r.depth, width: w - 7, faint: found && !hit});
      if (r.node === focus && document.activeElement === canvas) {
        context.globalAlpha = 1;
        context.strokeStyle = style.getPropertyValue('--text');
        context.lineWidth = 2;
        context.strokeRect(x + 1, r.depth * ROW + 1, Math.max(1, w - 2), ROW - 3);
      }
    }
    context.globalAlpha = 1;
    drawNames(labels);
    if (!found) return '';
    const all = whole(state).weight;
    return 'The text is in frames with ' + percent(all > 0 ? matched / all : 0) + ' of ' + profile.events[state.event].name + '.';
  }

  function rectangleOf(event) {
    const box = canvas.getBoundingClientRect();
    return rectangleAt(rectangles, (event.clientX - box.left) / box.width, Math.floor((event.clientY - box.top) / ROW));
  }
  const zoomTo = node => store.set({zoom: node});

  const selected = () => {
    const selection = window.getSelection();
    return selection.isCollapsed ? [] : [...names.children].filter(span => selection.containsNode(span, true));
  };
  holder.addEventListener('click', event => {
    const hit = rectangleOf(event);
    // Names that are being selected are no click.
    if (!hit || selected().length > 0) return;
    focus = hit.node;
    canvas.focus({preventScroll: true});
    zoomTo(hit.node === store.get().zoom ? tree.parent[hit.node] : hit.node);
  });
  // The whole names are copied, not what fits into the frames.
  names.addEventListener('copy', event => {
    const spans = selected();
    if (spans.length === 0) return;
    event.clipboardData.setData('text/plain', spans.map(span => nameAt(nodeOf.get(span))).join('\n'));
    event.preventDefault();
  });
  holder.addEventListener('mousemove', event => {
    const hit = rectangleOf(event);
    tip.hidden = !hit;
    if (!hit) return;
    tip.textContent = describe(shownState(), hit.node);
    const box = holder.getBoundingClientRect();
    const x = event.clientX - box.left;
    tip.style.left = Math.max(0, Math.min(x + 12, box.width - tip.offsetWidth - 4)) + 'px';
    tip.style.top = event.clientY - box.top + 18 + 'px';
  });
  holder.addEventListener('mouseleave', () => { tip.hidden = true; });
  canvas.addEventListener('keydown', event => {
    const state = shownState();
    if (event.key.startsWith('Arrow')) {
      focus = neighbour(tree, rectangles, focus, event.key);
      status.textContent = describe(state, focus);
      draw(state);
    } else if (event.key === 'Enter') {
      zoomTo(focus);
    } else if (event.key === 'Escape') {
      zoomTo(state.zoom > 0 ? tree.parent[state.zoom] : 0);
    } else if (event.key === 'c' && tree.frame[focus] >= 0) {
      store.set({view: 'flame', fn: model.frameKey(tree.frame[focus]), callers: true, zoom: 0});
    } else if ((event.key === 'h' || event.key === 'f') && !paint && tree.frame[focus] >= 0) {
      store.set((event.key === 'h' ? hideChange : focusChange)(state, model.frameKey(tree.frame[focus])));
    } else {
      return;
    }
    event.preventDefault();
  });
  canvas.addEventListener('focus', () => draw(shownState()));
  canvas.addEventListener('blur', () => draw(shownState()));
  // The canvas has colours of the style, so it is drawn again when the system changes between light and dark.
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (element.isConnected && tree) draw(shownState());
  }, {signal: model.signal});
  // A canvas has the width of the screen; paper gets an SVG of its own width.
  window.addEventListener('beforeprint', () => {
    if (element.isConnected && tree) fill(paper, svgOf({...pictureOf(shownState(), PAPER), heads: []}));
  }, {signal: model.signal});
  window.addEventListener('afterprint', () => fill(paper), {signal: model.signal});
  let resizing = null;
  window.addEventListener('resize', () => {
    clearTimeout(resizing);
    resizing = setTimeout(() => {
      if (element.isConnected && tree) draw(shownState());
    }, 50);
  }, {signal: model.signal});

  return {
    element,
    update() {
      if (!model.hasStacks || profile.events.length === 0) return;
      const state = shownState();
      const inverse = isInverse(state);
      tree = inverse ? model.callers(state) : model.tree(state);
      const zoom = state.zoom < tree.count ? state.zoom : 0;
      if (focus >= tree.count) focus = zoom;
      rectangles = layout(tree, zoom, 0.4 / (holder.clientWidth || 800));
      if (!rectangles.some(r => r.node === focus)) focus = zoom;
      const key = tree.frame[zoom] >= 0 ? model.frameKey(tree.frame[zoom]) : '';
      const mode = (on, change, text) => el('a', {class: on ? 'mode on' : 'mode', href: store.hashOf({zoom: 0, ...change}), 'aria-current': on ? 'true' : null}, text);
      fill(modes, paint ? paint.modes(state) : [
        mode(!inverse, {callers: false, fn: ''}, 'call paths'),
        mode(inverse && state.fn === '', {callers: true, fn: ''}, 'bottom-up'),
        inverse && state.fn ? el('span', {class: 'mode on'}, 'callers of ' + shortenFunction(visible(state.fn.replace(/^[^:]*:/, '')), 80)) : null,
        pathSwitches(model, store, state)]);
      fill(actions, !paint && key ? functionActions(model, store, state, key) : null);
      fill(crumbs, zoom > 0 ? [el('a', {href: store.hashOf({zoom: 0})}, nameAt(0)),
        pathTo(tree, zoom).slice(-6).map(node => [' \u203a ', el('a', {href: store.hashOf({zoom: node})}, nameAt(node))])] : null);
      if (!paint) drawLegend(state);
      const matched = draw(state);
      status.textContent = inverse && tree.weight[0] === 0 ? 'No samples of this function.' :
        describe(state, zoom) + '. ' + matched;
    },
  };
}
