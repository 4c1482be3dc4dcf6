// When things happen in a run. One clock: all VUs of a run are on one machine.
//
//   begin ── CONNECT ── sendFrom ── DURATION ── sendTo ── DRAIN ── drainTo

import {setTimeout} from 'k6/timers';

/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {{run: string, beginAt: number}} Run what setup() gives to all VUs */

// The arrivals take this part of CONNECT; the rest is for the last of them.
const ARRIVALS = 0.7;
// A VU that is slow to notice its end is interrupted after this, and fails the run.
const SPARE_MS = 10000;

/** For setup(): a name that no other run has, and the beginning of time.
 * @returns {Run} */
export function begin() {
  const now = Date.now();
  const random = Math.floor(Math.random() * 36 ** 6).toString(36);
  return {run: `k6-${now.toString(36)}-${random}`, beginAt: now};
}

/** For a scenario's maxDuration.
 * @param {Settings} settings */
export function longest(settings) {
  const {connectMs, durationMs, drainMs} = settings;
  return `${Math.ceil(connectMs + durationMs + drainMs + SPARE_MS)}ms`;
}

/** @param {number} at of Date.now()
 *  @returns {Promise<void>} */
export function until(at) {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, Math.ceil(at - Date.now())));
  });
}

export class Plan {
  /** @param {Settings} settings
   *  @param {Run} run */
  constructor(settings, run) {
    this.beginAt = run.beginAt;
    this.sendFrom = run.beginAt + settings.connectMs;
    this.sendTo = this.sendFrom + settings.durationMs;
    this.drainTo = this.sendTo + settings.drainMs;
    this.arrivalsMs = settings.connectMs * ARRIVALS;
  }

  /** The arrival of member `index` of `count` before the first message, evenly spread.
   * @param {number} index
   * @param {number} count */
  arrival(index, count) {
    return this.beginAt + this.arrivalsMs * index / count;
  }

  /** Which part of the time of sending this is, from 0 to 1.
   * @param {number} at */
  part(at) {
    return (at - this.sendFrom) / (this.sendTo - this.sendFrom);
  }
}
