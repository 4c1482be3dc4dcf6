// Experiments that are programs of their own: minichat-lab-NAME --out FOLDER [--quick].

import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

import {problemsOf} from '../report/document.js';
import {Process} from '../cluster/processes.js';

/** @typedef {import('./measure_all.js').Lab} Lab */
/** @typedef {import('../report/document.js').Report} Report */

/**
 * @param {string} name
 * @returns {(lab: Lab) => Promise<Report>}
 */
export function nativeExperiment(name) {
  return async (lab) => {
    const program = lab.services.program(`minichat-lab-${name}`);
    const log = join(lab.folder, 'program.log');
    const process = new Process(
        `lab-${name}`, [program, '--out', lab.folder, ...(lab.quick ? ['--quick'] : [])], {log},
        environmentOf(lab));
    const code = await process.ended;
    const path = join(lab.folder, 'report.json');
    if (!existsSync(path)) throw new Error(`${program} (exit ${code}): ${process.tail()}`);
    const report = withTexts(JSON.parse(readFileSync(path, 'utf8')));
    const problems = problemsOf(report);
    if (problems.length > 0) throw new Error(`${path}: ${problems.join('; ')}`);
    return judged(report, name, code);
  };
}

/** What such a program needs to start nodes and services of its own. @param {Lab} lab */
const environmentOf = ({services}) => ({
  MINICHAT_BIN: services.program('minichat'),
  MINICHAT_KAFKA_LIB: services.file.kafka_lib,
  MINICHAT_REQUIRE_SERVICES: '1',
});

/** The programs write times as milliseconds since 1970. @param {any} report */
export function withTexts(report) {
  const text = (/** @type {unknown} */ time) =>
      typeof time === 'number' ? new Date(time).toISOString() : time;
  return {...report, started_at: text(report.started_at), ended_at: text(report.ended_at)};
}

/**
 * Its own exit code counts too: a program may know more than it tells.
 * @param {Report} report
 * @param {string} name
 * @param {number | null} code
 * @returns {Report}
 */
function judged(report, name, code) {
  const check = {name: `minichat-lab-${name} ends well`, wanted: 'exit 0', seen: `exit ${code}`,
                 ok: code === 0};
  return {...report, checks: [...report.checks, check]};
}
