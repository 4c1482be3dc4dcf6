// CPU time of processes, from /proc, once a second.

import {execFileSync} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';

/** @typedef {{at: number, seconds: number}} CpuSample  at: ms since 1970; seconds: since its start */
/** @typedef {Record<string, CpuSample[]>} CpuTrack */

const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], {encoding: 'utf8'}));

/** The fields after the command's name, which may hold blanks. @param {number | string} pid */
function statOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Its children's too (Postgres has one process per connection). @param {number} pid */
export function cpuSecondsOf(pid) {
  let ticks = 0;
  for (const each of [pid, ...childrenOf(pid)]) {
    try {
      const stat = statOf(each);
      ticks += Number(stat[11]) + Number(stat[12]);              // its own
      if (each === pid) ticks += Number(stat[13]) + Number(stat[14]);  // of children that ended
    } catch (error) {
      if (each === pid) throw error;  // a child may end while it is looked at
    }
  }
  return ticks / TICKS;
}

/** @param {number} pid @returns {string[]} */
function childrenOf(pid) {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Number(statOf(name)[1]) === pid;
    } catch {
      return false;
    }
  });
}

/** Looks at named processes once a second from start() to stop(). */
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
    this.#track = Object.fromEntries(Object.keys(pids).map((name) => [name, []]));
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
    for (const [name, pid] of Object.entries(this.#pids)) {
      try {
        const seconds = cpuSecondsOf(pid);
        this.#track[name].push({at: Date.now(), seconds});
      } catch {
        // It has ended; what is lacking at the end shows in cpuBetween().
      }
    }
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
