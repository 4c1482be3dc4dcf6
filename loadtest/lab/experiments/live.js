// live: a cluster of the lab with a load that a person steers from a page, until Ctrl-C.

import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

import {Nodes} from '../cluster/nodes.js';
import {Process, waitFor} from '../cluster/processes.js';

/** @typedef {import('./measure_all.js').Lab} Lab */

const PROFILES = ['modern', 'classic'];
const LISTEN_LIMIT_MS = 30_000;

/** @param {{profile?: string}} options */
export function profileOf({profile = 'modern'}) {
  if (PROFILES.includes(profile)) return profile;
  throw new Error(`--profile: "${profile}" is not allowed; allowed: ${PROFILES.join(', ')}`);
}

/** @param {Lab} lab @param {{profile?: string}} options */
export async function live(lab, options) {
  await lab.services.reset();
  const nodes = new Nodes(lab.services, join(lab.folder, 'nodes'), {
    'lab.enabled': 'true',
    'lab.profile': profileOf(options),
    'presence.max_sessions': '0',
  });
  try {
    await nodes.start();
    const load = startLoad(nodes, lab.folder);
    const port = await controlPort(load, lab.folder);
    lab.say(`Open http://${nodes.nodes[0].admin}/lab?control=127.0.0.1:${port}`);
    lab.say('Ctrl-C ends it.');
    const code = await load.ended;
    if (code !== 0) throw new Error(`minichat-load ended (exit ${code}): ${load.tail()}`);
  } finally {
    await nodes.stop();
  }
}

/** @param {string} folder */
const portsFile = (folder) => join(folder, 'control.ports.json');

/** @param {Nodes} nodes @param {string} folder */
function startLoad(nodes, folder) {
  return new Process('load', [
    nodes.services.program('minichat-load'), '--cluster', nodes.clusterFile,
    '--control', '127.0.0.1:0', '--ports-file', portsFile(folder), '--allow-misordered', '--quiet',
  ], {log: join(folder, 'load.log')});
}

/** @param {Process} load @param {string} folder */
async function controlPort(load, folder) {
  const path = portsFile(folder);
  await waitFor('minichat-load to listen', () => existsSync(path) || !load.running, LISTEN_LIMIT_MS);
  if (!load.running) throw new Error(`minichat-load ended at once: ${load.tail()}`);
  return JSON.parse(readFileSync(path, 'utf8')).control;
}
