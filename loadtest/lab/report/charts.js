// Plots as SVG, drawn by ECharts on this side: no script runs in the report.

import {init} from 'echarts';

/** @typedef {import('./document.js').Plot} Plot */
/** @typedef {import('./document.js').Axis} Axis */
/** @typedef {{xMin: number, xMax: number, yMin: number, yMax: number}} Extent */

const WIDTH = 560;
const HEIGHT = 300;
// In the drawing each role has a colour that nothing else has; the page gives it the one that fits
// its light or dark ground.
const INK = '#010101';
const FAINT = '#020202';
const SHADE = '#030303';
const SERIES = ['#0a0001', '#0a0002', '#0a0003', '#0a0004', '#0a0005', '#0a0006', '#0a0007',
                '#0a0008'];
/** @type {[string, string][]} */
const ROLES = [[INK, 'var(--ink)'], [FAINT, 'var(--line)'], [SHADE, 'var(--shade)'],
               ...SERIES.map((colour, i) => /** @type {[string, string]} */ (
                                 [colour, `var(--series-${i + 1})`]))];
const FONT = 'system-ui, "DejaVu Sans", sans-serif';

/**
 * The extents that plots with the same `axes` share.
 * @param {Plot[]} plots
 * @returns {Map<string, Extent>}
 */
export function sharedExtents(plots) {
  const extents = new Map();
  for (const plot of plots) {
    if (!plot.axes) continue;
    const seen = extents.get(plot.axes);
    extents.set(plot.axes, seen ? joined(seen, extentOf(plot)) : extentOf(plot));
  }
  return extents;
}

/** @param {Plot} plot @returns {Extent} */
function extentOf(plot) {
  const extent = {xMin: Infinity, xMax: -Infinity, yMin: Infinity, yMax: -Infinity};
  for (const [x, y] of plot.series.flatMap((series) => series.points)) {
    if (typeof x === 'number') {
      extent.xMin = Math.min(extent.xMin, x);
      extent.xMax = Math.max(extent.xMax, x);
    }
    if (typeof y === 'number') {
      extent.yMin = Math.min(extent.yMin, y);
      extent.yMax = Math.max(extent.yMax, y);
    }
  }
  return extent;
}

/** @param {Extent} a @param {Extent} b @returns {Extent} */
function joined(a, b) {
  return {
    xMin: Math.min(a.xMin, b.xMin),
    xMax: Math.max(a.xMax, b.xMax),
    yMin: Math.min(a.yMin, b.yMin),
    yMax: Math.max(a.yMax, b.yMax),
  };
}

/**
 * @param {Plot} plot
 * @param {Map<string, Extent>} [shared]
 * @returns {string}
 */
export function drawPlot(plot, shared = new Map()) {
  const chart = init(null, null, {renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT});
  const extent = (plot.axes && shared.get(plot.axes)) || extentOf(plot);
  chart.setOption(optionOf(plot, extent));
  const svg = chart.renderToSVGString();
  chart.dispose();
  return themed(svg);
}

/** @param {string} svg */
function themed(svg) {
  return ROLES.reduce((text, [colour, role]) => text.replaceAll(colour, role), svg)
      .replace(/<svg [^>]*>/, `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true" ` +
               'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">')
      .replaceAll(/<style[^]*?<\/style>/g, '');
}

// A relay mode has one colour everywhere, that of the live page.
/** @type {Record<string, number>} */
const OF_MODE = {bulk: 0, single: 1, stream: 2};

/** Which colour each series has. @param {Plot} plot @returns {number[]} */
function coloursOf({series}) {
  const modes = series.every(({name}) => name in OF_MODE);
  return series.map(({name}, i) => modes ? OF_MODE[name] : i % SERIES.length);
}

/**
 * Which line or bar is which: the page sets it as text, where it can break lines.
 * @param {Plot} plot
 * @returns {{name: string, colour: string, dashed: boolean}[]}
 */
export function legendOf(plot) {
  const colours = coloursOf(plot);
  return plot.series.map(({name}, i) => ({
    name,
    colour: `var(--series-${colours[i] + 1})`,
    dashed: plot.kind !== 'bar' && dashOf(i) === 'dashed',
  }));
}

/** @param {Plot} plot @param {Extent} extent @returns {any} */
function optionOf(plot, extent) {
  return {
    animation: false,
    backgroundColor: 'transparent',
    color: coloursOf(plot).map((i) => SERIES[i]),
    textStyle: {fontFamily: FONT, color: INK},
    grid: {left: 62, right: 18, top: 16, bottom: 46},
    xAxis: plot.kind === 'bar' ? namesAxis(plot) : numbersAxis(plot.x, extent.xMin, extent.xMax, 'x'),
    yAxis: numbersAxis(plot.y, plot.kind === 'cdf' ? 0 : extent.yMin,
                       plot.kind === 'cdf' ? 1 : extent.yMax, 'y'),
    series: plot.series.map((series, i) => seriesOption(plot, series, i)),
  };
}

