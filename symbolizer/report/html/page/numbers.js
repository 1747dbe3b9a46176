// Numbers as people read them. The same rules as symbolizer/report/wording/numbers.h.

/** A share of 1 as a percentage: 0.612 -> "61.2 %". */
export function percent(share, decimals = 1) {
  return (100 * share).toFixed(decimals) + ' %';
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

/** Three significant digits and a unit: "850 us", "12.3 ms", "3.42 s", "5 min". */
export function duration(seconds) {
  if (!(seconds > 0)) return '0 s';
  if (seconds >= 48 * 3600) return Math.round(seconds / 86400) + ' d';
  if (seconds >= 120 * 60) return Math.round(seconds / 3600) + ' h';
  if (seconds >= 120) return Math.round(seconds / 60) + ' min';
  for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['us', 1e-6], ['ns', 1e-9]]) {
    if (seconds >= size * 0.9995) return Number((seconds / size).toPrecision(3)) + ' ' + unit;
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
