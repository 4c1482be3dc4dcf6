// What the scenarios count, and what must be true at the end. Counts are taken by each member for
// itself; k6 adds them up.

import {Counter, Rate, Trend} from 'k6/metrics';

export const sent = new Counter('chat_sent');  // messages, by talkers
export const acked = new Counter('chat_acked');  // of them, stored
export const refused = new Rate('chat_refused');  // sends that ended in an error or in nothing
export const expected = new Counter('chat_expected');  // deliveries that the talkers' acks promise
export const received = new Counter('chat_received');  // deliveries, without repeats
export const lost = new Counter('chat_lost');  // deliveries that never came
export const repeated = new Counter('chat_repeated');
export const misordered = new Counter('chat_misordered');
export const wrong = new Counter('chat_wrong');  // of another id, sender or room than promised
export const gaps = new Counter('chat_gaps');  // frames "gap"
export const moves = new Counter('chat_moves');  // reconnects with resume
export const failures = new Counter('chat_failures');  // members that could not go on
export const accounted = new Counter('chat_accounted');  // members whose account is complete
export const delivery = new Trend('chat_delivery_ms', true);  // from the time that it was due
export const ack = new Trend('chat_ack_ms', true);

export const TREND_STATS = ['min', 'med', 'p(90)', 'p(95)', 'p(99)', 'max', 'count'];

/** The thresholds of a run in which `members` members must give account of themselves. A member
 * that hangs, dies or is interrupted does not, and fails the run.
 * @param {{p95Ms: number, refusedRate: number}} settings
 * @param {number} members
 * @param {{[phase: string]: number}} [phases] the highest p95 of each; else the settings' for all
 * @returns {{[metric: string]: string[]}} */
export function thresholds(settings, members, phases) {
  return {
    chat_accounted: [`count==${members}`],
    chat_failures: ['count==0'],
    chat_received: ['count>0'],
    chat_lost: ['count==0'],
    chat_repeated: ['count==0'],
    chat_misordered: ['count==0'],
    chat_wrong: ['count==0'],
    chat_gaps: ['count==0'],
    chat_refused: [`rate<=${settings.refusedRate}`],
    ...latency(settings.p95Ms, phases),
  };
}

/** @param {number} p95Ms
 *  @param {{[phase: string]: number}} [phases] */
function latency(p95Ms, phases) {
  const limits = phases === undefined ? {'': p95Ms} : phases;
  return Object.fromEntries(Object.entries(limits).flatMap(([phase, limit]) => {
    const tag = phase === '' ? '' : `{phase:${phase}}`;
    return ['chat_delivery_ms', 'chat_ack_ms'].map((name) => [name + tag, [`p(95)<=${limit}`]]);
  }));
}
