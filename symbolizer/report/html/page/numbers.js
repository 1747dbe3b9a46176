// Numbers as people read them. The same rules as symbolizer/report/wording/numbers.h.

/** A share of 1 as a percentage: 0.612 -> "61.2 %". */
export function percent(share, decimals = 1) {
  return (100 * share).toFixed(decimals) + ' %';
}

/** A share in a table: as percent, but with two significant digits below 0.1 %: "0.034 %". */
export function sharePercent(share) {
  if (!(share > 0 && share < 0.001)) return percent(share);
  return share < 0.995e-6 ? '<0.0001 %' : percent(share, 1 - Math.floor(Math.log10(Number((100 * share).toPrecision(2)))));
}

/** Groups of three digits: 12345678 -> "12,345,678". */
export function grouped(count) {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Three significant digits and a decimal prefix: "1.23G", "45.6M", "789". */
export function short(value) {
  if (value < 999.5) return value < 10 && value % 1 ? value.toPrecision(3) : String(Math.round(value));
  for (const prefix of ['k', 'M', 'G', 'T', 'P', 'E']) {
    value /= 1000;
    if (value < 999.5) return Number(value.toPrecision(3)) + prefix;
  }
  return value.toPrecision(3) + 'E';
}

/** Without zeros at the end; numbers of 1000 and more keep all digits before the point. */
function threeDigits(value) {
  return value >= 999.5 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** Three significant digits and a unit: "850 us", "12.3 ms", "3.42 s", "2.49 min". */
export function duration(seconds) {
  if (!(seconds > 0)) return '0 s';
  for (const [unit, size, least] of [['days', 86400, 48 * 3600], ['h', 3600, 7200], ['min', 60, 120]]) {
    if (seconds >= least) return threeDigits(seconds / size) + ' ' + unit;
  }
  for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['us', 1e-6], ['ns', 1e-9]]) {
    if (seconds >= size * 0.9995) return threeDigits(seconds / size) + ' ' + unit;
  }
  return '<1 ns';
}

/** What a weight of an event stands for: a time for a clock, else a count. */
export function amount(event, weight) {
  const scaled = weight * (event.scale || 1);
  return event.kind === 'clock' ? duration(scaled / 1e9) : short(scaled);
}

/** "95 % interval 1.0-2.0 %". */
export function intervalText(cell) {
  return percent(cell.low) + ' to ' + percent(cell.high);
}

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A name whose control characters and direction marks are visible: "[U+202E]". */
export function visible(name) {
  return name.replace(HIDDEN, c => '[U+' + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + ']');
}
