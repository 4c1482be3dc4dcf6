// What relay-modes measures: in each part pairs that differ in one thing, one after the other.

/** @typedef {import('../../cluster/measured_run.js').Condition} Condition */
/** @typedef {Condition & {part: string}} PartCondition */

export const PARTS = ['base', 'delay', 'disturbances', 'modern', 'cpu'];
export const NODE_COUNT = 3;

// Members and talkers are separate: the same few talk, whatever the room's size.
const TALKERS = 15;
/** @type {[number, number][]}  members, messages a second */
const BASE = [[30, 30], [90, 30], [150, 30], [150, 10], [150, 50]];
/** @type {[number, number][]} */
const DELAY = [[150, 30], [90, 30], [150, 50]];
// The last one is ten times the original's highest load.
/** @type {[number, number][]} */
const MODERN = [[30, 30], [150, 30], [150, 50], [150, 500]];
export const TENFOLD_RATE = 500;
export const TENFOLD_P95_MS = 25;
// 4,500 deliveries a second each, because what a delivery costs depends on how many there are.
/** @type {[number, number][]} */
const EQUAL_DELIVERIES = [[30, 150], [150, 30], [900, 5]];
const MODES = /** @type {const} */ (['single', 'bulk']);
const MODERN_MODES = /** @type {const} */ (['bulk', 'stream']);
export const RELAY_DELAY_S = 0.06;

/**
 * @param {{quick: boolean, parts: string[]}} what
 * @returns {PartCondition[]}
 */
export function conditionsOf({quick, parts}) {
  const all = quick ? quickConditions() : fullConditions();
  return all.filter((condition) => parts.includes(condition.part));
}

/** @returns {PartCondition[]} */
function fullConditions() {
  const minutes = {seconds: 120, drainSeconds: 60};
  const minute = {seconds: 60, drainSeconds: 60};
  const shorter = {seconds: 45, drainSeconds: 60};
  return [
    ...pairs('base', BASE, 'classic', MODES, minutes),
    ...pairs('delay', DELAY, 'classic', MODES, minutes, DELAYED),
    ...logLevels(minute),
    connectBurst(minute),
    ...pairs('modern', MODERN, 'modern', MODERN_MODES, minutes),
    ...EQUAL_DELIVERIES.flatMap((room) => [
      ...pairs('cpu', [room], 'classic', MODES, shorter),
      ...pairs('cpu', [room], 'modern', MODERN_MODES, shorter),
    ]),
  ];
}

/** @returns {PartCondition[]} */
function quickConditions() {
  const short = {seconds: 4, drainSeconds: 20};
  return [
    ...pairs('base', [[90, 30]], 'classic', MODES, short),
    ...pairs('delay', [[150, 30]], 'classic', MODES, short, DELAYED),
    ...pairs('modern', [[150, 30]], 'modern', MODERN_MODES, short),
  ];
}

const DELAYED = {'lab.fault.relay_delay': `${RELAY_DELAY_S * 1000}ms`};

/**
 * @param {string} part
 * @param {[number, number][]} rooms
 * @param {'classic' | 'modern'} profile
 * @param {readonly ('single' | 'bulk' | 'stream')[]} modes
 * @param {{seconds: number, drainSeconds: number}} times
 * @param {Record<string, string>} [flags]
 * @returns {PartCondition[]}
 */
function pairs(part, rooms, profile, modes, times, flags = {}) {
  return rooms.flatMap(([members, rate]) => modes.map((mode) => ({
    id: `${part}-${part === 'cpu' ? `${profile}-` : ''}${members}x${rate}-${mode}`,
    part,
    members,
    talkers: TALKERS,
    rate,
    mode,
    profile,
    flags,
    ...times,
  })));
}

/** Log level debug against info, twice. @param {{seconds: number, drainSeconds: number}} times */
function logLevels(times) {
  return [1, 2].flatMap((round) => ['debug', 'info'].map((level) => ({
    ...pairs('disturbances', [[150, 30]], 'classic', ['single'], times,
             {'logging.level': level})[0],
    id: `disturbances-log-${level}-${round}`,
  })));
}

/**
 * All members connect at once, and each is told of each.
 * @param {{seconds: number, drainSeconds: number}} times
 */
function connectBurst(times) {
  return {
    ...pairs('disturbances', [[150, 50]], 'classic', ['single'], times,
             {'presence.max_sessions': '200'})[0],
    id: 'disturbances-connect-burst',
  };
}

/**
 * Tasks that one message makes on all nodes together, when members are spread evenly: one for each
 * recipient at the sender's node, and one for each call to another.
 * @param {Pick<Condition, 'members' | 'mode'>} condition
 */
export function tasksPerMessage({members, mode}) {
  return mode === 'single' ? members : members / NODE_COUNT + (NODE_COUNT - 1);
}

/**
 * Threads of one node that wait in relay calls at any moment, when each call takes the delay: calls
 * of this node a second, times the time of one.
 * @param {Pick<Condition, 'members' | 'mode' | 'rate'>} condition
 */
export function busyThreads({members, mode, rate}) {
  const remote = NODE_COUNT - 1;
  const calls = mode === 'single' ? members * remote / NODE_COUNT : remote;
  return rate / NODE_COUNT * calls * RELAY_DELAY_S;
}
