// Line charts of the last seconds, with the relay mode as their background, and bars that compare
// the modes. Plain SVG: no library, no inline style.

const MIN_SPAN_S = 30;
const MAX_SPAN_S = 120;
const WIDTH = 520;
const HEIGHT = 190;
const LEFT = 46;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 22;
// Ratios are of three seconds, so these after a change hold something of before.
const MIXED_S = 3;
const SETTINGS = ['members', 'talkers', 'rate'];

function svg(name, attributes = {}, text = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

function html(name, className = '', text = '') {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

// The next of 1, 2, 5 times a power of ten.
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

export function format(value, unit = '') {
  if (value === null || value === undefined) return '–';
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit && ` ${unit}`}`;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Stretches of seconds in one mode: [{mode, from, to}], in ms.
export function bandsOf(seconds) {
  const bands = [];
  for (const second of seconds) {
    const last = bands.at(-1);
    if (last?.mode === second.mode) {
      last.to = second.at;
    } else {
      bands.push({mode: second.mode, from: last ? last.to : second.at - 1000, to: second.at});
    }
  }
  return bands;
}

// Those seconds that may be compared with each other: with the settings of the last one, and not
// just after a change of these or of the mode. By mode.
export function comparable(seconds) {
  const alike = (one, other, keys) => keys.every((key) => one[key] === other[key]);
  const byMode = new Map();
  let steady = 0;  // seconds since the last change
  seconds.forEach((second, i) => {
    const changed = i > 0 && !alike(seconds[i - 1], second, ['mode', ...SETTINGS]);
    steady = changed ? 0 : steady + 1;
    if (steady < MIXED_S || second.sent === 0 || !alike(second, seconds.at(-1), SETTINGS)) return;
    if (!byMode.has(second.mode)) byMode.set(second.mode, []);
    byMode.get(second.mode).push(second);
  });
  return byMode;
}

export class Chart {
  #lines;
  #unit;
  #compare;
  #svg = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true'});
  #now = html('p', 'now');
  #bars = html('ul', 'bars');

  // `lines`: seconds → [{name, values: [number or null, …]}]; `compare`: second → number or null,
  // which the bars show; `compared` says what it is.
  constructor(parent, {title, unit, lines, compare, compared}) {
    this.#lines = lines;
    this.#unit = unit;
    this.#compare = compare;
    const figure = html('section', 'chart');
    figure.setAttribute('aria-label', title);
    this.#now.setAttribute('aria-label', 'Now');
    this.#bars.setAttribute('aria-label', 'By mode');
    figure.append(html('h2', '', title), this.#now, this.#svg,
                  html('p', 'compared', `${compared}, by mode`), this.#bars);
    parent.append(figure);
  }

  // `seconds`: all that are known, the newest last; at least one.
  draw(seconds) {
    const end = seconds.at(-1).at;
    const known = (end - seconds[0].at) / 1000;
    const span = Math.min(MAX_SPAN_S, Math.max(MIN_SPAN_S, known));
    const shown = seconds.filter(({at}) => at >= end - span * 1000);
    const lines = this.#lines(shown);
    const most = Math.max(0, ...lines.flatMap(({values}) => values.map((value) => value ?? 0)));
    const top = roundUp(most);
    const x = (at) => LEFT + (1 - (end - at) / (span * 1000)) * (WIDTH - LEFT - RIGHT);
    const y = (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
    this.#svg.replaceChildren(...bands(shown, x), ...axes(top, y, x, end, span),
                              ...lines.flatMap((line, i) => drawn(line, i, shown, x, y)));
    this.#now.replaceChildren(...lines.map(({name, values}, i) => {
      const entry = html('span', `line${i}`);
      entry.append(html('i'), `${name} ${format(values.at(-1), this.#unit)}`);
      return entry;
    }));
    this.#drawBars(comparable(seconds));
  }

  #drawBars(byMode) {
    const medians = [...byMode].sort(([a], [b]) => b.localeCompare(a)).flatMap(([mode, seconds]) => {
      const values = seconds.map(this.#compare).filter((value) => value !== null);
      return values.length > 0 ? [{mode, value: median(values)}] : [];
    });
    const most = Math.max(...medians.map(({value}) => value), Number.MIN_VALUE);
    this.#bars.replaceChildren(...medians.map(({mode, value}) => {
      const bar = html('li', mode);
      const length = html('b');
      length.style.width = `${Math.max(0.5, 100 * value / most)}%`;
      const room = html('span', 'room');
      room.append(length);
      bar.append(html('span', 'name', mode), room, html('span', 'value', format(value, this.#unit)));
      return bar;
    }));
  }
}

function bands(shown, x) {
  return bandsOf(shown).flatMap(({mode, from, to}) => {
    const left = Math.max(LEFT, x(from));
    const width = x(to) - left;
    if (width <= 0) return [];
    const parts = [svg('rect', {class: `band ${mode}`, x: left, y: TOP, width,
                                height: HEIGHT - TOP - BOTTOM})];
    if (width > 34) parts.push(svg('text', {class: `mode ${mode}`, x: left + 4, y: TOP + 12}, mode));
    return parts;
  });
}

function axes(top, y, x, end, span) {
  const parts = [];
  for (const share of [0, 0.5, 1]) {
    const at = y(top * share);
    parts.push(svg('line', {class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at}),
               svg('text', {class: 'tick end', x: LEFT - 5, y: at + 4}, `${+(top * share).toPrecision(3)}`));
  }
  const step = span > 60 ? 30 : 10;
  for (let back = 0; back <= span - step / 2; back += step) {
    parts.push(svg('text', {class: back === 0 ? 'tick end' : 'tick middle', x: x(end - back * 1000), y: HEIGHT - 6},
                   back === 0 ? 'now' : `−${back} s`));
  }
  return parts;
}

// One path; where a value is lacking it has a gap.
function drawn({values}, i, shown, x, y) {
  let path = '';
  let pen = 'M';
  values.forEach((value, at) => {
    if (value === null || value === undefined) {
      pen = 'M';
      return;
    }
    path += `${pen}${x(shown[at].at).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = 'L';
  });
  return path ? [svg('path', {class: `line line${i}`, d: path})] : [];
}
