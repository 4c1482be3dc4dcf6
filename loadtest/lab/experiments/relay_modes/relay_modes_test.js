import assert from 'node:assert/strict';
import {test} from 'node:test';

import {parseConfig} from '../../cluster/nodes.js';
import {configHash, differingEntries} from '../../cluster/manifest.js';
import {mayBeRepeated, voidReasonOf} from '../../cluster/void_rules.js';
import {present} from '../../cluster/measured_run.js';
import {OTHERS} from '../../measure/cpu_sampler.js';
import {failedChecks, problemsOf} from '../../report/document.js';
import {renderReport} from '../../report/render.js';
import {isStillGood} from '../measure_all.js';
import {checksOf, pairsOf} from './checks.js';
import {PARTS, busyThreads, conditionsOf, tasksPerMessage} from './conditions.js';
import {findingsOf, summaryOf} from './findings.js';
import {partsOf} from './index.js';
import {sectionsOf} from './sections.js';

/** @typedef {import('../../cluster/measured_run.js').Measured} Measured */
/** @typedef {import('../../cluster/measured_run.js').Condition} Condition */

/** What a run of a condition gives when all is well. @param {Condition} condition @returns {Measured} */
function good(condition) {
  const {members, rate, mode, profile} = condition;
  const sent = 100;
  const total = profile === 'classic' ? tasksPerMessage(condition) * sent : 0;
  const grows = condition.flags?.['lab.fault.relay_delay'] && busyThreads(condition) > 33;
  /** @type {[number, number][]} */
  const line = [[0, 1], [1, 2]];
  const processes = ['n1', 'n2', 'n3', 'redis', 'kafka'];
  return {
    condition,
    manifest: {version: '0.1.0', partitions: 12, log_level: 'info', config_hash: profile, config: {}},
    void: '',
    findings: '',
    counts: {sent, acked: sent, expected: sent * members, received: sent * members, lost: 0,
             repeated: 0, misordered: 0, wrong_id: 0, foreign: 0, duplicate_acks: 0,
             closed_connections: 0, errors: {}},
    latency_ms: {
      delivery: {count: 1, p50: rate / 50, p75: 2, p90: 3, p95: rate / 25, p99: 5, p999: 6, max: rate},
      ack: {count: 1, p50: 1, p75: 2, p90: 3, p95: 4, p99: 5, p999: 6, max: 7},
      delivery_cdf: [[1, 0.5], [9, 1]],
    },
    relay_calls_computed: {single: sent * members * 2 / 3, bulk: sent * 2},
    generator: {cpu_share: 0.1, late_sends: 0},
    phases: {connect: {start_at: 0, end_at: 900}, send: {start_at: 1000, end_at: 5000},
             drain: {start_at: 5000, end_at: 5100}},
    series: [],
    tasks: {completed: total, rejected: 0, total},
    pool: profile === 'classic' ? {
      peakThreads: grows ? 90 : 30, peakQueue: 5, peakQueueConnecting: 0, busyThreads: 3,
      threads: {n1: line, n2: line, n3: line}, tasksPerSecond: line, queue: line,
    } : null,
    relay_calls: {seen: mode === 'single' ? sent * members * 2 / 3 : sent * 2, failed: 0},
    pulls: 0,
    lag: 0,
    log_increase: sent,
    rows: sent,
    dead_letters: 0,
    differences: [],
    cpu_seconds: {...Object.fromEntries(processes.map((name) => [name, 1])), [OTHERS]: 0.1},
    cores: Object.fromEntries(processes.map((name) => [name, line])),
    attempts: 1,
  };
}

const quick = () => conditionsOf({quick: true, parts: PARTS}).map(good);
const full = () => conditionsOf({quick: false, parts: PARTS}).map(good);

/** @param {Measured[]} all */
const failedNames = (all) => failedChecks(/** @type {any} */ ({checks: checksOf(all)}))
                                 .map((check) => check.name);

test('the conditions are those of the plan, in pairs, with talkers apart from members', () => {
  const base = conditionsOf({quick: false, parts: ['base']});

  assert.deepEqual(base.map((c) => `${c.members}x${c.rate} ${c.mode}`), [
    '30x30 single', '30x30 bulk', '90x30 single', '90x30 bulk', '150x30 single', '150x30 bulk',
    '150x10 single', '150x10 bulk', '150x50 single', '150x50 bulk',
  ]);
  assert.deepEqual([...new Set(base.map((c) => c.talkers))], [15]);
  const all = conditionsOf({quick: false, parts: PARTS});
  assert.equal(new Set(all.map((c) => c.id)).size, all.length);
  const seconds = all.reduce((sum, c) => sum + c.seconds + 15, 0);
  assert.ok(seconds <= 75 * 60, `${seconds} s`);
});

