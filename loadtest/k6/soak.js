// The same load for a long time. Latency is held against its limit in each third, so that what
// grows slowly shows; members that don't talk reconnect to another node every RENEW, as clients do.

import {scenario} from 'k6/execution';

import {partOf} from './lib/cast.js';
import {Member} from './lib/member.js';
import {thresholds, TREND_STATS} from './lib/metrics.js';
import {begin, longest} from './lib/plan.js';
import {common, duration} from './lib/settings.js';

const AWAY_MS = 500;

const settings = common({members: 30, talkers: 5, rate: 10, duration: '1h'});
const renewMs = duration('RENEW', '10m');
const members = settings.rooms * settings.members;

/** @type {import('k6/options').Options} */
export const options = {
  scenarios: {
    members: {
      executor: 'per-vu-iterations',
      vus: members,
      maxDuration: longest(settings),
      gracefulStop: '5s',
    },
  },
  thresholds: thresholds(settings, members, {
    first: settings.p95Ms,
    middle: settings.p95Ms,
    last: settings.p95Ms,
  }),
  summaryTrendStats: TREND_STATS,
};

export function setup() {
  return begin();
}

/** @param {import('./lib/plan.js').Run} run */
export default async function (run) {
  const part = partOf(settings, run, scenario.iterationInTest, members);
  const third = (/** @type {number} */ at) => Math.min(2, Math.floor(3 * part.plan.part(at)));
  await new Member({
    ...part,
    moves: {stayMs: renewMs, awayMs: AWAY_MS},
    phaseAt: (at, since) => at < since ? 'missed' : ['first', 'middle', 'last'][third(at)],
  }).attend();
}
