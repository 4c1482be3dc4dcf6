// The talkers talk from the beginning; the other members come one after the other over RAMP and
// stay. The deliveries per second grow with them..

import {scenario} from 'k6/execution';

import {partOf} from './lib/cast.js';
import {Member} from './lib/member.js';
import {thresholds, TREND_STATS} from './lib/metrics.js';
import {begin, longest} from './lib/plan.js';
import {common, duration} from './lib/settings.js';

const settings = common({members: 100, talkers: 5, rate: 20, duration: '3m'});
const rampMs = duration('RAMP', '2m');
const members = settings.rooms * settings.members;
if (rampMs >= settings.durationMs) throw new Error('RAMP: must be shorter than DURATION');

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
  thresholds: thresholds(settings, members, {ramp: settings.p95Ms, full: settings.p95Ms}),
  summaryTrendStats: TREND_STATS,
};

export function setup() {
  return begin();
}

/** @param {import('./lib/plan.js').Run} run */
export default async function (run) {
  const part = partOf(settings, run, scenario.iterationInTest, members);
  const {sendFrom} = part.plan;
  const talks = part.place < settings.talkers;
  const turn = (part.place - settings.talkers + 1) / (settings.members - settings.talkers + 1);
  await new Member({
    ...part,
    arriveAt: talks ? part.arriveAt : sendFrom + rampMs * turn,
    phaseAt: (at) => at < sendFrom + rampMs ? 'ramp' : 'full',
  }).attend();
}