test('tasks and busy threads are computed per message and per node', () => {
  assert.equal(tasksPerMessage({members: 150, mode: 'single'}), 150);
  assert.equal(tasksPerMessage({members: 150, mode: 'bulk'}), 52);
  const busy = (/** @type {number} */ members, /** @type {number} */ rate) =>
      Math.round(busyThreads({members, rate, mode: 'single'}));
  assert.deepEqual([busy(150, 30), busy(90, 30), busy(150, 50)], [60, 36, 100]);
});

test('a good run holds all checks, and its report is whole', () => {
  for (const all of [quick(), full()]) {
    assert.deepEqual(failedNames(all), []);
    const report = {
      experiment: 'relay-modes', title: 'T', summary: 'S', started_at: '2026-01-01T00:00:00Z',
      ended_at: '2026-01-01T00:10:00Z', quick: false, manifest: {}, sections: sectionsOf(all),
      checks: checksOf(all), findings: findingsOf(all), void: '',
    };
    assert.deepEqual(problemsOf(report), []);
    assert.doesNotMatch(renderReport(report), /NaN|undefined|Infinity/);
  }
  assert.equal(sectionsOf(full()).length, 5);
});

/** @type {[string, (m: Measured) => void, RegExp][]} */
const BROKEN = [
  ['a lost delivery', (m) => { m.counts.received -= 1; }, /delivered to every member once/],
  ['a repeat', (m) => { m.counts.repeated = 1; }, /delivered to every member once/],
  ['a record too many', (m) => { m.log_increase += 1; }, /sent = acknowledged = log = rows/],
  ['a row too few', (m) => { m.rows -= 1; }, /sent = acknowledged = log = rows/],
  ['another id', (m) => { m.differences = ['Kafka: 1']; }, /sent = acknowledged = log = rows/],
  ['a dead letter', (m) => { m.dead_letters = 1; }, /sent = acknowledged = log = rows/],
  ['lag', (m) => { m.lag = 3; }, /consumer lag/],
  ['a relay call too many', (m) => { m.relay_calls.seen += 1; }, /relay calls/],
  ['a failed relay call', (m) => { m.relay_calls.failed = 1; }, /relay calls/],
  ['a task too few', (m) => { m.tasks.total -= 1; }, /tasks per message/],
  ['a busy generator', (m) => { m.generator.cpu_share = 0.8; }, /the generator keeps up/],
  ['another config', (m) => { m.manifest.config_hash = 'x'; }, /only the mode differs/],
  ['another version', (m) => { m.manifest.version = 'x'; }, /same circumstances/],
  ['being void', (m) => { m.void = 'a scrape failed'; }, /may be believed/],
];
for (const [what, breakIt, name] of BROKEN) {
  test(`${what} fails a check`, () => {
    const all = quick();
    breakIt(all[1]);
    assert.ok(failedNames(all).some((each) => name.test(each)), failedNames(all).join());
  });
}

test('no order is a finding in the classic shape and a failure in the modern one', () => {
  const all = quick();
  for (const m of all) m.counts.misordered = 2;

  assert.deepEqual(failedNames(all), ['modern-150x30-bulk: in order', 'modern-150x30-stream: in order']);
  assert.ok(findingsOf(all).some((finding) => /messages overtook others in 4/.test(finding)));
});

test('with a delay the pool must grow in single and must not in bulk', () => {
  const all = quick();
  const of = (/** @type {string} */ id) => /** @type {any} */ (
      all.find((m) => m.condition.id === id)).pool;
  of('delay-150x30-single').peakThreads = 30;
  of('delay-150x30-bulk').peakThreads = 31;
  of('base-90x30-single').peakThreads = 40;  // without one it is only told

  assert.deepEqual(failedNames(all), ['delay-150x30-single: pool size', 'delay-150x30-bulk: pool size']);
});

test('ten times the original\'s load must be delivered in time, in bulk', () => {
  const all = full();
  for (const m of all.filter((each) => each.condition.rate === 500)) {
    if (m.latency_ms) m.latency_ms.delivery.p95 = 25.1;
  }

  assert.deepEqual(failedNames(all),
                   ['modern-150x500-bulk: p95 at ten times the original\'s highest load']);
});

