// ./dev lab: runs one experiment and writes its report. Usage: node main.js NAME --services FILE
// --reports FOLDER [--quick] [--part P] [--slo p95=50ms] [--resume FOLDER] [--plant]
// [--profile classic]

import {existsSync, mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';

import {commonManifest} from './cluster/manifest.js';
import {stopAll} from './cluster/processes.js';
import {Services} from './cluster/services.js';
import {EXPERIMENTS} from './experiments/index.js';
import {failedChecks, passed, withoutVoidFigures} from './report/document.js';

const OPTIONS = /** @type {const} */ ({
  services: {type: 'string'},
  reports: {type: 'string'},
  quick: {type: 'boolean'},
  part: {type: 'string'},
  slo: {type: 'string'},
  resume: {type: 'string'},
  plant: {type: 'boolean'},
  profile: {type: 'string'},
});
const FOR_ALL = ['services', 'reports', 'quick'];

const NOT_HELD = 1;
const CANNOT_RUN = 2;

class UsageError extends Error {}

/** @param {string[]} args */
function readCommand(args) {
  const {values, positionals} = parsed(args);
  const [name, ...more] = positionals;
  const experiment = EXPERIMENTS[name];
  if (name === undefined) throw new UsageError('which experiment? ./dev lab list names them');
  if (!experiment || more.length > 0) {
    throw new UsageError(`there is no experiment "${positionals.join(' ')}"; ./dev lab list names ` +
                         'those that there are');
  }
  const useless = Object.keys(values).find(
      (key) => !FOR_ALL.includes(key) && !experiment.options.includes(key));
  if (useless) throw new UsageError(`${name} knows no --${useless}`);
  if (values.resume) checkResumed(values.resume);
  try {
    experiment.check?.(values);
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
  return {name, experiment, values};
}

/** It must be a run's folder: files would be written into any other as well. @param {string} folder */
function checkResumed(folder) {
  if (!existsSync(folder)) throw new UsageError(`--resume: there is no ${folder}`);
  const measured = (/** @type {string} */ entry) => existsSync(join(folder, entry, 'measured.json'));
  if (!readdirSync(folder).some(measured)) {
    throw new UsageError(`--resume: ${folder} holds nothing that was measured`);
  }
}

/** @param {string[]} args */
function parsed(args) {
  try {
    return parseArgs({args, options: OPTIONS, allowPositionals: true});
  } catch (error) {
    // What Node says after the first sentence is about programs in general.
    throw new UsageError(/** @type {Error} */ (error).message.split('. ')[0]);
  }
}

/** @param {string[]} args */
async function main(args) {
  if (args[0] === 'list') {
    for (const [name, {text}] of Object.entries(EXPERIMENTS)) console.log(`  ${name.padEnd(16)}${text}`);
    return 0;
  }
  if (args[0] === 'needs-cluster') return EXPERIMENTS[args[1]]?.cluster ? 0 : 1;
  if (args[0] === 'check') {
    readCommand(args.slice(1));
    return 0;
  }
  const {name, experiment, values} = readCommand(args);
  // Needs what npm installs; the list of experiments doesn't.
  const {renderReport} = await import('./report/render.js');
  const services = Services.read(String(values.services));
  const started = new Date();
  const folder = values.resume ? resolve(values.resume) :
                                 join(String(values.reports), name, folderName(started));
  mkdirSync(folder, {recursive: true});
  const lab = {
    services,
    folder,
    common: await commonManifest(services),
    quick: values.quick ?? false,
    say: (/** @type {string} */ line) => console.log(`  ${line}`),
  };
  const partial = await experiment.run(lab, values);
  if (partial === undefined) return 0;
  const report = withoutVoidFigures({
    started_at: started.toISOString(),
    ended_at: new Date().toISOString(),
    experiment: name,
    quick: lab.quick,
    ...partial,
    manifest: {...lab.common, ...partial.manifest},
    checks: [...partial.checks, buildCheck(lab)],
  });
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 1)}\n`);
  writeFileSync(join(folder, 'report.html'), renderReport(report));
  return tell(report, folder);
}

/** Quick forms are for trying and for tests: there any build will do. @param {{common: any, quick: boolean}} lab */
function buildCheck({common: {build_type: type}, quick}) {
  return {name: 'measured with what users run', wanted: 'a release build', seen: type,
          ok: type === 'Release', finding_only: quick};
}

/** @param {Date} time */
const folderName = (time) => time.toISOString().slice(0, 19).replaceAll(':', '-') + 'Z';

/** @param {import('./report/document.js').Report} report @param {string} folder */
function tell(report, folder) {
  console.log(`\n${report.summary}\n`);
  if (report.void) console.log(`VOID: ${report.void}`);
  for (const check of report.checks.filter((each) => !each.ok)) {
    console.log(`${check.finding_only ? 'differs' : 'FAILED'}: ${check.name}: wanted ` +
                `${check.wanted}; seen ${check.seen}`);
  }
  const held = report.checks.filter((each) => each.ok).length;
  const told = report.checks.length - held - failedChecks(report).length;
  console.log(`${held} of ${report.checks.length} checks held` +
              (told ? `; ${told} told, which fails nothing` : ''));
  console.log(`Report: ${join(folder, 'report.html')}`);
  return passed(report) ? 0 : NOT_HELD;
}

// The first signal ends what runs, in order; it is ./dev that ends the services.
for (const [signal, code] of /** @type {const} */ ([['SIGINT', 130], ['SIGTERM', 143]])) {
  process.once(signal, async () => {
    console.error('lab: stopping what was started');
    await stopAll();
    process.exit(code);
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  await stopAll();
  const failure = /** @type {Error} */ (error);
  console.error(`lab: ${failure.message}`);
  process.exitCode = failure instanceof UsageError ? CANNOT_RUN : NOT_HELD;
}
