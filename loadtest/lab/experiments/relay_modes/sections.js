// The report's tables and plots.

import {sum} from '../../measure/statistics.js';
import {NODE_NAMES} from '../../cluster/nodes.js';
import {pairsOf} from './checks.js';
import {busyThreads} from './conditions.js';
import {ORIGINALS, ORIGINAL_LOG_LEVEL, ORIGINAL_QUEUE, PROTOTYPE_CPU, PROTOTYPE_OPEN} from './originals.js';

/** @typedef {import('../../cluster/measured_run.js').Measured} Measured */
/** @typedef {import('../../report/document.js').Section} Section */
/** @typedef {import('../../report/document.js').Plot} Plot */
/** @typedef {import('../../report/document.js').Cell} Cell */

/** @param {Measured} m */
const roomOf = ({condition: c}) => `${c.members} × ${c.rate}/s`;
/** @param {Measured} m */
const keyOf = ({condition: c}) => `${c.members}x${c.rate}`;
/** @param {Measured} m @param {'p50' | 'p95' | 'p99' | 'max'} which @returns {Cell} */
const latency = (m, which) => m.latency_ms ? m.latency_ms.delivery[which] : null;
/** @param {Measured} m */
const tasksPerSecond = (m) => m.tasks.total / m.condition.seconds;
/** From the first send to the last delivery. @param {Measured} m */
export const secondsOf = (m) => (m.phases.drain.end_at - m.phases.send.start_at) / 1000;
/** CPU of all nodes, µs per delivery. @param {Measured} m */
export const cpuPerDelivery = (m) =>
    sum(NODE_NAMES.map((name) => m.cpu_seconds[name])) * 1e6 / m.counts.received;

/** @param {Measured[]} all @param {string} part */
export const ofPart = (all, part) => all.filter((m) => m.condition.id.startsWith(`${part}-`));

/** @param {Measured[]} all @returns {Section[]} */
export function sectionsOf(all) {
  return [
    ...base(ofPart(all, 'base')),
    ...delay(ofPart(all, 'delay')),
    ...disturbances(ofPart(all, 'disturbances')),
    ...modern(ofPart(all, 'modern')),
    ...cpu(all),
  ];
}

/** @param {Measured[]} part @returns {Section[]} */
function base(part) {
  if (part.length === 0) return [];
  return [{
    title: 'The classic shape: single against bulk',
    text: 'A thread-pool server (30 threads, up to 200 once 1,000 tasks wait, and the caller runs ' +
        'what does not fit), one task for each recipient on the sender\'s node, and one for each ' +
        'call to another node. What begins with "orig." is of the first minichat, on a JVM with ' +
        'machines of their own and a network between them; here all runs on one machine over ' +
        'loopback.',
    tables: [
      {
        title: 'Delivery, from the intended time of sending',
        columns: [{name: 'room'}, {name: 'mode'}, {name: 'p50', unit: 'ms'},
                  {name: 'orig. p50', unit: 'ms'}, {name: 'p95', unit: 'ms'},
                  {name: 'orig. p95', unit: 'ms'}, {name: 'max', unit: 'ms'},
                  {name: 'orig. max', unit: 'ms'}, {name: 'misordered'}],
        rows: part.map(latencyRow),
      },
      {
        title: 'The executor, and what it costs',
        columns: [{name: 'room'}, {name: 'mode'}, {name: 'tasks/message'}, {name: 'tasks/s'},
                  {name: 'orig. tasks/s'}, {name: 'pool'}, {name: 'orig. pool'},
                  {name: 'longest queue'},
                  {name: 'nodes\' CPU', unit: 'µs/delivery'}],
        rows: part.map(executorRow),
      },
    ],
    plots: plotsOf(part),
  }];
}

/** @param {Measured} m */
const modeOf = (m) => m.condition.mode + (m.void ? ' (void)' : '');
/** @param {Measured} m */
const originalOf = (m) =>
    ORIGINALS[keyOf(m)]?.[/** @type {'single' | 'bulk'} */ (m.condition.mode)];

