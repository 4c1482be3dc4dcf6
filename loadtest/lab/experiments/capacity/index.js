// capacity: what rate each relay mode bears before deliveries take longer than they may.

import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {runLoad} from '../../cluster/load.js';
import {configHash} from '../../cluster/manifest.js';
import {NODE_NAMES, Nodes} from '../../cluster/nodes.js';
import {waitFor} from '../../cluster/processes.js';
import {GENERATOR_LIMIT} from '../../cluster/void_rules.js';
import {cpuBetween} from '../../measure/cpu_sampler.js';
import {sum} from '../../measure/statistics.js';
import {MEMBERS, capacityReport} from './report.js';
import {highestGood, parseSlo} from './search.js';

/** @typedef {import('../measure_all.js').Lab} Lab */
/** @typedef {ReturnType<typeof parseSlo>} Slo */
/**
 * @typedef {object} Figures  of one rate
 * @property {string} reason    why it is not good
 * @property {number} p50
 * @property {number} p95
 * @property {number} judged    the latency that the SLO is about
 * @property {number} max
 * @property {number} generator share of a core
 * @property {any} counts
 * @property {Record<string, number>} cores  by process, while sending
 * @property {number} cpuPerDelivery  µs of the nodes
 */
/** @typedef {import('./search.js').Probe<Figures>} CapacityProbe */
/**
 * @typedef {object} ModeCapacity
 * @property {string} mode
 * @property {CapacityProbe | undefined} best
 * @property {CapacityProbe[]} probes
 * @property {string} config_hash
 */

const MODES = ['single', 'bulk', 'stream'];
const TALKERS = 15;
const FULL = {seconds: 10, drainSeconds: 30, tries: 2, limits: {from: 50, upTo: 25_600, within: 1.1}};
const QUICK = {seconds: 2, drainSeconds: 15, tries: 1, limits: {from: 120, upTo: 16_000, within: 2.5}};
const IDLE_LIMIT_MS = 60_000;
// No limit of one client is to be what is found.
const FLAGS = {
  'lab.enabled': 'true',
  'lab.profile': 'modern',
  'presence.max_sessions': '0',
  'limits.messages_per_s': '100000',
};

/** @param {Lab} lab @param {{slo?: string}} options */
export async function capacity(lab, {slo: text = 'p95=50ms'}) {
  const slo = parseSlo(text);
  const modes = [];
  for (const mode of MODES) modes.push(await capacityOf(lab, slo, mode));
  writeFileSync(join(lab.folder, 'probes.json'), JSON.stringify(modes));
  return capacityReport(slo, modes);
}

/** @param {Lab} lab @param {Slo} slo @param {string} mode @returns {Promise<ModeCapacity>} */
async function capacityOf(lab, slo, mode) {
  const plan = lab.quick ? QUICK : FULL;
  const folder = join(lab.folder, mode);
  mkdirSync(folder, {recursive: true});
  await lab.services.reset();
  const nodes = new Nodes(lab.services, folder, {...FLAGS, 'relay.mode': mode});
  try {
    await nodes.start();
    await probeOnce(nodes, slo, 30, {...plan, seconds: 1});  // connections warm up
    const probe = async (/** @type {number} */ rate) => {
      const result = await probeRate(nodes, slo, rate, plan);
      lab.say(`${mode} at ${rate}/s: ${result.good ? 'good' : result.reason}, ` +
              `p95 ${result.p95.toFixed(1)} ms`);
      return result;
    };
    const config_hash = configHash(await nodes.effectiveConfig(), ['relay.mode']);
    return {mode, config_hash, ...await highestGood(probe, plan.limits)};
  } finally {
    await nodes.stop();
  }
}

/**
 * A rate is bad when it is so each time: one disturbance of the machine shall not decide.
 * @param {Nodes} nodes
 * @param {Slo} slo
 * @param {number} rate
 * @param {typeof FULL} plan
 * @returns {Promise<CapacityProbe>}
 */
async function probeRate(nodes, slo, rate, plan) {
  for (let attempt = 1;; ++attempt) {
    const result = await probeOnce(nodes, slo, rate, plan);
    if (result.good || attempt === plan.tries) return result;
  }
}

/** @param {Nodes} nodes @param {Slo} slo @param {number} rate @param {typeof FULL} plan */
async function probeOnce(nodes, slo, rate, {seconds, drainSeconds}) {
  const shape = {members: MEMBERS, talkers: TALKERS, rate, seconds, drainSeconds};
  const {report, cpu} = await runLoad(nodes, shape, `rate-${rate}-${Date.now().toString(36)}`);
  await idle(nodes);
  const {send, drain} = report.phases;
  const wall = (drain.end_at - send.start_at) / 1000;
  const used = Object.fromEntries(Object.keys(cpu).map(
      (name) => [name, cpuBetween(cpu[name], send.start_at, drain.end_at)]));
  const {delivery} = report.latency_ms;
  const judged = delivery[/** @type {'p95'} */ (slo.which)];
  const reason = reasonAgainst(report, slo, judged);
  return {
    rate,
    good: reason === '',
    reason,
    judged,
    p50: delivery.p50,
    p95: delivery.p95,
    max: delivery.max,
    generator: report.generator.cpu_share,
    counts: report.counts,
    cores: {
      ...Object.fromEntries(Object.entries(used).map(([name, s]) => [name, s / wall])),
      load: report.generator.cpu_share,
    },
    cpuPerDelivery: sum(NODE_NAMES.map((name) => used[name])) * 1e6 / report.counts.received,
  };
}

/**
 * @param {import('../../cluster/load.js').LoadReport} report
 * @param {Slo} slo
 * @param {number} judged
 */
function reasonAgainst(report, slo, judged) {
  if (!report.ok) return report.findings;
  if (judged > slo.limitMs) return `${slo.which} ${judged.toFixed(1)} ms`;
  const share = report.generator.cpu_share;
  return share > GENERATOR_LIMIT ? `the generator took ${Math.round(share * 100)} % of a core` : '';
}

/** What one rate left behind is no load on the next. @param {Nodes} nodes */
async function idle(nodes) {
  await waitFor('the log to be stored', async () => {
    const now = await nodes.metrics();
    return now.sum('minichat_persist_lag_records') === 0 && now.sum('minichat_relay_inflight') === 0;
  }, IDLE_LIMIT_MS, 100);
}
