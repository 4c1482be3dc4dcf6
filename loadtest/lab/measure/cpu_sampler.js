// CPU time of processes, from /proc, once a second.

import {execFileSync} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';

/** @typedef {{at: number, seconds: number}} CpuSample  at: ms since 1970; seconds: since its start */
/** @typedef {Record<string, CpuSample[]>} CpuTrack */

export const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], {encoding: 'utf8'}));

/** @typedef {{parent: number, own: number, ended: number}} ProcessTicks */

/** One look at all processes. @returns {Map<number, ProcessTicks>} */
function allProcesses() {
  const found = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The fields after the command's name, which may hold blanks.
      const [, parent, ...stat] = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
      found.set(Number(name), {parent, own: stat[9] + stat[10], ended: stat[11] + stat[12]});
    } catch {
      // It ended while it was looked at.
    }
  }
  return found;
}

/**
 * Its children's too (Postgres has one process per connection). Undefined: it has ended.
 * @param {number} pid
 * @param {Map<number, ProcessTicks>} [processes]
 */
export function cpuSecondsOf(pid, processes = allProcesses()) {
  const self = processes.get(pid);
  if (self === undefined) return undefined;
  const children = [...processes.values()].filter(({parent}) => parent === pid);
  const ticks = children.reduce((sum, {own}) => sum + own, self.own + self.ended);
  return ticks / TICKS;
}

/** All CPU time of this machine since it started, but for waiting and what a host took away. */
function machineSeconds() {
  const [, user, nice, system, , , irq, softirq] =
      readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].split(/ +/).map(Number);
  return (user + nice + system + irq + softirq) / TICKS;
}

/**
 * CPU seconds of processes and their children, each once.
 * @param {Iterable<number>} roots
 * @param {Map<number, ProcessTicks>} processes
 */
export function secondsWithChildren(roots, processes) {
  const named = new Set(roots);
  let ticks = 0;
  for (const [pid, {parent, own, ended}] of processes) {
    if (named.has(pid)) ticks += own + ended;
    else if (named.has(parent)) ticks += own;
  }
  return ticks / TICKS;
}

/** The track of what the machine did besides the named processes, this one, and their children. */
export const OTHERS = 'others';

/** Looks at named processes, and at OTHERS, once a second from start() to stop(). */
export class CpuSampler {
  /** @type {Record<string, number>} */
  #pids;
  /** @type {CpuTrack} */
  #track;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {Record<string, number>} pids */
  constructor(pids) {
    this.#pids = pids;
    this.#track = Object.fromEntries([...Object.keys(pids), OTHERS].map((name) => [name, []]));
  }

  start() {
    this.#look();
    this.#timer = setInterval(() => this.#look(), 1000);
  }

  /** @returns {CpuTrack} */
  stop() {
    clearInterval(this.#timer);
    this.#look();
    return this.#track;
  }

  #look() {
    const at = Date.now();
    const processes = allProcesses();
    for (const [name, pid] of Object.entries(this.#pids)) {
      const seconds = cpuSecondsOf(pid, processes);
      // What is lacking of one that ended shows in cpuBetween().
      if (seconds !== undefined) this.#track[name].push({at, seconds});
    }
    const ours = secondsWithChildren([process.pid, ...Object.values(this.#pids)], processes);
    this.#track[OTHERS].push({at, seconds: machineSeconds() - ours});
  }
}

/**
 * CPU seconds of one process between two moments; the samples beside them are joined by lines.
 * @param {CpuSample[]} samples
 * @param {number} from  ms since 1970
 * @param {number} to
 */
export function cpuBetween(samples, from, to) {
  return at(samples, to) - at(samples, from);
}

/** @param {CpuSample[]} samples @param {number} moment */
function at(samples, moment) {
  const next = samples.findIndex((sample) => sample.at >= moment);
  const end = samples.at(-1);
  if (next === 0 || end === undefined || (next < 0 && moment - end.at > 1500)) {
    throw new Error('the CPU samples do not reach over the time that is asked for');
  }
  if (next < 0) return end.seconds;
  const [a, b] = [samples[next - 1], samples[next]];
  return a.seconds + (b.seconds - a.seconds) * (moment - a.at) / (b.at - a.at);
}

/**
 * Cores in use over time, in seconds from `zero`.
 * @param {CpuSample[]} samples
 * @param {number} zero
 * @returns {[number, number][]}
 */
export function coresOverTime(samples, zero) {
  return samples.slice(1).flatMap((sample, i) => {
    const before = samples[i];
    const wall = (sample.at - before.at) / 1000;
    // The last sample may follow at once; its share of a second says nothing.
    if (wall < 0.5) return [];
    return [[(sample.at - zero) / 1000, (sample.seconds - before.seconds) / wall]];
  });
}
