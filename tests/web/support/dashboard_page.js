// Runs in the browser: draws the panels of one dashboard with uPlot. `board` and `uPlot` are there.
// A likeness to look at, in the places and units that the dashboard's JSON gives; Grafana draws its
// own way.

const COLORS = ['#2f6fb0', '#c65d21', '#3d8f4f', '#8757a6', '#b8860b', '#1f8a8a', '#b03a5b', '#6b6b6b',
                '#5a7d1a', '#4b4fa8', '#a0522d', '#008b6e', '#9a4f9a', '#7a6a00', '#336b87', '#884444'];
const ROW_PX = 26;
const GAP_PX = 6;

const scaled = (value, steps) => {
  const [size, name] = steps.find(([least]) => Math.abs(value) >= least) ?? steps.at(-1);
  const number = value / size;
  return `${Number(number.toPrecision(3))}${name}`;
};
const SHORT = [[1e9, ' G'], [1e6, ' M'], [1e3, ' k'], [1, '']];
// A value in a unit of Grafana's. Throws on one that this page doesn't know.
const FORMATS = {
  short: (value) => scaled(value, SHORT),
  ops: (value) => `${scaled(value, SHORT)}/s`,
  reqps: (value) => `${scaled(value, SHORT)}/s`,
  percentunit: (value) => `${Number((value * 100).toPrecision(2))} %`,
  bytes: (value) => scaled(value, [[2 ** 30, ' GiB'], [2 ** 20, ' MiB'], [2 ** 10, ' KiB'], [1, ' B']]),
  s: (value) => value === 0 ? '0 s' : scaled(value, [[1, ' s'], [1e-3, ' ms'], [1e-6, ' µs']]),
};
const formatOf = (unit) => {
  if (FORMATS[unit] === undefined) throw new Error(`unknown unit ${unit}`);
  return (value) => value === null ? '–' : FORMATS[unit](value);
};

const element = (parent, kind, className, text) => {
  const made = parent.appendChild(document.createElement(kind));
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

const colorOf = (i) => COLORS[i % COLORS.length];
// The colour mixed with white, so that it hides what is under it.
const paleOf = (color) => {
  const mixed = [1, 3, 5].map((at) => Math.round(parseInt(color.slice(at, at + 2), 16) * 0.4 + 255 * 0.6));
  return `rgb(${mixed.join(', ')})`;
};
// Steps of an axis of bytes.
const POWERS_OF_TWO = Array.from({length: 40}, (_, i) => 2 ** i);
const lastOf = (values) => values.findLast((value) => value !== null) ?? null;

// Each line on top of those before it.
const stacked = (lines) => {
  const sums = [];
  let below = lines[0]?.values.map(() => 0) ?? [];
  for (const {values} of lines) {
    below = below.map((sum, i) => sum + (values[i] ?? 0));
    sums.push(below);
  }
  return sums;
};

const drawGraph = (box, panel) => {
  const format = formatOf(panel.unit);
  const lines = panel.lines.filter((line) => !line.hidden);
  const reach = Math.max(0, ...panel.lines.filter((line) => line.hidden).flatMap((line) => line.values));
  const columns = panel.stacked ? stacked(lines).reverse() : lines.map((line) => line.values);
  const order = lines.map((_, i) => panel.stacked ? lines.length - 1 - i : i);
  const plot = element(box, 'div', 'plot');
  const legend = element(box, 'div', 'legend');
  for (const [i, line] of lines.entries()) {
    const entry = element(legend, 'span', 'entry');
    element(entry, 'i', '').style.background = colorOf(i);
    entry.append(line.name);
  }
  const chart = new uPlot({
    width: plot.clientWidth,
    height: plot.clientHeight,
    legend: {show: false},
    cursor: {show: false},
    scales: {
      x: {time: false, range: [0, board.times.at(-1)]},
      y: {range: (_, __, most) => [0, panel.max ?? (Math.max(most, reach) * 1.1 || 1)]},
    },
    axes: [
      {values: (_, ticks) => ticks.map((at) => `${at} s`), size: 22, font: '11px sans-serif',
       grid: {stroke: '#eee', width: 1}, ticks: {show: false}},
      {values: (_, ticks) => ticks.map(format), incrs: panel.unit === 'bytes' ? POWERS_OF_TWO : undefined, size: 62, font: '11px sans-serif',
       grid: {stroke: '#eee', width: 1}, ticks: {show: false}},
    ],
    series: [{}, ...order.map((i) => ({
      stroke: colorOf(i),
      width: 1.25,
      fill: panel.stacked ? paleOf(colorOf(i)) : undefined,
      points: {show: false},
      spanGaps: false,
      paths: panel.steps ? uPlot.paths.stepped({align: 1}) : undefined,
    }))],
  }, [board.times, ...columns], plot);
  return chart.root.querySelector('canvas');
};

const drawNumber = (box, panel) => {
  const format = formatOf(panel.unit);
  const numbers = element(box, 'div', 'numbers');
  for (const line of panel.lines) {
    const value = lastOf(line.values);
    const cell = element(numbers, 'div', 'number');
    const bad = panel.badFrom !== null && value >= panel.badFrom;
    element(cell, 'b', bad ? 'bad' : 'good', format(value));
    if (panel.lines.length > 1 || panel.named) element(cell, 'small', '', line.name);
  }
};

// How many pixels of a graph are painted in colour: its lines, not its axes. The caller wants none to
// be blank.
const inkOf = (canvas) => {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let ink = 0;
  for (let i = 0; i < data.length; i += 4) {
    const [red, green, blue, opacity] = data.subarray(i, i + 4);
    if (opacity > 100 && Math.max(red, green, blue) - Math.min(red, green, blue) > 50) ++ink;
  }
  return ink;
};

const main = async () => {
  const grid = document.querySelector('main');
  document.querySelector('h1').textContent = board.title;
  const canvases = [];
  for (const panel of board.panels) {
    const box = element(grid, 'section', panel.kind);
    const {x, y, w, h} = panel.place;
    box.style.cssText = `left: ${x / 24 * 100}%; top: ${y * ROW_PX}px; width: calc(${w / 24 * 100}% - ${
        GAP_PX}px); height: ${h * ROW_PX - GAP_PX}px`;
    element(box, 'h2', '', panel.title);
    if (panel.kind === 'timeseries') canvases.push(drawGraph(box, panel));
    if (panel.kind === 'stat') drawNumber(box, panel);
  }
  const bottom = Math.max(...board.panels.map(({place}) => place.y + place.h));
  grid.style.height = `${bottom * ROW_PX}px`;
  // uPlot draws in a microtask.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  window.ink = canvases.map(inkOf);
};
main();
