import assert from 'node:assert/strict';
import {test} from 'node:test';

import {drawPlot, legendOf, sharedExtents} from './charts.js';
import {failedChecks, passed, problemsOf} from './document.js';
import {cellText, renderReport} from './render.js';

/** @typedef {import('./document.js').Report} Report */
/** @typedef {import('./document.js').Plot} Plot */

/** @param {string} title @param {number} top @returns {Plot} */
const plot = (title, top) => ({
  title,
  kind: 'line',
  x: {label: 'time', unit: 's'},
  y: {label: 'threads'},
  axes: 'threads',
  marks: [{from: 0, to: 2, label: 'connect'}],
  series: [{name: 'single', points: [[0, 1], [5, top]]}, {name: 'bulk', points: [[0, 1], [5, 2]]}],
});

/** @param {Partial<Report>} [changes] @returns {Report} */
const report = (changes) => ({
  experiment: 'trial',
  title: 'A trial <of> the lab',
  summary: 'What came of it.',
  started_at: '2026-01-02T03:04:05.000Z',
  ended_at: '2026-01-02T03:14:05.000Z',
  quick: false,
  manifest: {version: '0.1.0', machine: {cores: 2}},
  sections: [{
    title: 'Latency',
    text: 'By mode.',
    tables: [{
      title: 'Delivery',
      columns: [{name: 'mode'}, {name: 'p50', unit: 'ms'}],
      rows: [['single', 12.345], ['bulk', null]],
    }],
    plots: [plot('left', 30), plot('right', 200)],
  }],
  checks: [{name: 'none lost', wanted: '0', seen: '0', ok: true}],
  findings: ['Bulk is cheaper.'],
  void: '',
  ...changes,
});

test('a report has its parts in order and escapes what it shows', () => {
  const html = renderReport(report());

  const order = ['A trial &lt;of&gt; the lab', 'What came of it.', '<h2>Checks</h2>',
                 '<h2>Findings</h2>', '<h2>Latency</h2>', 'What was run, and where'];
  const places = order.map((part) => html.indexOf(part));
  assert.ok(!places.includes(-1), `missing: ${order[places.indexOf(-1)]}`);
  assert.deepEqual([...places].sort((a, b) => a - b), places);
  assert.match(html, /machine\.cores/);
  assert.match(html, /all 1 checks held/);
});

test('a report needs nothing but itself: no script, no address elsewhere', () => {
  const html = renderReport(report());

  assert.doesNotMatch(html, /<script|<link|@import|url\((?!#)/i);
  assert.doesNotMatch(html.replaceAll(/xmlns(:xlink)?="[^"]*"/g, ''), /https?:/);
});

test('a void run shows its reason and no figures', () => {
  const html = renderReport(report({void: '3 scrapes failed'}));

  assert.match(html, /This run is void:<\/strong> 3 scrapes failed/);
  assert.doesNotMatch(html, /p50|12\.3|<svg|Bulk is cheaper/);
  assert.equal(passed(report({void: '3 scrapes failed'})), false);
});

test('a failed check comes first; a finding is no failure', () => {
  const finding = {name: 'in order', wanted: '0', seen: '4', ok: false, finding_only: true};
  const failure = {name: 'none lost', wanted: '0', seen: '7', ok: false};
  const told = report({checks: [finding]});
  const failed = report({checks: [finding, failure]});

  assert.equal(passed(told), true);
  assert.match(renderReport(told), /no check failed, 1 told/);
  assert.deepEqual(failedChecks(failed), [failure]);
  const html = renderReport(failed);
  assert.match(html, /1 of 2 checks failed/);
  assert.ok(html.indexOf('none lost') < html.indexOf('in order'));
});

test('plots with the same axes get equal ones', () => {
  const plots = [plot('left', 30), plot('right', 200)];
  const shared = sharedExtents(plots);

  assert.deepEqual(shared.get('threads'), {xMin: 0, xMax: 5, yMin: 1, yMax: 200});
  assert.match(drawPlot(plots[0], shared), />200</);
  assert.doesNotMatch(drawPlot(plots[0]), />200</);
});

test('a plot has its marks, its colours from the page, and holds zero on logarithmic axes', () => {
  const svg = drawPlot({...plot('latency', 30), x: {label: 'latency', log: true}});

  assert.match(svg, /connect/);
  assert.match(svg, /var\(--series-1\)/);
  assert.match(svg, /var\(--ink\)/);
  assert.doesNotMatch(svg, /NaN|#0[123a]0|<style/);
});

test('a relay mode has one colour in all plots', () => {
  const colours = (/** @type {string[]} */ ...names) =>
      legendOf({...plot('latency', 30), series: names.map((name) => ({name, points: [[1, 1]]}))})
          .map(({colour}) => colour);

  const [single, bulk] = colours('single', 'bulk');
  assert.deepEqual(colours('bulk', 'stream').slice(0, 1), [bulk]);
  assert.notEqual(single, bulk);
  // Beside other things modes are nothing special.
  assert.equal(new Set(colours('http', 'single', 'bulk', 'stream')).size, 4);
});

test('numbers are shown with three digits, counts whole', () => {
  assert.equal(cellText(12345), '12,345');
  assert.equal(cellText(123.456), '123');
  assert.equal(cellText(12.345), '12.3');
  assert.equal(cellText(1.234), '1.23');
  assert.equal(cellText(0.01234), '0.012');
  assert.equal(cellText(null), '–');
  assert.equal(cellText(true), 'yes');
});

test('a document that is not whole is refused with the place', () => {
  assert.deepEqual(problemsOf(report()), []);
  assert.deepEqual(problemsOf(null), ['is no object']);
  const broken = /** @type {any} */ (report());
  delete broken.findings;
  broken.sections[0].tables[0].rows.push(['x']);
  broken.sections[0].plots[0].kind = 'pie';
  broken.checks.push({name: 'x'});
  assert.equal(problemsOf(broken).length, 4);
});
