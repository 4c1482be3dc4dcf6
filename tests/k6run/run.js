// Runs a k6 script of this project without k6, to prove its logic. Its latencies are not k6's.
//
//   node --experimental-vm-modules run.js [-e NAME=VALUE]… [--json FILE] SCRIPT
//
// Written from k6's public documentation; knows what these scripts use: k6/execution, k6/metrics,
// k6/timers, k6/websockets and the executor per-vu-iterations. Exit codes are k6's (errors.js), but
// it is stricter: an exception anywhere, an interrupted iteration, or an option, module or metric
// that it doesn't know fails the run.

import {writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {parseArgs} from 'node:util';

import {Runner} from './runner.js';

const {values, positionals} = parseArgs({
  options: {env: {type: 'string', short: 'e', multiple: true, default: []}, json: {type: 'string'}},
  allowPositionals: true,
});
if (positionals.length !== 1) {
  throw new Error('usage: run.js [-e NAME=VALUE]… [--json FILE] SCRIPT');
}

const env = Object.fromEntries(values.env.map((pair) => pair.split(/=(.*)/s, 2)));
const log = (text) => process.stderr.write(`${text}\n`);

function describe({exit, complete, interrupted, exceptions, thresholds, metrics}) {
  const lines = Object.entries(metrics).map(
      ([name, {values: seen}]) => `  ${name} ${JSON.stringify(seen)}`);
  for (const {metric, expression, seen, ok} of thresholds) {
    if (!ok) lines.push(`  CROSSED: ${metric} ${expression}, seen ${seen}`);
  }
  lines.push(`${complete} complete and ${interrupted} interrupted iterations, ` +
             `${exceptions.length} exceptions, exit ${exit}`);
  return lines.join('\n') + '\n';
}

const runner = new Runner(resolve(positionals[0]), env, log);
process.on('unhandledRejection', (error) => runner.onException(error?.stack ?? String(error)));
let result;
try {
  result = await runner.run();
  process.stdout.write(describe(result));
} catch (error) {
  if (typeof error.code !== 'number') throw error;
  log(error.message);
  result = {exit: error.code, error: error.message, exceptions: runner.exceptions};
}
if (values.json) writeFileSync(values.json, JSON.stringify(result, null, 2));
process.exitCode = result.exit;
