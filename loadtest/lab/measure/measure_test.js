import assert from 'node:assert/strict';
import {test} from 'node:test';

import {differencesOf} from './accounts.js';
import {CpuSampler, OTHERS, coresOverTime, cpuBetween, cpuSecondsOf, secondsWithChildren,
        TICKS} from './cpu_sampler.js';
import {Metrics} from './metrics_text.js';
import {scrapeProblems} from './prometheus.js';
import {median, rounded} from './statistics.js';

test('metrics are summed over nodes and labels', () => {
  const one = Metrics.parse('# HELP x\nx{node="n1",name="fanout"} 3\nx{node="n1",name="db"} 4\ny 1e3\n');
  const two = Metrics.parse('x{node="n2",name="fanout"} 5\n');
  const all = Metrics.joined([one, two]);

  assert.equal(all.sum('x', {name: 'fanout'}), 8);
  assert.equal(all.sum('x'), 12);
  assert.equal(all.sum('y'), 1000);
  assert.equal(all.sum('x', {name: 'none'}), 0);
});

test('a metric that no node has is a mistake, not a zero', () => {
  assert.throws(() => Metrics.parse('x 1\n').sum('executor_done_total'),
                /no node has a metric executor_done_total/);
});

test('lost, repeated and foreign ids are told apart', () => {
  assert.deepEqual(differencesOf('Kafka', ['a', 'b'], ['b', 'a']), []);
  assert.deepEqual(differencesOf('Kafka', ['a', 'b'], ['a']),
                   ['Kafka: 1 acknowledged messages are missing']);
  assert.deepEqual(differencesOf('Kafka', ['a', 'b'], ['a', 'b', 'b']),
                   ['Kafka: 1 messages are there more than once']);
  assert.deepEqual(differencesOf('Kafka', ['a', 'b'], ['a', 'b', 'c']),
                   ['Kafka: 1 messages were never acknowledged']);
  assert.deepEqual(differencesOf('Kafka', ['a', 'a'], ['a']),
                   ['Kafka: 1 ids were acknowledged for two messages']);
});

test('CPU between two moments is read between the samples', () => {
  const samples = [{at: 0, seconds: 1}, {at: 1000, seconds: 2}, {at: 2000, seconds: 2.5}];

  assert.equal(cpuBetween(samples, 500, 1500), 0.75);
  assert.throws(() => cpuBetween(samples, 500, 9000), /do not reach/);
  assert.throws(() => cpuBetween(samples, -1, 500), /do not reach/);
  assert.deepEqual(coresOverTime(samples, 1000), [[0, 1], [1, 0.5]]);
});

test('a process that computes is seen to', () => {
  const seconds = () => /** @type {number} */ (cpuSecondsOf(process.pid));
  const before = seconds();
  const end = Date.now() + 300;
  while (Date.now() < end) Math.sqrt(end);
  assert.ok(seconds() - before > 0.02);
  assert.equal(cpuSecondsOf(2 ** 30), undefined);

  const sampler = new CpuSampler({me: process.pid, nobody: 2 ** 30});
  sampler.start();
  const track = sampler.stop();
  assert.equal(track.me.length, 2);
  assert.equal(track.nobody.length, 0);
  const [first, last] = track[OTHERS];
  assert.ok(last.seconds - first.seconds > -0.1);  // what was counted as ours is in the machine's
});

test('a process and its children count once, whoever is asked for', () => {
  const processes = new Map([
    [10, {parent: 1, own: 100, ended: 30}],  // the lab
    [11, {parent: 10, own: 50, ended: 0}],   // a node: its child, and named
    [12, {parent: 1, own: 20, ended: 5}],    // Postgres
    [13, {parent: 12, own: 7, ended: 0}],    // one of its connections
    [14, {parent: 1, own: 999, ended: 0}],   // somebody else's
  ]);
  const ticks = (/** @type {number[]} */ ...roots) =>
      Math.round(secondsWithChildren(roots, processes) * TICKS);

  assert.equal(ticks(10, 11, 12), 100 + 30 + 50 + 20 + 5 + 7);
  assert.equal(ticks(12), 20 + 5 + 7);
  assert.equal(ticks(10, 2 ** 30), 100 + 30 + 50);
});

test('failed and missing scrapes are seen', () => {
  /** @param {string} node @param {number[]} values */
  const up = (node, values) => ({
    labels: {node},
    points: values.map((value, i) => /** @type {[number, number]} */ ([i * 1000, value])),
  });
  const good = Array(11).fill(1);

  assert.deepEqual(scrapeProblems([up('n1', good)], ['n1'], 0, 10_000), []);
  assert.deepEqual(scrapeProblems([up('n1', [...good.slice(1), 0])], ['n1'], 0, 10_000),
                   ['1 scrapes of n1 failed']);
  assert.deepEqual(scrapeProblems([up('n1', good.slice(5))], ['n1'], 0, 10_000),
                   ['n1 was scraped 6 times in 10 s']);
  assert.deepEqual(scrapeProblems([], ['n1'], 0, 10_000), ['n1 was scraped 0 times in 10 s']);
});

test('statistics', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(rounded(1.23456, 2), 1.23);
});
