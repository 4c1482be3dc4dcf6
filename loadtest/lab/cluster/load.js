// One run of minichat-load, with the CPU of all processes beside it.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';

import {CpuSampler} from '../measure/cpu_sampler.js';
import {Process} from './processes.js';

/** @typedef {import('../measure/cpu_sampler.js').CpuTrack} CpuTrack */
/** @typedef {{start_at: number, end_at: number}} Phase */
/** @typedef {'count' | 'p50' | 'p75' | 'p90' | 'p95' | 'p99' | 'p999' | 'max'} LatencyKey */
/** @typedef {Record<LatencyKey, number>} Latency */
/**
 * What minichat-load writes.
 * @typedef {object} LoadReport
 * @property {boolean} ok
 * @property {string} findings
 * @property {Record<string, any>} options
 * @property {any} counts
 * @property {{delivery: Latency, ack: Latency, delivery_cdf: [number, number][]}} latency_ms
 * @property {{single: number, bulk: number}} relay_calls
 * @property {any} generator
 * @property {{connect: Phase, send: Phase, drain: Phase}} phases
 * @property {any[]} series
 */
/**
 * @typedef {object} LoadShape
 * @property {number} members
 * @property {number} talkers
 * @property {number} rate
 * @property {number} seconds
 * @property {number} drainSeconds
 * @property {boolean} [allowMisordered]
 */

// 1: a count is broken. Who reads the report judges that.
const REPORTED = [0, 1];

/**
 * @param {import('./nodes.js').Nodes} nodes
 * @param {LoadShape} shape
 * @param {string} label
 * @returns {Promise<{report: LoadReport, ids: string[], cpu: CpuTrack}>}
 */
export async function runLoad(nodes, shape, label) {
  const file = (/** @type {string} */ name) => join(nodes.folder, `${label}.${name}`);
  /** @type {CpuTrack} */
  let cpu = {};
  const command = [
    nodes.services.program('minichat-load'), '--cluster', nodes.clusterFile,
    '--members', String(shape.members), '--talkers', String(shape.talkers),
    '--rate', String(shape.rate), '--duration', `${shape.seconds}s`,
    '--drain', `${shape.drainSeconds}s`, '--label', label, '--json', file('load.json'),
    '--ids-file', file('ids'), ...(shape.allowMisordered ? ['--allow-misordered'] : []),
  ];
  const sampler = new CpuSampler({...nodes.pids, ...nodes.services.file.pids});
  sampler.start();
  const process = new Process(`load-${label}`, command, {log: file('load.log')});
  const code = await process.ended.finally(() => cpu = sampler.stop());
  if (!REPORTED.includes(code ?? -1)) {
    throw new Error(`minichat-load failed (exit ${code}): ${process.tail()}`);
  }
  return {
    report: JSON.parse(readFileSync(file('load.json'), 'utf8')),
    ids: readFileSync(file('ids'), 'utf8').split('\n').filter((id) => id !== ''),
    cpu,
  };
}
