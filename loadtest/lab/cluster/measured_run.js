// One condition, from clean services to judged figures.

import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {differencesOf} from '../measure/accounts.js';
import {coresOverTime, cpuBetween} from '../measure/cpu_sampler.js';
import {scrapeProblems} from '../measure/prometheus.js';
import {rounded} from '../measure/statistics.js';
import {runLoad} from './load.js';
import {configHash} from './manifest.js';
import {NODE_NAMES, Nodes} from './nodes.js';
import {waitFor} from './processes.js';
import {voidReasonOf} from './void_rules.js';

/** @typedef {import('./services.js').Services} Services */
/** @typedef {import('./load.js').LoadReport} LoadReport */
/**
 * What is measured, and with what.
 * @typedef {object} Condition
 * @property {string} id          different for each; [a-z0-9-] only
 * @property {number} members
 * @property {number} talkers
 * @property {number} rate        messages a second
 * @property {'single' | 'bulk' | 'stream'} mode
 * @property {'classic' | 'modern'} profile
 * @property {Record<string, string>} [flags]  further configuration
 * @property {number} seconds
 * @property {number} drainSeconds
 */
/** @typedef {{completed: number, rejected: number, total: number}} Tasks */
/**
 * @typedef {object} PoolFigures
 * @property {number} peakThreads      of the node with most, while messages are sent
 * @property {number} peakQueue
 * @property {number} peakQueueConnecting
 * @property {number} busyThreads      mean of the sending's second half, of the node with most
 * @property {Record<string, [number, number][]>} threads  by node, over seconds from the first send
 * @property {[number, number][]} tasksPerSecond           over all nodes
 * @property {[number, number][]} queue                    over all nodes
 */
/**
 * @typedef {object} Measured
 * @property {Condition} condition
 * @property {import('./manifest.js').Manifest} manifest
 * @property {string} void       why its figures mean nothing; then it has no latencies
 * @property {string} findings   of minichat-load
 * @property {any} counts
 * @property {LoadReport['latency_ms'] | null} latency_ms
 * @property {{single: number, bulk: number}} relay_calls_computed
 * @property {any} generator
 * @property {LoadReport['phases']} phases
 * @property {any[]} series
 * @property {Tasks} tasks
 * @property {PoolFigures | null} pool
 * @property {{seen: number, failed: number}} relay_calls
 * @property {number} pulls
 * @property {number} lag
 * @property {number} log_increase
 * @property {number} rows
 * @property {number} dead_letters
 * @property {string[]} differences
 * @property {Record<string, number>} cpu_seconds  by process, from the first send to the last delivery
 * @property {Record<string, [number, number][]>} cores  by process, over seconds from the first send
 * @property {number} attempts
 */

/** The metrics that are asked for; ./dev test lab plants a wrong one. */
export const METRICS = {
  threads: 'executor_pool_size_threads{name="fanout"}',
  active: 'executor_active_threads{name="fanout"}',
  queue: 'executor_queued_tasks{name="fanout"}',
  completed: 'executor_completed_tasks_total{name="fanout"}',
  rejected: 'executor_rejected_tasks_total{name="fanout"}',
};

const STORED_LIMIT_MS = 60_000;
const SETTLED_LIMIT_MS = 60_000;
const WARM_UP = {members: 6, talkers: 6, rate: 30, seconds: 1, drainSeconds: 20};

/** For whoever plants a fault into a run. */
/** @typedef {{metrics?: typeof METRICS, beforeCompare?: (label: string) => Promise<void>}} Plants */

export class MeasuredRun {
  /** @type {Nodes} */
  #nodes;

  /**
   * @param {Services} services
   * @param {import('./manifest.js').Manifest} common
   * @param {Condition} condition
   * @param {string} folder
   * @param {Plants} [plants]
   */
  constructor(services, common, condition, folder, plants = {}) {
    this.services = services;
    this.common = common;
    this.condition = condition;
    this.metrics = plants.metrics ?? METRICS;
    this.plants = plants;
    this.folder = join(folder, condition.id);
    this.#nodes = new Nodes(services, this.folder, flagsOf(condition));
    // Rooms of one run are met by no other.
    this.label = `${condition.id}-${Date.now().toString(36)}`;
  }

