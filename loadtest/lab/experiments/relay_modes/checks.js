// What each condition, and each pair of them, must hold.

import {differingEntries} from '../../cluster/manifest.js';
import {GENERATOR_LIMIT} from '../../cluster/void_rules.js';
import {TENFOLD_P95_MS, TENFOLD_RATE, busyThreads, tasksPerMessage} from './conditions.js';

/** @typedef {import('../../cluster/measured_run.js').Measured} Measured */
/** @typedef {import('../../report/document.js').Check} Check */

const CORE_THREADS = 30;
// Between these it is chance whether the queue ever fills.
const GROWS_ABOVE = 33;
const STAYS_BELOW = 25;

/** @param {Measured[]} all @returns {Check[]} */
export function checksOf(all) {
  return [...all.flatMap(checksOfOne), ...classicOrder(all), ...manifestChecks(all)];
}

/** @param {Measured} m @returns {Check[]} */
function checksOfOne(m) {
  const {id, profile} = m.condition;
  return [
    check(`${id}: may be believed`, 'not void', m.void || 'not void', m.void === ''),
    received(m),
    copies(m),
    check(`${id}: consumer lag at the end`, '0', String(m.lag), m.lag === 0),
    relayCalls(m),
    ...(profile === 'modern' ? [inOrder(m)] : []),
    generator(m),
    ...(profile === 'classic' ? poolChecks(m) : tenfold(m)),
  ];
}

/** @param {string} name @param {string} wanted @param {string} seen @param {boolean} ok */
const check = (name, wanted, seen, ok) => ({name, wanted, seen, ok});

/** @param {Measured} m */
function received(m) {
  const {counts: c, condition} = m;
  const extra = [['lost', c.lost], ['repeated', c.repeated], ['with another id', c.wrong_id],
                 ['foreign', c.foreign], ['duplicate acks', c.duplicate_acks],
                 ['closed connections', c.closed_connections]]
                    .filter(([, count]) => count > 0).map(([what, count]) => `, ${count} ${what}`);
  return check(`${condition.id}: delivered to every member once, by id`,
               `${c.sent * condition.members} of ${c.sent} messages`,
               `${c.received}${extra.join('')}`,
               c.received === c.sent * condition.members && extra.length === 0 && c.sent > 0);
}

/** @param {Measured} m */
function copies(m) {
  const {sent, acked} = m.counts;
  const told = m.differences.length > 0 ? `; ${m.differences.join('; ')}` : '';
  return check(`${m.condition.id}: sent = acknowledged = log = rows, by id`, `${sent} each`,
               `${acked} acknowledged, ${m.log_increase} records, ${m.rows} rows, ` +
                   `${m.dead_letters} dead letters${told}`,
               acked === sent && m.log_increase === sent && m.rows === sent &&
                   m.dead_letters === 0 && m.differences.length === 0);
}

/** @param {Measured} m */
function relayCalls(m) {
  const wanted = m.condition.mode === 'single' ? m.relay_calls_computed.single :
                                                 m.relay_calls_computed.bulk;
  const {seen, failed} = m.relay_calls;
  return check(`${m.condition.id}: relay calls`, `${wanted}, none failed`,
               `${seen}, ${failed} failed`, seen === wanted && failed === 0);
}

/** @param {Measured} m */
function inOrder(m) {
  const {misordered} = m.counts;
  return check(`${m.condition.id}: in order`, '0 misordered', `${misordered} misordered`,
               misordered === 0);
}

/** Nothing keeps it there, so one line tells of all. @param {Measured[]} all @returns {Check[]} */
function classicOrder(all) {
  const classic = all.filter((m) => m.condition.profile === 'classic');
  if (classic.length === 0) return [];
  const broken = classic.filter((m) => m.counts.misordered > 0);
  const deliveries = broken.reduce((sum, m) => sum + m.counts.misordered, 0);
  return [{...check('profile classic: in order', '0 misordered',
                    `${deliveries} misordered, in ${broken.length} of ${classic.length} conditions`,
                    deliveries === 0),
           finding_only: true}];
}