/** @param {Measured} m @returns {Cell[]} */
function latencyRow(m) {
  const original = originalOf(m);
  return [
    roomOf(m), modeOf(m), latency(m, 'p50'), original?.p50 ?? null, latency(m, 'p95'),
    original?.p95 ?? null, latency(m, 'max'), original?.max ?? null, m.counts.misordered,
  ];
}

/** @param {Measured} m @returns {Cell[]} */
function executorRow(m) {
  const original = originalOf(m);
  const own = m.void ? [null, null, null, null, null] : [
    m.tasks.total / m.counts.sent, Math.round(tasksPerSecond(m)), m.pool?.peakThreads ?? null,
    m.pool?.peakQueue ?? null, cpuPerDelivery(m),
  ];
  const [perMessage, perSecond, pool, queue, cpuTime] = own;
  return [roomOf(m), modeOf(m), perMessage, perSecond, original?.tasks ?? null, pool,
          original?.pool ?? null, queue, cpuTime];
}

// A rate over 10 s shows nothing of a run that hardly lasts longer.
const LEAST_FOR_RATES = 30;

/** Of each pair: threads, tasks, latencies, CPU; equal axes for each kind. @param {Measured[]} part */
function plotsOf(part) {
  const believed = pairsOf(part).filter((pair) => pair.every((m) => m.void === ''));
  return believed.flatMap((pair) => {
    const room = roomOf(pair[0]);
    const classic = pair.every((m) => m.pool !== null);
    return [
      ...(classic ? [threadsPlot(room, pair)] : []),
      ...(classic && pair[0].condition.seconds >= LEAST_FOR_RATES ? [tasksPlot(room, pair)] : []),
      latencyPlot(room, pair),
      cpuPlot(room, pair),
    ];
  });
}

/** Of a pair the connect burst of the first; the others take as long. @param {Measured[]} pair */
const connectMark = ([{phases}]) => [{
  from: (phases.connect.start_at - phases.send.start_at) / 1000,
  to: 0,
  label: 'connect',
}];

/** @param {string} room @param {Measured[]} pair @returns {Plot} */
function threadsPlot(room, pair) {
  return {
    title: `${room}: executor threads, the node with most`,
    kind: 'line',
    x: {label: 'time from the first message', unit: 's'},
    y: {label: 'threads'},
    axes: `threads-${pair[0].condition.id.split('-')[0]}`,
    marks: connectMark(pair),
    series: pair.map((m) => ({name: m.condition.mode, points: highest(m.pool?.threads ?? {})})),
  };
}

/** @param {Record<string, [number, number][]>} byNode @returns {[number, number][]} */
function highest(byNode) {
  /** @type {Map<number, number>} */
  const top = new Map();
  for (const [t, value] of Object.values(byNode).flat()) {
    top.set(t, Math.max(top.get(t) ?? 0, value));
  }
  return [...top].sort(([a], [b]) => a - b);
}

/** @param {string} room @param {Measured[]} pair @returns {Plot} */
function tasksPlot(room, pair) {
  return {
    title: `${room}: executor tasks, all nodes`,
    kind: 'line',
    x: {label: 'time from the first message', unit: 's'},
    y: {label: 'tasks', unit: '1/s'},
    axes: `tasks-${pair[0].condition.id.split('-')[0]}`,
    marks: connectMark(pair),
    series: pair.map((m) => ({name: m.condition.mode, points: m.pool?.tasksPerSecond ?? []})),
  };
}

/** @param {string} room @param {Measured[]} pair @returns {Plot} */
function latencyPlot(room, pair) {
  return {
    title: `${room}: deliveries by latency`,
    kind: 'cdf',
    x: {label: 'latency', unit: 'ms', log: true},
    y: {label: 'share of deliveries'},
    axes: `latency-${pair[0].condition.id.split('-')[0]}`,
    series: pair.map((m) => ({name: m.condition.mode, points: m.latency_ms?.delivery_cdf ?? []})),
  };
}

