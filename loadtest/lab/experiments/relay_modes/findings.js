// What the figures say, in sentences made from them.

import {pairsOf} from './checks.js';
import {ORIGINALS, ORIGINAL_LOG_LEVEL, ORIGINAL_QUEUE} from './originals.js';
import {cpuPerDelivery, ofPart, secondsOf} from './sections.js';
import {OTHERS} from '../../measure/cpu_sampler.js';
import {mean} from '../../measure/statistics.js';

/** @typedef {import('../../cluster/measured_run.js').Measured} Measured */
/** @typedef {[Measured, Measured]} Pair  the first is single, or bulk against stream */

// Closer than this is chance on a machine that does other things too.
const CLEAR = 1.1;

/** @param {Measured[]} all @returns {string[]} */
export function findingsOf(all) {
  const believed = all.filter((m) => m.void === '');
  const base = pairsOf(ofPart(believed, 'base'));
  return [
    ...disturbed(all),
    ...whenSingleWins(base),
    ...sequentialDelivery(base),
    ...againstOriginal(base),
    ...delayed(pairsOf(ofPart(believed, 'delay'))),
    ...logLevel(believed),
    ...connectBurst(believed),
    ...modern(pairsOf(ofPart(believed, 'modern'))),
    ...order(believed),
    ...repeated(all),
  ];
}

/**
 * What stands at the top: of each part what it is about.
 * @param {Measured[]} all
 * @param {boolean} quick
 */
export function summaryOf(all, quick) {
  const believed = all.filter((m) => m.void === '');
  const pairs = (/** @type {string} */ part) => pairsOf(ofPart(believed, part));
  const firsts = [disturbed(all), whenSingleWins(pairs('base')), delayed(pairs('delay')),
                  modern(pairs('modern'))].flatMap(([first]) => first ?? []);
  return [
    `${all.length} conditions on three nodes of one binary, each on fresh data; what differs in a ` +
        'pair is the relay mode alone.',
    ...(quick ? ['A few seconds each: enough to see that everything adds up, too short to tell ' +
                 'which mode is faster.'] : []),
    ...firsts,
  ].join(' ');
}

/** @param {Measured} m */
const room = ({condition: c}) => `${c.members} × ${c.rate}/s`;
/** @param {Measured} m @param {'p50' | 'p95' | 'max'} which */
const ms = (m, which) => /** @type {number} */ (m.latency_ms?.delivery[which]);
/** @param {number} value */
const short = (value) => value >= 100 ? value.toFixed(0) : value.toFixed(1);

/** @param {Pair[]} pairs */
const rooms = (pairs) =>
    pairs.length === 0 ? 'nowhere' : `in ${pairs.map(([m]) => room(m)).join(', ')}`;

/** @param {Pair[]} pairs */
function whenSingleWins(pairs) {
  if (pairs.length === 0) return [];
  return (/** @type {const} */ (['p50', 'p95'])).map((which) => {
    const won = pairs.filter(([single, bulk]) => ms(single, which) * CLEAR < ms(bulk, which));
    const lost = pairs.filter(([single, bulk]) => ms(bulk, which) * CLEAR < ms(single, which));
    const told = pairs.map(([single, bulk]) =>
        `${room(single)} ${short(ms(single, which))} against ${short(ms(bulk, which))} ms`);
    return `By more than a tenth in ${which}, single wins ${rooms(won)}, bulk ${rooms(lost)}. ` +
        `Single against bulk: ${told.join('; ')}.`;
  });
}

/**
 * The original's hypothesis: that bulk delivers one after the other does not hurt its max.
 * @param {Pair[]} pairs
 */
function sequentialDelivery(pairs) {
  if (pairs.length === 0) return [];
  const worse = pairs.filter(([single, bulk]) => ms(bulk, 'max') > ms(single, 'max') * CLEAR);
  const told = pairs.map(([single, bulk]) =>
      `${room(single)} ${short(ms(bulk, 'max'))} against ${short(ms(single, 'max'))} ms`).join('; ');
  const verdict = worse.length === 0 ?
      'That a node delivers a bulk call\'s recipients one after the other does not hurt the max: ' +
          'in no room is it more than a tenth above that of single, as the original supposed' :
      `In ${worse.map(([m]) => room(m)).join(', ')} the max of bulk is more than a tenth above ` +
          'that of single, where the original supposed that delivering one after the other does ' +
          'not hurt it; a max is one delivery out of all, so look at p95 too';
  return [`${verdict}. Bulk against single: ${told}.`];
}