const axisLook = {
  nameTextStyle: {color: INK, fontSize: 12},
  axisLabel: {color: INK, fontSize: 11, hideOverlap: true},
  axisLine: {show: true, lineStyle: {color: FAINT}},
  axisTick: {show: false},
  splitLine: {show: true, lineStyle: {color: FAINT}},
};

/** @param {Axis} axis */
const nameOf = (axis) => axis.unit ? `${axis.label} (${axis.unit})` : axis.label;

/** @param {Axis} axis @param {number} low @param {number} high @param {'x' | 'y'} side */
function numbersAxis(axis, low, high, side) {
  const place = side === 'x' ? {nameLocation: 'middle', nameGap: 26} :
                               {nameLocation: 'middle', nameGap: 46, nameRotate: 90};
  const range = axis.log ? logRange(low, high) :
                           {min: Math.min(0, low), max: niceUp(high)};
  return {
    ...axisLook,
    ...place,
    type: axis.log ? 'log' : 'value',
    name: nameOf(axis),
    ...(Number.isFinite(low) ? range : {}),
    // Bars grow from the axis, not from 1.
    ...(axis.log ? {startValue: range.min} : {}),
    splitLine: side === 'x' ? {show: false} : axisLook.splitLine,
  };
}

/** @param {Plot} plot */
function namesAxis(plot) {
  return {
    ...axisLook,
    type: 'category',
    data: namesOf(plot),
    name: nameOf(plot.x),
    nameLocation: 'middle',
    nameGap: 34,
    axisLabel: {...axisLook.axisLabel, hideOverlap: false, interval: 0, fontSize: 10,
                rotate: namesOf(plot).join(' ').length > 48 ? 25 : 0},
    splitLine: {show: false},
  };
}

/** @param {Plot} plot */
const namesOf = (plot) =>
    [...new Set(plot.series.flatMap((series) => series.points.map(([x]) => String(x))))];

// Whole decades around what is there; nothing at or below zero can be drawn.
/** @param {number} low @param {number} high */
function logRange(low, high) {
  const floor = low > 0 ? low : Math.min(high, 0.01);
  return {min: 10 ** Math.floor(Math.log10(floor)), max: 10 ** Math.ceil(Math.log10(high || 1))};
}

/** The next round number. @param {number} value */
function niceUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.2, 1.5, 2, 3, 4, 5, 6, 8, 10].find((s) => s * power >= value) ?? 10;
  return step * power;
}

/** @param {Plot} plot @param {Plot['series'][number]} series @param {number} index */
function seriesOption(plot, series, index) {
  return {
    type: plot.kind === 'bar' ? 'bar' : 'line',
    name: series.name,
    data: plot.kind === 'bar' ? barData(plot, series) : lineData(plot, series),
    step: plot.kind === 'cdf' ? 'end' : undefined,
    showSymbol: plot.kind === 'line' && series.points.length <= 24,
    symbolSize: 5,
    barMaxWidth: 36,
    lineStyle: {width: 2, type: dashOf(index)},
    emphasis: {disabled: true},
    silent: true,
    markArea: index === 0 && plot.marks?.length ? markArea(plot.marks) : undefined,
  };
}
// The colours come twice.
/** @param {number} index */
const dashOf = (index) => Math.floor(index / 4) % 2 === 0 ? 'solid' : 'dashed';

/** @param {Plot} plot @param {Plot['series'][number]} series */
function barData(plot, series) {
  const values = new Map(series.points.map(([name, value]) => [String(name), value]));
  return namesOf(plot).map((name) => values.get(name) ?? '-');
}

// A logarithmic axis has no place for zero.
/** @param {Plot} plot @param {Plot['series'][number]} series */
function lineData(plot, series) {
  return series.points.map(([x, y]) => [plot.x.log && !(Number(x) > 0) ? '-' : x,
                                        y === null || (plot.y.log && !(y > 0)) ? '-' : y]);
}

/** @param {import('./document.js').Mark[]} marks */
function markArea(marks) {
  return {
    silent: true,
    itemStyle: {color: SHADE},
    label: {color: INK, fontSize: 11, position: 'insideTop'},
    data: marks.map((mark) => [{name: mark.label, xAxis: mark.from}, {xAxis: mark.to}]),
  };
}