test('a void condition has no percentile anywhere', () => {
  const all = quick();
  for (const m of all) {
    m.void = 'a scrape failed';
    m.latency_ms = null;
  }
  const shown = JSON.stringify([sectionsOf(all), findingsOf(all)]);

  assert.doesNotMatch(shown, /cdf|p50 \d/);
  assert.ok(sectionsOf(all).flatMap((s) => s.tables ?? []).every(
      (table) => table.rows.every((row) => table.columns.every(
          (column, i) => !/^(p\d|max)/.test(column.name) || row[i] === null))));
});

test('what makes a run void', () => {
  const of = (/** @type {(m: Measured) => void} */ change, /** @type {string[]} */ scrapes = []) => {
    const [m] = quick();
    change(m);
    m.void = voidReasonOf(m, scrapes);
    return m;
  };

  assert.equal(of(() => {}).void, '');
  assert.match(of((m) => { m.counts.received -= 1; }).void, /8999 of 9000 deliveries arrived/);
  assert.match(of((m) => { m.pulls = 2; }).void, /2 pulls by hole or sweep/);
  assert.match(of((m) => { m.generator.cpu_share = 0.71; }).void, /71 % of a core/);
  assert.match(of(() => {}, ['1 scrapes of n1 failed']).void, /1 scrapes of n1 failed/);
  assert.match(of((m) => { m.counts.acked -= 1; m.counts.errors = {overloaded: 1}; }).void,
               /99 of 100 messages were acknowledged \(1 overloaded\)/);
  // A disturbance of the machine may be tried again, a loss may not.
  assert.equal(mayBeRepeated(of((m) => { m.pulls = 2; })), true);
  assert.equal(mayBeRepeated(of((m) => { m.counts.lost = 1; })), false);
  assert.equal(mayBeRepeated(of(() => {})), false);
});

test('a machine that did other things is told', () => {
  const all = quick();
  const told = () => findingsOf(all).some((finding) => /machine did other things/.test(finding));
  assert.equal(told(), false);
  all[0].cpu_seconds[OTHERS] = 3;  // of 4.1 s
  assert.equal(told(), true);
});

test('the summary tells of each part, what disturbed it, and that quick is too short', () => {
  const all = quick();
  assert.match(summaryOf(all, true), /too short to tell which mode is faster/);
  assert.doesNotMatch(summaryOf(all, false), /too short/);
  assert.match(summaryOf(all, false), /single wins .* With 60 ms .* Modern, /);
  all[0].cpu_seconds[OTHERS] = 3;
  assert.match(summaryOf(all, false), /machine did other things/);
});

test('a rate over ten seconds is drawn only of runs that last longer', () => {
  const titles = (/** @type {Measured[]} */ all) =>
      sectionsOf(all).flatMap((s) => s.plots ?? []).map(({title}) => title).join();
  assert.doesNotMatch(titles(quick()), /executor tasks/);
  assert.match(titles(full()), /executor tasks/);
});

test('a result from before a break counts only if nothing changed', () => {
  const [m] = quick();
  const common = {version: '0.1.0', partitions: 12};

  assert.equal(isStillGood(m, m.condition, common), true);
  assert.equal(isStillGood(m, {...m.condition, seconds: 9}, common), false);
  assert.equal(isStillGood(m, m.condition, {...common, version: '0.2.0'}), false);
  assert.equal(isStillGood({...m, void: 'x'}, m.condition, common), false);
});

test('pairs differ in the mode alone', () => {
  assert.equal(pairsOf(quick()).length, 3);
  assert.equal(pairsOf(full()).length, 5 + 3 + 4 + 6);
});

test('a series that is not there is a mistake', () => {
  assert.throws(() => present('executor_x', []), /nothing for executor_x/);
  assert.throws(() => present('x', [{labels: {}, points: [[0, NaN]]}]), /nothing for x/);
});

test('manifests: configuration without places, hash without what is compared', () => {
  const config = parseConfig('node.name: "n1"\nrelay.mode: "bulk"\n# admin.key: (not set)\n' +
                             'log: "kafka://x"\nlab.profile: "classic"\n');
  assert.deepEqual(config, {'relay.mode': 'bulk', 'lab.profile': 'classic'});
  assert.equal(configHash(config, ['relay.mode']),
               configHash({...config, 'relay.mode': 'single'}, ['relay.mode']));
  assert.notEqual(configHash(config), configHash({...config, 'lab.profile': 'modern'}));
  assert.deepEqual(differingEntries({a: 1, b: {c: 1}}, {a: 1, b: {c: 2}, d: 1}), ['b', 'd']);
});

test('an unknown part is refused', () => {
  assert.deepEqual(partsOf({part: 'base,cpu'}), ['base', 'cpu']);
  assert.throws(() => partsOf({part: 'bas'}), /"bas" is not allowed; allowed: base, delay/);
});
