// In the middle third of DURATION a crowd of CROWD more members comes into each room at once, and
// the talkers talk BOOST times as fast; then the crowd leaves, and all must be as before.

import {scenario} from 'k6/execution';

import {partOf} from './lib/cast.js';
import {Member} from './lib/member.js';
import {thresholds, TREND_STATS} from './lib/metrics.js';
import {begin, longest} from './lib/plan.js';
import {common, number, whole} from './lib/settings.js';

const settings = common({members: 30, talkers: 5, rate: 10, duration: '90s'});
const crowdSize = whole('CROWD', 90);
const boost = number('BOOST', 3);
const spikeP95Ms = number('SPIKE_P95_MS', 1000);
const members = settings.rooms * settings.members;
const crowd = settings.rooms * crowdSize;
if (boost <= 0) throw new Error('BOOST: must be above 0');

/** @type {import('k6/options').Options} */
export const options = {
  scenarios: {
    members: {
      executor: 'per-vu-iterations',
      vus: members,
      maxDuration: longest(settings),
      gracefulStop: '5s',
    },
    crowd: {
      executor: 'per-vu-iterations',
      exec: 'join',
      vus: crowd,
      maxDuration: longest(settings),
      gracefulStop: '5s',
    },
  },
  thresholds: thresholds(settings, members + crowd, {
    before: settings.p95Ms,
    spike: spikeP95Ms,
    after: settings.p95Ms,
  }),
  summaryTrendStats: TREND_STATS,
};

export function setup() {
  return begin();
}

/** @param {import('./lib/plan.js').Run} run */
export default async function (run) {
  await new Member(inThirds(partOf(settings, run, scenario.iterationInTest, members))).attend();
}

/** @param {import('./lib/plan.js').Run} run */
export async function join(run) {
  // Places behind those of the members.
  const index = members + scenario.iterationInTest;
  const part = inThirds(partOf(settings, run, index, members + crowd));
  const third = settings.durationMs / 3;
  await new Member({
    ...part,
    arriveAt: part.plan.sendFrom + third,
    leaveAt: part.plan.sendFrom + 2 * third,
  }).attend();
}

/** @param {import('./lib/member.js').Part} part
 *  @returns {import('./lib/member.js').Part} */
function inThirds(part) {
  const phaseAt = (/** @type {number} */ at) =>
    ['before', 'spike', 'after'][Math.min(2, Math.floor(3 * part.plan.part(at)))];
  return {
    ...part,
    phaseAt,
    rateAt: (at) => settings.rate * (phaseAt(at) === 'spike' ? boost : 1),
  };
}