  /** @returns {Promise<Measured>} */
  async run() {
    mkdirSync(this.folder, {recursive: true});
    await this.services.reset();
    try {
      await this.#nodes.start();
      return await this.#measure();
    } finally {
      await this.#nodes.stop();
    }
  }

  async #measure() {
    await this.#warmUp();
    const before = await this.#nodes.metrics();
    const ends = await this.services.logEnds();
    const {report, ids, cpu} = await runLoad(this.#nodes, shapeOf(this.condition), this.label);
    await this.#settle(ids.length);
    await this.plants.beforeCompare?.(this.label);
    const after = await this.#nodes.metrics();
    const delta = (/** @type {string} */ name, /** @type {Record<string, string>} */ labels) =>
        after.sum(name, labels) - before.sum(name, labels);
    const logged = await this.services.loggedSince(ends);
    const stored = await this.services.storedIds(this.label);
    const tasks = this.#tasks(delta);
    const {send, drain} = report.phases;
    const measured = {
      condition: this.condition,
      manifest: await this.#manifest(),
      findings: report.findings,
      counts: report.counts,
      latency_ms: report.latency_ms,
      relay_calls_computed: report.relay_calls,
      generator: report.generator,
      phases: report.phases,
      series: report.series,
      tasks,
      pool: null,
      relay_calls: this.#relayCalls(delta),
      pulls: delta('minichat_pulls_total', {cause: 'hole'}) +
          delta('minichat_pulls_total', {cause: 'sweep'}),
      lag: after.sum('minichat_persist_lag_records'),
      log_increase: logged.increase,
      rows: stored.length,
      dead_letters: await this.services.deadLetters(),
      differences: [...differencesOf('Kafka', ids, logged.ids),
                    ...differencesOf('Postgres', ids, stored)],
      cpu_seconds: Object.fromEntries(Object.keys(cpu).map(
          (name) => [name, rounded(cpuBetween(cpu[name], send.start_at, drain.end_at), 4)])),
      cores: Object.fromEntries(Object.keys(cpu).map(
          (name) => [name, coresOverTime(cpu[name], send.start_at)])),
      attempts: 1,
      void: '',
    };
    return this.#judged(measured);
  }

  /** Connections between nodes, to the log and to the store are there before anything counts. */
  async #warmUp() {
    const {report} = await runLoad(this.#nodes, WARM_UP, `warm-${this.label}`);
    if (report.counts.lost > 0 || report.counts.acked !== report.counts.sent) {
      throw new Error(`the warm-up lost messages: ${report.findings}`);
    }
    await this.#settle(0);
  }

