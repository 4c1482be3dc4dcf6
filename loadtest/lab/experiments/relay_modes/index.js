// relay-modes: one call per recipient against one per node, in a thread-pool server, then with a
// delay, with disturbances, and as minichat really is.

import {configHash} from '../../cluster/manifest.js';
import {METRICS} from '../../cluster/measured_run.js';
import {measureAll} from '../measure_all.js';
import {checksOf} from './checks.js';
import {PARTS, conditionsOf} from './conditions.js';
import {findingsOf, summaryOf} from './findings.js';
import {ofPart, sectionsOf} from './sections.js';

/** @typedef {import('../measure_all.js').Lab} Lab */
/** @typedef {import('../../cluster/measured_run.js').Measured} Measured */
/** @typedef {import('../../cluster/measured_run.js').Plants} Plants */

/** @param {{part?: string}} options */
export function partsOf({part}) {
  const parts = part ? part.split(',') : PARTS;
  const unknown = parts.find((each) => !PARTS.includes(each));
  if (unknown !== undefined) {
    throw new Error(`--part: "${unknown}" is not allowed; allowed: ${PARTS.join(', ')}`);
  }
  return parts;
}

/**
 * @param {Lab} lab
 * @param {{part?: string, plant?: boolean}} options
 */
export async function relayModes(lab, {part, plant}) {
  const parts = partsOf({part});
  const conditions = conditionsOf({quick: lab.quick, parts});
  if (conditions.length === 0) throw new Error(`--part ${part}: has no quick form`);
  const all = await (plant ? measureAll(lab, conditions.slice(0, 2), plants(lab, conditions)) :
                             measureAll(lab, conditions));
  return reportOf(all, parts, lab.quick);
}

/**
 * For the lab's own test: the first condition asks for a metric that there isn't, from the second
 * one's store a row is taken away. Both must be found out.
 * @param {Lab} lab
 * @param {{id: string}[]} conditions
 */
function plants(lab, [wrongMetric, lostRow]) {
  /** @type {Record<string, Plants>} */
  const planted = {
    [wrongMetric.id]: {metrics: {...METRICS, queue: 'executor_waiting_tasks{name="fanout"}'}},
    [lostRow.id]: {beforeCompare: (label) => loseOneRow(lab, label)},
  };
  return (/** @type {{id: string}} */ condition) => planted[condition.id];
}

/** @param {Lab} lab @param {string} label */
async function loseOneRow(lab, label) {
  await lab.services.sql(`DELETE FROM messages WHERE ctid = (
      SELECT ctid FROM messages WHERE room_id LIKE '${label}%' LIMIT 1)`);
}

/** @param {Measured[]} all @param {string[]} parts @param {boolean} quick */
function reportOf(all, parts, quick) {
  const believed = all.filter((m) => m.void === '');
  return {
    title: 'Relay modes: one call per recipient against one per node',
    summary: summaryOf(all, quick),
    manifest: {
      parts: parts.filter((part) => ofPart(all, part).length > 0),
      config_hash: configHash(Object.fromEntries(
          all.map((m) => [m.condition.id, m.manifest.config_hash]))),
      log_levels: [...new Set(all.map((m) => m.manifest.log_level))],
      conditions: Object.fromEntries(all.map((m) => [m.condition.id, m.manifest.config_hash])),
    },
    sections: sectionsOf(all),
    checks: checksOf(all),
    findings: findingsOf(all),
    void: believed.length > 0 ? '' : 'every condition is void',
  };
}
