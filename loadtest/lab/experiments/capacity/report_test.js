import assert from 'node:assert/strict';
import {test} from 'node:test';

import {failedChecks, problemsOf} from '../../report/document.js';
import {renderReport} from '../../report/render.js';
import {capacityReport} from './report.js';
import {parseSlo} from './search.js';

/** @param {number} rate @param {number} p95 @returns {import('./index.js').CapacityProbe} */
const probe = (rate, p95) => ({
  rate, good: p95 <= 50, reason: p95 <= 50 ? '' : `p95 ${p95} ms`, judged: p95, p50: 1, p95, max: 99,
  generator: 0.2, counts: {sent: 10, received: 1500, lost: 0}, cpuPerDelivery: 9,
  cores: {n1: 0.1, n2: 0.1, n3: 0.1, redis: 0.1, kafka: 0.2, load: 0.2},
});

/** @param {string} mode @param {number[]} p95s @returns {import('./index.js').ModeCapacity} */
const capacityOf = (mode, p95s) => {
  const probes = p95s.map((p95, i) => probe(100 * 2 ** i, p95));
  return {mode, probes, best: probes.filter((each) => each.good).at(-1), config_hash: 'c'};
};

/** @param {import('./index.js').ModeCapacity[]} modes */
const report = (modes) => ({
  experiment: 'capacity', started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:10:00Z',
  quick: false, ...capacityReport(parseSlo('p95=50ms'), modes),
});

test('the report tells the highest rate of each mode and why the next one fails', () => {
  const good = report([capacityOf('single', [9, 70]), capacityOf('bulk', [3, 9, 40, 400]),
                       capacityOf('stream', [3, 9])]);

  assert.deepEqual(problemsOf(good), []);
  assert.deepEqual(failedChecks(good), []);
  assert.match(good.summary, /single 100\/s, bulk 400\/s, stream 200\/s/);
  assert.ok(good.findings.includes('bulk bears 4.0 times as much as single.'));
  const html = renderReport(good);
  assert.match(html, /p95 400 ms/);
  assert.match(html, /not reached/);
  assert.doesNotMatch(html, /NaN|undefined/);
});

test('a mode without a good rate fails, as does another configuration', () => {
  const bad = report([capacityOf('single', [70]), {...capacityOf('bulk', [3, 60]), config_hash: 'x'}]);

  assert.deepEqual(failedChecks(bad).map((check) => check.name),
                   ['single: a rate that meets p95=50ms', 'single and bulk: only the mode differs']);
  assert.doesNotMatch(renderReport(bad), /NaN|undefined/);
});
