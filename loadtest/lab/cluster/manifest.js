// Under what circumstances something was measured. Runs are compared only when theirs are the same.

import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import os from 'node:os';

import {outputOf} from './processes.js';

/** @typedef {import('./services.js').Services} Services */
/** @typedef {Record<string, any>} Manifest */

/** What holds for all that one run of the lab measures. @param {Services} services */
export async function commonManifest(services) {
  const {root, preset, kafka, versions} = services.file;
  const version = (await outputOf(services.program('minichat'), ['version'])).trim();
  return {
    version: version.replace(/^minichat /, ''),
    git: await gitState(root),
    build_type: buildType(root, preset),
    machine: machine(),
    // Experiments without a cluster of the lab have none.
    ...(kafka ? {partitions: Object.keys(await services.logEnds()).length, services: versions} : {}),
  };
}

/** @param {string} root */
async function gitState(root) {
  try {
    const commit = (await outputOf('git', ['-C', root, 'rev-parse', '--short=12', 'HEAD'])).trim();
    const changes = await outputOf('git', ['-C', root, 'status', '--porcelain', '-uno']);
    return changes.trim() === '' ? commit : `${commit} with changes`;
  } catch {
    return 'no git checkout';
  }
}

/** @param {string} root @param {string} preset */
function buildType(root, preset) {
  const cache = readFileSync(`${root}/build/${preset}/CMakeCache.txt`, 'utf8');
  return cache.match(/^CMAKE_BUILD_TYPE:\w+=(.*)$/m)?.[1] ?? 'unknown';
}

export function machine() {
  return {
    cores: os.availableParallelism?.() ?? os.cpus().length,
    memory_gib: Math.round(os.totalmem() / 2 ** 30),
    kernel: os.release(),
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
  };
}

/**
 * @param {Record<string, string>} config
 * @param {string[]} [without]  keys that are meant to differ
 */
export function configHash(config, without = []) {
  const lines = Object.entries(config).filter(([key]) => !without.includes(key))
                    .map(([key, value]) => `${key}=${value}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex').slice(0, 16);
}

/**
 * Names of the entries in which two manifests differ.
 * @param {Manifest} a
 * @param {Manifest} b
 * @returns {string[]}
 */
export function differingEntries(a, b) {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key])).sort();
}
