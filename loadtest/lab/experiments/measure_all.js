// Conditions one after the other, each with its result in a file, so that a break costs no more
// than the one that was under way.

import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

import {differingEntries} from '../cluster/manifest.js';
import {MeasuredRun} from '../cluster/measured_run.js';
import {mayBeRepeated} from '../cluster/void_rules.js';

/** @typedef {import('../cluster/measured_run.js').Condition} Condition */
/** @typedef {import('../cluster/measured_run.js').Measured} Measured */
/** @typedef {import('../cluster/measured_run.js').Plants} Plants */
/** @typedef {import('../cluster/manifest.js').Manifest} Manifest */
/**
 * @typedef {object} Lab  what an experiment gets
 * @property {import('../cluster/services.js').Services} services
 * @property {Manifest} common
 * @property {string} folder
 * @property {boolean} quick
 * @property {(line: string) => void} say
 */

const ATTEMPTS = 3;

/**
 * @param {Lab} lab
 * @param {Condition[]} conditions
 * @param {(condition: Condition) => Plants | undefined} [plantsOf]
 * @returns {Promise<Measured[]>}
 */
export async function measureAll(lab, conditions, plantsOf = () => undefined) {
  const results = [];
  for (const [i, condition] of conditions.entries()) {
    const before = `${i + 1}/${conditions.length} ${condition.id}`;
    const kept = keptResult(lab, condition);
    if (kept) lab.say(`${before}: kept from before the break`);
    const measured = kept ?? await measureOne(lab, condition, before, plantsOf(condition));
    results.push(measured);
  }
  return results;
}

/**
 * @param {Lab} lab
 * @param {Condition} condition
 * @param {string} before
 * @param {Plants} [plants]
 */
async function measureOne(lab, condition, before, plants) {
  for (let attempt = 1;; ++attempt) {
    const measured =
        await new MeasuredRun(lab.services, lab.common, condition, lab.folder, plants).run();
    measured.attempts = attempt;
    lab.say(`${before}: ${outcome(measured)}`);
    if (plants || attempt === ATTEMPTS || !mayBeRepeated(measured)) return measured;
    lab.say('  once more');
  }
}

/** @param {Measured} m */
function outcome(m) {
  if (m.void !== '' || m.latency_ms === null) return `void: ${m.void}`;
  const {p50, p95, max} = m.latency_ms.delivery;
  return `p50 ${p50} ms, p95 ${p95} ms, max ${max} ms, ${m.counts.received} deliveries`;
}

/**
 * What was measured before a break, if it was the same, under the same circumstances, and is not
 * void.
 * @param {Lab} lab
 * @param {Condition} condition
 * @returns {Measured | undefined}
 */
function keptResult(lab, condition) {
  const path = join(lab.folder, condition.id, 'measured.json');
  if (!existsSync(path)) return undefined;
  const measured = /** @type {Measured} */ (JSON.parse(readFileSync(path, 'utf8')));
  return isStillGood(measured, condition, lab.common) ? measured : undefined;
}

/**
 * @param {Measured} measured
 * @param {Condition} condition
 * @param {Manifest} common
 */
export function isStillGood(measured, condition, common) {
  const now = Object.keys(common);
  const then = Object.fromEntries(now.map((key) => [key, measured.manifest[key]]));
  return measured.void === '' && differingEntries(then, common).length === 0 &&
      JSON.stringify(measured.condition) === JSON.stringify(condition);
}