/** @param {Pair[]} pairs */
function againstOriginal(pairs) {
  const known = pairs.flat().filter((m) => ORIGINALS[`${m.condition.members}x${m.condition.rate}`]);
  if (known.length === 0) return [];
  const original = (/** @type {Measured} */ m) =>
      ORIGINALS[`${m.condition.members}x${m.condition.rate}`][
        /** @type {'single' | 'bulk'} */ (m.condition.mode)];
  const factors = known.map((m) => original(m).p50 / ms(m, 'p50'));
  const tasks = known.map((m) => m.tasks.total / m.condition.seconds / original(m).tasks);
  const grown = known.filter((m) => (m.pool?.peakThreads ?? 0) > 30);
  return [
    `The original's p50 is ${short(Math.min(...factors))} to ${short(Math.max(...factors))} times ` +
        'ours. It ran on a JVM, on machines of their own, over a network, so this compares no ' +
        'languages. The tasks are the same in kind: ours are ' +
        `${Math.min(...tasks).toFixed(2)} to ${Math.max(...tasks).toFixed(2)} of its rate.`,
    grown.length === 0 ?
        'The pool stays at 30 everywhere, also in single, where the original\'s grew to 170 or ' +
            '200: a call over loopback is answered before threads pile up. The part with a delay ' +
            'shows the growth.' :
        `The pool grows beyond 30 in ${grown.map((m) => `${room(m)} ${m.condition.mode} (${
            m.pool?.peakThreads})`).join(', ')}.`,
  ];
}

/** @param {Pair[]} pairs */
function delayed(pairs) {
  return pairs.map(([single, bulk]) =>
      `With 60 ms on each call, ${room(single)}: single has up to ${single.pool?.peakThreads} ` +
      `threads and a queue of ${single.pool?.peakQueue}, p50 ${short(ms(single, 'p50'))} ms; bulk ` +
      `has ${bulk.pool?.peakThreads}, p50 ${short(ms(bulk, 'p50'))} ms, 60 of them the delay of ` +
      'those who are on another node.');
}

/** @param {Measured[]} all */
function logLevel(all) {
  const of = (/** @type {string} */ level) => all.filter(
      (m) => m.condition.id.startsWith(`disturbances-log-${level}`));
  const [debug, info] = [of('debug'), of('info')];
  if (debug.length === 0 || info.length === 0) return [];
  const p50 = (/** @type {Measured[]} */ runs) => mean(runs.map((m) => ms(m, 'p50')));
  const cpu = (/** @type {Measured[]} */ runs) => mean(runs.map(cpuPerDelivery));
  return [`Log level debug against info: p50 ${short(p50(debug))} against ${short(p50(info))} ms ` +
          `(the original: ${ORIGINAL_LOG_LEVEL.debug} against ${ORIGINAL_LOG_LEVEL.info}), CPU ` +
          `${short(cpu(debug))} against ${short(cpu(info))} µs per delivery. minichat writes no line ` +
          'per message at either level, so the original\u2019s reason for a difference is not there.'];
}

/** @param {Measured[]} all */
function connectBurst(all) {
  return all.filter((m) => m.condition.id.includes('connect-burst') && m.pool).map((m) => {
    const {peakQueueConnecting: connecting = 0, peakQueue: sending = 0} = m.pool ?? {};
    const told = `The executor's longest queue while 150 members connect is ${connecting}, while ` +
        `messages are sent ${sending} (the original: ${ORIGINAL_QUEUE.connecting} and ` +
        `${ORIGINAL_QUEUE.sending}).`;
    return connecting === 0 ?
        `${told} Here telling who comes is no task of this executor, so a burst of connections ` +
            'does not stand in the way of messages.' :
        told;
  });
}

/** @param {Pair[]} pairs */
function modern(pairs) {
  return pairs.map(([bulk, stream]) =>
      `Modern, ${room(bulk)}: bulk p50 ${short(ms(bulk, 'p50'))}, p95 ${short(ms(bulk, 'p95'))} ms ` +
      `at ${short(cpuPerDelivery(bulk))} µs of CPU per delivery; stream ${short(ms(stream, 'p50'))}, ` +
      `${short(ms(stream, 'p95'))} ms at ${short(cpuPerDelivery(stream))} µs.`);
}

/** @param {Measured[]} all */
function order(all) {
  const classic = all.filter((m) => m.condition.profile === 'classic' && m.counts.misordered > 0);
  if (classic.length === 0) return [];
  const worst = classic.reduce((a, b) => share(a) > share(b) ? a : b);
  return [`Nothing keeps the order in the classic shape: messages overtook others in ${
      classic.length} conditions, at worst ${(share(worst) * 100).toFixed(1)} % of the deliveries ` +
          `(${room(worst)}, ${worst.condition.mode}).`];
}
/** @param {Measured} m */
const share = (m) => m.counts.misordered / m.counts.received;

/** @param {Measured[]} all */
function repeated(all) {
  const again = all.filter((m) => m.attempts > 1);
  return again.length === 0 ? [] : [
    `Measured again because the first time was void: ${
        again.map((m) => `${m.condition.id} (${m.attempts} times)`).join(', ')}.`,
  ];
}

// Cores that the machine may use for other things: the system itself needs some.
const QUIET_CORES = 0.2;

/** @param {Measured[]} all */
function disturbed(all) {
  const highest = Math.max(...all.map((m) => (m.cpu_seconds[OTHERS] ?? 0) / secondsOf(m)));
  return highest <= QUIET_CORES ? [] : [
    `The machine did other things meanwhile: up to ${highest.toFixed(1)} cores went to processes ` +
        'that are not the lab\'s. Latencies and pool sizes are higher for it; compare within pairs ' +
        'only.',
  ];
}