/** @param {string} room @param {Measured[]} pair @returns {Plot} */
function cpuPlot(room, pair) {
  return {
    title: `${room}: CPU per process`,
    kind: 'bar',
    x: {label: 'process'},
    y: {label: 'cores'},
    axes: `cpu-${pair[0].condition.id.split('-')[0]}`,
    series: pair.map((m) => ({
      name: m.condition.mode,
      points: [
        ...Object.entries(m.cpu_seconds).map(
            ([name, used]) => /** @type {[string, number]} */ ([name, used / secondsOf(m)])),
        /** @type {[string, number]} */ (['load', m.generator.cpu_share]),
      ],
    })),
  };
}

/** @param {Measured[]} part @returns {Section[]} */
function delay(part) {
  if (part.length === 0) return [];
  return [{
    title: 'The same with 60 ms on each relay call',
    text: 'Loopback is fast, so that hardly a thread waits. Here the receiving node answers each ' +
        'call 60 ms later. By calculation a node then has rate / 3 × (calls to other nodes) × ' +
        '0.06 s threads busy; the pool grows beyond 30 only when its queue of 1,000 is full.',
    tables: [{
      title: 'Threads by calculation and as seen',
      columns: [{name: 'room'}, {name: 'mode'}, {name: 'busy, computed'}, {name: 'busy, seen'},
                {name: 'pool'}, {name: 'longest queue'}, {name: 'run by the caller'},
                {name: 'p50', unit: 'ms'}, {name: 'p95', unit: 'ms'}, {name: 'max', unit: 'ms'},
                {name: 'tasks/message'}],
      rows: part.map((m) => [
        roomOf(m), modeOf(m), busyThreads(m.condition),
        m.void ? null : m.pool?.busyThreads ?? null, m.void ? null : m.pool?.peakThreads ?? null,
        m.void ? null : m.pool?.peakQueue ?? null, m.void ? null : m.tasks.rejected,
        latency(m, 'p50'), latency(m, 'p95'), latency(m, 'max'),
        m.void ? null : m.tasks.total / m.counts.sent,
      ]),
    }],
    plots: plotsOf(part).filter((plot) => plot.kind !== 'bar'),
  }];
}

/** @param {Measured[]} part @returns {Section[]} */
function disturbances(part) {
  const levels = part.filter((m) => m.condition.id.includes('-log-'));
  const burst = part.filter((m) => m.condition.id.includes('-connect-'));
  if (part.length === 0) return [];
  return [{
    title: 'Two disturbances',
    text: 'What else moves the figures: the log level, and everybody connecting at once (rooms ' +
        'of up to 200 are told who comes, so each of 150 is told of 149 others).',
    tables: [
      {
        title: 'Log level debug against info, in turn',
        columns: [{name: 'level'}, {name: 'p50', unit: 'ms'}, {name: 'orig. p50', unit: 'ms'},
                  {name: 'p95', unit: 'ms'}, {name: 'max', unit: 'ms'},
                  {name: 'nodes\' CPU', unit: 'µs/delivery'}],
        rows: levels.map((m) => [
          m.manifest.log_level, latency(m, 'p50'),
          ORIGINAL_LOG_LEVEL[/** @type {'debug' | 'info'} */ (m.manifest.log_level)],
          latency(m, 'p95'), latency(m, 'max'), m.void ? null : cpuPerDelivery(m),
        ]),
      },
      {
        title: 'The executor\'s longest queue',
        columns: [{name: 'room'}, {name: 'while connecting'}, {name: 'orig. connecting'},
                  {name: 'while sending'}, {name: 'orig. sending'}],
        rows: burst.map((m) => [
          roomOf(m), m.pool?.peakQueueConnecting ?? null, ORIGINAL_QUEUE.connecting,
          m.pool?.peakQueue ?? null, ORIGINAL_QUEUE.sending,
        ]),
      },
    ].filter((table) => table.rows.length > 0),
  }];
}

