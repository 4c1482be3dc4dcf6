// The talkers stay; all others come and go. Each stays for STAY at one node, is away for AWAY, and
// goes on at the next node after the last message that it saw: it must get all that it missed,
// once.

import {scenario} from 'k6/execution';

import {partOf} from './lib/cast.js';
import {Member} from './lib/member.js';
import {thresholds, TREND_STATS} from './lib/metrics.js';
import {begin, longest} from './lib/plan.js';
import {common, duration} from './lib/settings.js';

const settings = common({members: 30, talkers: 5, rate: 20, duration: '2m'});
const stayMs = duration('STAY', '10s');
const awayMs = duration('AWAY', '1s');
const members = settings.rooms * settings.members;
if (settings.talkers >= settings.members) throw new Error('TALKERS: must be less than MEMBERS');
if (stayMs + awayMs >= settings.durationMs) {
  throw new Error('STAY and AWAY: must fit into DURATION');
}

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
  thresholds: {
    ...thresholds(settings, members, {live: settings.p95Ms}),
    chat_moves: [`count>=${settings.rooms * (settings.members - settings.talkers)}`],
  },
  summaryTrendStats: TREND_STATS,
};

export function setup() {
  return begin();
}

/** @param {import('./lib/plan.js').Run} run */
export default async function (run) {
  const part = partOf(settings, run, scenario.iterationInTest, members);
  await new Member({
    ...part,
    moves: {stayMs, awayMs},
    // What was sent while a member was away comes late, and says nothing about the cluster.
    phaseAt: (at, since) => at < since ? 'missed' : 'live',
  }).attend();
}
