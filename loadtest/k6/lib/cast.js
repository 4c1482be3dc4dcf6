// Who takes part: names, rooms and places of members, by their index in the scenario.

import {Plan} from './plan.js';

/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {import('./plan.js').Run} Run */

/** Member `index` of `count`: there before the first message and to the end, at the nodes in turn.
 * What a scenario wants otherwise it changes.
 * @param {Settings} settings
 * @param {Run} run
 * @param {number} index
 * @param {number} count
 * @returns {import('./member.js').Part} */
export function partOf(settings, run, index, count) {
  const plan = new Plan(settings, run);
  const room = index % settings.rooms;
  const place = Math.floor(index / settings.rooms);
  return {
    settings,
    plan,
    user: userOf(run, room, place),
    room: `${run.run}-r${room}`,
    talkers: Array.from({length: settings.talkers}, (_, talker) => userOf(run, room, talker)),
    place,
    arriveAt: plan.arrival(index, count),
  };
}

/** @param {Run} run
 *  @param {number} room
 *  @param {number} place */
function userOf(run, room, place) {
  return `${run.run}-r${room}-m${place}`;
}
