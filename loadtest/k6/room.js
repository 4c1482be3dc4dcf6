// Members of a room are there from the beginning to the end, and some of them talk at a fixed rate.

import {scenario} from 'k6/execution';

import {partOf} from './lib/cast.js';
import {Member} from './lib/member.js';
import {thresholds, TREND_STATS} from './lib/metrics.js';
import {begin, longest} from './lib/plan.js';
import {common} from './lib/settings.js';

const settings = common({members: 30, talkers: 5, rate: 20, duration: '60s'});
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
  thresholds: thresholds(settings, members),
  summaryTrendStats: TREND_STATS,
};

export function setup() {
  return begin();
}

/** @param {import('./lib/plan.js').Run} run */
export default async function (run) {
  await new Member(partOf(settings, run, scenario.iterationInTest, members)).attend();
}
