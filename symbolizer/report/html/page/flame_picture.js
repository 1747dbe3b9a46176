// A flame graph as a picture of its own: SVG with text that is text, or PNG. The same frames, colours and names as
// on the screen.

const SVG = 'http://www.w3.org/2000/svg';
const EDGE = 8;
const LINE = 18;
const FAMILY = 'system-ui, sans-serif';
// Pixels of a PNG for each pixel of the picture; less where the result would be larger than browsers permit.
const SCALE = 2;
const MOST_PIXELS = 16000;

/** Without characters that XML does not permit, as halves of pairs. Control characters are visible text already (numbers.js). */
function xmlText(text) {
  return text.replace(/[\ud800-\udfff\ufffe\uffff]/gu, '\ufffd');
}

/** The part of a file's name that stands for a program: "app" of "/usr/bin/app --fast". */
export function fileStem(command, view) {
  const program = (command.split(' ')[0].split('/').pop() || '').replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^\.+/, '');
  return (program || 'csink').slice(0, 60) + '-' + view;
}

const sizeOf = picture => ({width: picture.width + 2 * EDGE, top: EDGE + picture.heads.length * LINE,
  height: picture.height + 2 * EDGE + picture.heads.length * LINE});

/**
 * An SVG element. `picture`: {width, height, back, text, heads, frames, labels}: size of the frames, colours, lines above
 * the frames, {x, y, width, height, colour, alpha, title} and {x, y, text, colour, inlined}.
 */
export function svgOf(picture) {
  const {width, height, top} = sizeOf(picture);
  const make = (name, attributes, text = null) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== null) element.textContent = xmlText(text);
    return element;
  };
  const short = value => String(Math.round(100 * value) / 100);
  const svg = make('svg', {xmlns: SVG, width, height, viewBox: '0 0 ' + width + ' ' + height, 'font-family': FAMILY, 'font-size': 12, role: 'img'});
  svg.append(make('title', {}, picture.heads.join(', ')), make('rect', {width: '100%', height: '100%', fill: picture.back}));
  picture.heads.forEach((line, i) => svg.append(make('text', {x: EDGE, y: EDGE + 12 + i * LINE, fill: picture.text, 'font-weight': i === 0 ? 'bold' : 'normal'}, line)));
  const frames = make('g', {transform: 'translate(' + EDGE + ',' + top + ')'});
  for (const {x, y, width: w, height: h, colour, alpha, title} of picture.frames) {
    const rect = make('rect', {x: short(x), y, width: short(w), height: h, fill: colour});
    if (alpha !== 1) rect.setAttribute('fill-opacity', alpha);
    rect.append(make('title', {}, title));
    frames.append(rect);
  }
  for (const {x, y, text, colour, inlined} of picture.labels) {
    frames.append(make('text', {x: short(x), y, fill: colour, 'pointer-events': 'none', ...(inlined ? {'font-style': 'italic'} : {})}, text));
  }
  svg.append(frames);
  return svg;
}

/** The file of an SVG. */
export function svgBlob(picture) {
  return new Blob(['<?xml version="1.0" encoding="UTF-8"?>\n', new XMLSerializer().serializeToString(svgOf(picture))], {type: 'image/svg+xml'});
}

/** Calls `done` with the file of a PNG. */
export function pngBlob(picture, done) {
  const {width, height, top} = sizeOf(picture);
  const canvas = document.createElement('canvas');
  const scale = Math.min(SCALE, MOST_PIXELS / Math.max(width, height));
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  context.fillStyle = picture.back;
  context.fillRect(0, 0, width, height);
  context.fillStyle = picture.text;
  picture.heads.forEach((line, i) => {
    context.font = (i === 0 ? 'bold ' : '') + '12px ' + FAMILY;
    context.fillText(line, EDGE, EDGE + 12 + i * LINE, width - 2 * EDGE);
  });
  context.translate(EDGE, top);
  for (const {x, y, width: w, height: h, colour, alpha} of picture.frames) {
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.fillRect(x, y, w, h);
  }
  context.globalAlpha = 1;
  for (const {x, y, text, colour, inlined} of picture.labels) {
    context.font = (inlined ? 'italic ' : '') + '12px ' + FAMILY;
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }
  canvas.toBlob(done, 'image/png');
}

/** Gives a file to the user, without a request: it is in the browser's memory. */
export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