/** @param {Measured} m */
function generator(m) {
  const {cpu_share: share, late_sends: late} = m.generator;
  return check(`${m.condition.id}: the generator keeps up`,
               `at most ${GENERATOR_LIMIT * 100} % of a core`,
               `${Math.round(share * 100)} %, ${late} late sends`, share <= GENERATOR_LIMIT);
}

/** Ten times the original's highest load, in bulk. @param {Measured} m @returns {Check[]} */
function tenfold({condition, latency_ms: latency}) {
  if (condition.rate < TENFOLD_RATE || condition.mode !== 'bulk' || latency === null) return [];
  const {p95} = latency.delivery;
  return [check(`${condition.id}: p95 at ten times the original's highest load`,
                `at most ${TENFOLD_P95_MS} ms`, `${p95.toFixed(1)} ms`, p95 <= TENFOLD_P95_MS)];
}

/** @param {Measured} m @returns {Check[]} */
function poolChecks(m) {
  const wanted = tasksPerMessage(m.condition);
  const seen = m.tasks.total / m.counts.sent;
  const {id} = m.condition;
  return [
    check(`${id}: tasks per message, over all nodes`, String(wanted),
          m.counts.sent > 0 ? String(Math.round(seen * 1000) / 1000) : 'no message',
          m.tasks.total === wanted * m.counts.sent && m.counts.sent > 0),
    ...(m.pool === null ? [] : [poolSize(m, m.pool)]),
  ];
}

/** @param {Measured} m @param {NonNullable<Measured['pool']>} pool @returns {Check} */
function poolSize(m, pool) {
  const {condition} = m;
  const seen = `${pool.peakThreads} threads`;
  const name = `${condition.id}: pool size`;
  if (!condition.flags?.['lab.fault.relay_delay']) {
    // How many threads calls without a delay need depends on the machine.
    return {...check(name, `${CORE_THREADS} threads`, seen, pool.peakThreads === CORE_THREADS),
            finding_only: true};
  }
  const busy = busyThreads(condition);
  const told = `${busy.toFixed(1)} threads busy by calculation`;
  if (condition.mode === 'bulk' || busy < STAYS_BELOW) {
    return check(name, `stays at ${CORE_THREADS} (${told})`, seen,
                 pool.peakThreads === CORE_THREADS);
  }
  return {...check(name, `grows above ${CORE_THREADS} (${told})`, seen,
                   pool.peakThreads > CORE_THREADS),
          finding_only: busy <= GROWS_ABOVE};
}

// What may differ between two conditions that are compared: the thing that is compared.
const VARIES = ['log_level', 'config', 'config_hash'];

/** @param {Measured[]} all @returns {Check[]} */
function manifestChecks(all) {
  if (all.length < 2) return [];
  const differing = new Set(all.slice(1).flatMap(
      (m) => differingEntries(all[0].manifest, m.manifest).filter((key) => !VARIES.includes(key))));
  const differences = [...differing].join(', ');
  return [
    check('all conditions ran under the same circumstances', 'equal manifests',
          differences ? `different: ${differences}` : 'equal', differences === ''),
    ...pairsOf(all).map(([a, b]) => pairCheck(a, b)),
  ];
}

/**
 * Conditions that differ in the relay mode alone.
 * @param {Measured[]} all
 * @returns {[Measured, Measured][]}
 */
export function pairsOf(all) {
  return all.flatMap((a, i) => {
    const b = all[i + 1];
    return b && twin(a) === twin(b) && a.condition.mode !== b.condition.mode ?
        [/** @type {[Measured, Measured]} */ ([a, b])] :
        [];
  });
}

/** @param {Measured} m */
function twin({condition: c}) {
  return JSON.stringify([c.id.replace(/-[a-z]+$/, ''), c.members, c.rate, c.profile, c.flags]);
}

/** @param {Measured} a @param {Measured} b */
function pairCheck(a, b) {
  return check(`${a.condition.id} and ${b.condition.mode}: only the mode differs`,
               `config ${a.manifest.config_hash}`, `config ${b.manifest.config_hash}`,
               a.manifest.config_hash === b.manifest.config_hash);
}
