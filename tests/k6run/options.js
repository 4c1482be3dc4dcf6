// A script's options, checked: only what this runner can do, and all of it as k6 understands it.

import {ConfigError} from './errors.js';

const UNITS = {ms: 1, s: 1000, m: 60_000, h: 3_600_000};
const KNOWN = ['scenarios', 'thresholds', 'summaryTrendStats', 'setupTimeout', 'teardownTimeout'];
const EXECUTOR = 'per-vu-iterations';
const KNOWN_OF_SCENARIO = ['executor', 'exec', 'vus', 'iterations', 'maxDuration', 'startTime',
                           'gracefulStop', 'tags', 'env'];

function parseDuration(text, what) {
  if (typeof text !== 'string' || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    throw new ConfigError(`${what}: "${text}" is no duration`);
  }
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
      .reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit], 0);
}

function parseCount(value, what) {
  if (Number.isInteger(value) && value > 0) return value;
  throw new ConfigError(`${what}: "${value}" is no count`);
}

function refuseUnknown(object, known, what) {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new ConfigError(`${what}: this runner knows no option "${unknown}"`);
}

function parseScenario(name, scenario, functions) {
  refuseUnknown(scenario, KNOWN_OF_SCENARIO, name);
  if (scenario.executor !== EXECUTOR) {
    throw new ConfigError(`${name}: this runner has no executor "${scenario.executor}"`);
  }
  const exec = scenario.exec ?? 'default';
  if (!functions.includes(exec)) throw new ConfigError(`${name}: the script exports no "${exec}"`);
  return {
    name,
    executor: scenario.executor,
    exec,
    vus: parseCount(scenario.vus ?? 1, `${name}.vus`),
    iterations: parseCount(scenario.iterations ?? 1, `${name}.iterations`),
    maxDurationMs: parseDuration(scenario.maxDuration ?? '10m', `${name}.maxDuration`),
    startTimeMs: parseDuration(scenario.startTime ?? '0s', `${name}.startTime`),
    gracefulStopMs: parseDuration(scenario.gracefulStop ?? '30s', `${name}.gracefulStop`),
    tags: scenario.tags ?? {},
    env: scenario.env ?? {},
  };
}

// `options`: what the script exports, or undefined; `functions`: the names that it exports.
export function parseOptions(options = {}, functions) {
  refuseUnknown(options, KNOWN, 'options');
  const scenarios = Object.entries(options.scenarios ?? {default: {executor: EXECUTOR}});
  return {
    scenarios: scenarios.map(([name, scenario]) => parseScenario(name, scenario, functions)),
    thresholds: options.thresholds ?? {},
    statistics: options.summaryTrendStats,
    setupTimeoutMs: parseDuration(options.setupTimeout ?? '60s', 'setupTimeout'),
    teardownTimeoutMs: parseDuration(options.teardownTimeout ?? '60s', 'teardownTimeout'),
  };
}
