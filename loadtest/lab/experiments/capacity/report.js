// What the search found, as a report.

import {configHash} from '../../cluster/manifest.js';
import {sum} from '../../measure/statistics.js';
import {NODE_NAMES} from '../../cluster/nodes.js';

/** @typedef {import('./index.js').ModeCapacity} ModeCapacity */
/** @typedef {import('./index.js').CapacityProbe} CapacityProbe */
/** @typedef {import('./index.js').Slo} Slo */
/** @typedef {import('../../report/document.js').Plot} Plot */

/** Of the one room that gets all messages. */
export const MEMBERS = 150;

/** @param {Slo} slo @param {ModeCapacity[]} modes */
export function capacityReport(slo, modes) {
  const told = modes.map(({mode, best}) => `${mode} ${best ? `${best.rate}/s` : 'none'}`).join(', ');
  return {
    title: `Capacity: how much each relay mode bears at ${slo.text}`,
    summary: `Messages a second into one room of ${MEMBERS} on three nodes, at which nothing is ` +
        `lost and ${slo.which} of delivery stays within ${slo.limitMs} ms: ${told}.`,
    manifest: {
      slo: slo.text,
      members: MEMBERS,
      log_level: 'info',
      config_hash: configHash(Object.fromEntries(modes.map((m) => [m.mode, m.config_hash]))),
    },
    sections: [
      {
        title: 'The highest good rate',
        text: 'Doubled until it was not good, then narrowed down. Generator, nodes, Redis, Kafka ' +
            'and Postgres share this machine\'s cores.',
        tables: [bestTable(slo, modes)],
        plots: [kneePlot(slo, modes), cpuPlot(modes)],
      },
      {title: 'All rates that were tried', text: '', tables: [probesTable(slo, modes)]},
    ],
    checks: checksOf(slo, modes),
    findings: findingsOf(modes),
    void: '',
  };
}

/** @param {Slo} slo @param {ModeCapacity[]} modes */
function bestTable(slo, modes) {
  return {
    title: 'At the knee',
    columns: [{name: 'mode'}, {name: 'rate', unit: 'messages/s'}, {name: 'deliveries/s'},
              {name: slo.which, unit: 'ms'}, {name: 'max', unit: 'ms'},
              {name: 'nodes\' CPU', unit: 'µs/delivery'}, {name: 'generator', unit: 'cores'},
              {name: 'next rate fails by'}],
    rows: modes.map(({mode, best, probes}) => [
      mode, best?.rate ?? null, best ? best.rate * MEMBERS : null, best?.judged ?? null,
      best?.max ?? null, best?.cpuPerDelivery ?? null, best?.generator ?? null,
      firstBad(best, probes)?.reason ?? 'not reached',
    ]),
  };
}

/** @param {CapacityProbe | undefined} best @param {CapacityProbe[]} probes */
const firstBad = (best, probes) =>
    probes.find((probe) => !probe.good && probe.rate > (best?.rate ?? 0));

/** @param {Slo} slo @param {ModeCapacity[]} modes @returns {Plot} */
function kneePlot(slo, modes) {
  return {
    title: `${slo.which} by rate; what lies above ${slo.limitMs} ms is too late`,
    kind: 'line',
    x: {label: 'rate', unit: 'messages/s', log: true},
    y: {label: slo.which, unit: 'ms', log: true},
    series: [
      ...modes.map(({mode, probes}) => ({
        name: mode,
        points: probes.map(({rate, judged}) => /** @type {[number, number]} */ ([rate, judged])),
      })),
      {
        name: slo.text,
        points: extentOf(modes).map((rate) => /** @type {[number, number]} */ ([rate, slo.limitMs])),
      },
    ],
  };
}

/** @param {ModeCapacity[]} modes */
function extentOf(modes) {
  const rates = modes.flatMap(({probes}) => probes.map(({rate}) => rate));
  return [Math.min(...rates), Math.max(...rates)];
}

/** @param {ModeCapacity[]} modes @returns {Plot} */
function cpuPlot(modes) {
  return {
    title: 'Where the CPU went at the knee',
    kind: 'bar',
    x: {label: 'process'},
    y: {label: 'cores'},
    series: modes.map(({mode, best}) => ({name: mode, points: Object.entries(best?.cores ?? {})})),
  };
}

/** @param {Slo} slo @param {ModeCapacity[]} modes */
function probesTable(slo, modes) {
  return {
    title: 'In the order of the rates',
    columns: [{name: 'mode'}, {name: 'rate', unit: 'messages/s'}, {name: 'p50', unit: 'ms'},
              {name: slo.which, unit: 'ms'}, {name: 'max', unit: 'ms'}, {name: 'lost'},
              {name: 'outcome'}],
    rows: modes.flatMap(({mode, probes}) => probes.map((p) => [
      mode, p.rate, p.p50, p.judged, p.max, p.counts.lost, p.good ? 'good' : p.reason,
    ])),
  };
}

/** @param {Slo} slo @param {ModeCapacity[]} modes */
function checksOf(slo, modes) {
  const [first] = modes;
  return [
    ...modes.map(({mode, best}) => ({
      name: `${mode}: a rate that meets ${slo.text}`,
      wanted: 'one, with every message at every member once and in order',
      seen: best ? `${best.rate}/s, ${best.counts.received} of ${best.counts.sent * MEMBERS} ` +
                       `deliveries, ${slo.which} ${best.judged.toFixed(1)} ms` :
                   'none',
      ok: best !== undefined && best.judged <= slo.limitMs &&
          best.counts.received === best.counts.sent * MEMBERS,
    })),
    ...modes.slice(1).map(({mode, config_hash}) => ({
      name: `${first.mode} and ${mode}: only the mode differs`,
      wanted: `config ${first.config_hash}`,
      seen: `config ${config_hash}`,
      ok: config_hash === first.config_hash,
    })),
  ];
}

/** @param {ModeCapacity[]} modes */
function findingsOf(modes) {
  const rates = Object.fromEntries(modes.map(({mode, best}) => [mode, best?.rate]));
  const ratio = (/** @type {string} */ a, /** @type {string} */ b) =>
      rates[a] && rates[b] ?
      [`${a} bears ${(rates[a] / rates[b]).toFixed(1)} times as much as ${b}.`] :
      [];
  return [
    ...ratio('bulk', 'single'),
    ...ratio('stream', 'bulk'),
    ...modes.flatMap(({mode, best, probes}) => bottleneck(mode, best, firstBad(best, probes))),
  ];
}

/**
 * @param {string} mode
 * @param {CapacityProbe | undefined} best
 * @param {CapacityProbe | undefined} bad
 */
function bottleneck(mode, best, bad) {
  if (!best) return [];
  const nodes = sum(NODE_NAMES.map((name) => best.cores[name]));
  const all = sum(Object.values(best.cores));
  const [most, cores] = Object.entries(best.cores).filter(([name]) => !NODE_NAMES.includes(name))
                            .sort(([, a], [, b]) => b - a)[0];
  return [
    `${mode}: at its knee the nodes take ${nodes.toFixed(2)} of ${all.toFixed(2)} cores in use; ` +
        `of the rest ${most} takes most, ${cores.toFixed(2)}. ` +
        (bad ? `At ${bad.rate}/s: ${bad.reason}.` : 'No higher rate was tried.'),
  ];
}