/** @param {Measured[]} part @returns {Section[]} */
function modern(part) {
  if (part.length === 0) return [];
  return [{
    title: 'Not imitating: bulk against stream',
    text: 'minichat as it is: no thread waits for a call, a message goes to all sessions of a ' +
        'node at once, holes are repaired.',
    tables: [{
      title: 'Delivery from the intended time of sending',
      columns: [{name: 'room'}, {name: 'mode'}, {name: 'p50', unit: 'ms'},
                {name: 'p95', unit: 'ms'}, {name: 'p99', unit: 'ms'}, {name: 'max', unit: 'ms'},
                {name: 'relay calls/message'}, {name: 'nodes\' CPU', unit: 'µs/delivery'}],
      rows: part.map((m) => [
        roomOf(m), modeOf(m), latency(m, 'p50'),
        latency(m, 'p95'), latency(m, 'p99'), latency(m, 'max'),
        m.void ? null : m.relay_calls.seen / m.counts.sent, m.void ? null : cpuPerDelivery(m),
      ]),
    }],
    plots: plotsOf(part),
  }];
}

/** CPU per delivery of what was measured at the same number of deliveries. @param {Measured[]} all */
function cpu(all) {
  const own = ofPart(all, 'cpu');
  const believed = (own.length > 0 ? own : [...ofPart(all, 'base'), ...ofPart(all, 'modern')])
                       .filter((m) => m.void === '');
  if (believed.length === 0) return [];
  const rooms = [...new Map(believed.map((m) => [keyOf(m), m])).values()];
  const of = (/** @type {Measured} */ room, /** @type {string} */ profile,
              /** @type {string} */ mode) => {
    const found = believed.find((m) => keyOf(m) === keyOf(room) &&
                                m.condition.profile === profile && m.condition.mode === mode);
    return found ? cpuPerDelivery(found) : null;
  };
  const ratio = (/** @type {number | null} */ a, /** @type {number | null} */ b) =>
      a !== null && b !== null ? a / b : null;
  return [{
    title: 'CPU per delivery',
    text: 'Of the three nodes together, in µs, between the first message and the last delivery. ' +
        (own.length > 0 ? 'Each room gets 4,500 deliveries a second, because a delivery is ' +
                              'cheaper the more there are. ' : '') +
        'Beside it the prototype\'s figures: it stored nothing, and had 8 messages in flight all ' +
        'the time, which is many more deliveries a second and so cheaper ones. At a fixed 50/s to ' +
        `150 members it took ${PROTOTYPE_OPEN.classicSingle} (single, thread pool) : ` +
        `${PROTOTYPE_OPEN.classicBulk} (bulk, thread pool) and ${PROTOTYPE_OPEN.bulk} (bulk) : ` +
        `${PROTOTYPE_OPEN.stream} (stream).`,
    tables: [{
      title: 'µs of CPU per delivery',
      columns: [{name: 'room'}, {name: 'classic single'}, {name: 'classic bulk'},
                {name: 'single : bulk'}, {name: 'modern bulk'}, {name: 'modern stream'},
                {name: 'bulk : stream'}, {name: 'the prototype\'s single : bulk : stream'}],
      rows: rooms.map((room) => {
        const [single, bulk] = [of(room, 'classic', 'single'), of(room, 'classic', 'bulk')];
        const [modernBulk, stream] = [of(room, 'modern', 'bulk'), of(room, 'modern', 'stream')];
        const p = PROTOTYPE_CPU[room.condition.members];
        return [roomOf(room), single, bulk, ratio(single, bulk), modernBulk, stream,
                ratio(modernBulk, stream), p ? `${p.single} : ${p.bulk} : ${p.stream}` : null];
      }),
    }],
  }];
}