  /** All is stored, and the executors have nothing left to do. @param {number} rows */
  async #settle(rows) {
    await waitFor(`${rows} rows`, async () => await this.services.storedCount(this.label) >= rows,
                  STORED_LIMIT_MS, 100).catch(() => {});  // what is lacking, the figures tell
    const idle = async () => {
      const now = await this.#nodes.metrics();
      return now.sum('minichat_persist_lag_records') === 0 &&
          now.sum('executor_queued_tasks', {name: 'fanout'}) === 0 &&
          now.sum('executor_active_threads', {name: 'fanout'}) === 0 &&
          now.sum('minichat_relay_inflight') === 0;
    };
    await waitFor('the cluster to be idle', idle, SETTLED_LIMIT_MS, 100).catch(() => {});
  }

  /** @param {(name: string, labels: Record<string, string>) => number} delta @returns {Tasks} */
  #tasks(delta) {
    const completed = delta('executor_completed_tasks_total', {name: 'fanout'});
    const rejected = delta('executor_rejected_tasks_total', {name: 'fanout'});
    return {completed, rejected, total: completed + rejected};
  }

  /** @param {(name: string, labels: Record<string, string>) => number} delta */
  #relayCalls(delta) {
    const {mode} = this.condition;
    const seen = delta('minichat_relay_calls_total', {mode});
    return {seen, failed: seen - delta('minichat_relay_calls_total', {mode, code: 'OK'})};
  }

  async #manifest() {
    const config = await this.#nodes.effectiveConfig();
    return {...this.common, log_level: config['logging.level'],
            config_hash: configHash(config, ['relay.mode']), config};
  }

  /** @param {Measured} measured @returns {Promise<Measured>} */
  async #judged(measured) {
    const {connect, send, drain} = measured.phases;
    const up = await this.services.prometheus.samples('up', connect.start_at, drain.end_at + 1000);
    const problems = scrapeProblems(up, NODE_NAMES, send.start_at, drain.end_at);
    if (measured.condition.profile === 'classic') {
      try {
        measured.pool = await this.#pool(measured.phases);
      } catch (error) {
        problems.push(/** @type {Error} */ (error).message);
      }
    }
    measured.void = voidReasonOf(measured, problems);
    if (measured.void !== '') {
      measured.latency_ms = null;
      measured.series = [];
    }
    writeFileSync(join(this.folder, 'measured.json'), JSON.stringify(measured));
    return measured;
  }

  /** @param {LoadReport['phases']} phases @returns {Promise<PoolFigures>} */
  async #pool({connect, send, drain}) {
    const {prometheus} = this.services;
    const seconds = (/** @type {[number, number][]} */ points) =>
        points.map(([t, value]) => /** @type {[number, number]} */ (
                       [rounded((t - send.start_at) / 1000, 2), rounded(value, 2)]));
    const samples = async (/** @type {string} */ name, /** @type {number} */ from,
                           /** @type {number} */ to) =>
        present(name, await prometheus.samples(name, from, to));
    const peak = async (/** @type {string} */ name, /** @type {number} */ from,
                        /** @type {number} */ to) =>
        Math.max(...(await samples(name, from, to)).flatMap((s) => s.points.map(([, v]) => v)));
    const range = async (/** @type {string} */ query) =>
        present(query, await prometheus.range(query, connect.start_at, drain.end_at));
    const m = this.metrics;
    const half = (send.start_at + send.end_at) / 2;
    const busy = await samples(m.active, half, send.end_at);
    return {
      peakThreads: await peak(m.threads, send.start_at, drain.end_at),
      peakQueue: await peak(m.queue, send.start_at, drain.end_at),
      peakQueueConnecting: await peak(m.queue, connect.start_at - 1000, send.start_at),
      busyThreads: Math.max(...busy.map((s) => meanOf(s.points))),
      threads: Object.fromEntries((await range(`max by (node) (${m.threads})`))
                                      .map((s) => [s.labels.node, seconds(s.points)])),
      tasksPerSecond: seconds((await range(
          `sum(rate(${m.completed}[10s])) + sum(rate(${m.rejected}[10s]))`))[0].points),
      queue: seconds((await range(`sum(${m.queue})`))[0].points),
    };
  }
}

/** @param {[number, number][]} points */
const meanOf = (points) => points.reduce((sum, [, value]) => sum + value, 0) / points.length;

/**
 * A name that nobody has, and a series without a number, are mistakes.
 * @param {string} query
 * @param {import('../measure/prometheus.js').RangeSeries[]} series
 */
export function present(query, series) {
  const some = series.filter((s) => s.points.some(([, value]) => Number.isFinite(value)));
  if (some.length === 0) throw new Error(`Prometheus has nothing for ${query}`);
  return some;
}

/** @param {Condition} condition @returns {Record<string, string>} */
function flagsOf(condition) {
  return {
    'lab.enabled': 'true',
    'lab.profile': condition.profile,
    'relay.mode': condition.mode,
    // Presence events of a connect burst are no messages; what they do is measured by itself.
    'presence.max_sessions': '0',
    ...condition.flags,
  };
}

/** @param {Condition} condition @returns {import('./load.js').LoadShape} */
function shapeOf(condition) {
  const {members, talkers, rate, seconds, drainSeconds, profile} = condition;
  // Nothing keeps the order in the classic shape; how much is out of it is told.
  return {members, talkers, rate, seconds, drainSeconds, allowMisordered: profile === 'classic'};
}
