// Three nodes of one configuration on the lab's services.

import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {Metrics} from '../measure/metrics_text.js';
import {Process, outputOf, waitFor} from './processes.js';

/** @typedef {import('./services.js').Services} Services */
/** @typedef {Record<string, string>} Flags  configuration keys and values */
/** @typedef {{name: string, pid: number, client: string, admin: string, relay: string}} NodeInfo */

export const NODE_NAMES = ['n1', 'n2', 'n3'];
const START_LIMIT_MS = 60_000;
const SCRAPED_LIMIT_MS = 30_000;

export class Nodes {
  /** @type {Process[]} */
  #processes = [];
  /** @type {NodeInfo[]} */
  nodes = [];

  /** @param {Services} services @param {string} folder  of their files @param {Flags} flags */
  constructor(services, folder, flags) {
    this.services = services;
    this.folder = folder;
    this.flags = flags;
  }

  get clusterFile() { return join(this.folder, 'cluster.json'); }
  get pids() { return Object.fromEntries(this.nodes.map((node) => [node.name, node.pid])); }

  /** Back when all are ready, see each other, and are scraped. */
  async start() {
    mkdirSync(this.folder, {recursive: true});
    for (const name of NODE_NAMES) this.#startNode(name);
    this.nodes = await Promise.all(this.#processes.map((process) => this.#listening(process)));
    this.#writeClusterFile();
    await this.#until('all nodes are ready', (node) => this.#ready(node));
    await this.#until('all nodes see each other', (node) => this.#seesAll(node));
    this.services.setTargets(this.nodes);
    await waitFor('Prometheus to scrape all nodes', () => this.#scraped(), SCRAPED_LIMIT_MS, 200);
  }

  async stop() {
    await Promise.all(this.#processes.map((process) => process.stop()));
    this.services.setTargets([]);
  }

  /** Fails when a node can't be scraped: half a sum would be worse than none. */
  async metrics() {
    const texts = await Promise.all(this.nodes.map((node) => get(node, '/metrics')));
    return Metrics.joined(texts.map((text) => Metrics.parse(text)));
  }

  /** What is in force on a node, by key; without what differs from node to node. */
  async effectiveConfig() {
    const text = await outputOf(this.services.program('minichat'),
                                ['print-config', ...this.#arguments('n1')]);
    return parseConfig(text);
  }

  /** @param {string} name */
  #arguments(name) {
    const {file} = this.services;
    const flags = {
      'node.name': name,
      'client.listen': '127.0.0.1:0',
      'admin.listen': '127.0.0.1:0',
      'relay.listen': '127.0.0.1:0',
      'cluster.secret_file': file.secret_file,
      'log': `kafka://${file.kafka}`,
      'directory': file.redis,
      'store': file.postgres,
      ...this.flags,
    };
    return Object.entries(flags).map(([key, value]) => `--${key}=${value}`);
  }

  /** @param {string} name */
  #startNode(name) {
    const ports = join(this.folder, `${name}.ports.json`);
    rmSync(ports, {force: true});
    this.#processes.push(new Process(
        name,
        [this.services.program('minichat'), 'serve', '--ports-file', ports, ...this.#arguments(name)],
        {log: join(this.folder, `${name}.log`), ledger: this.services.file.ledger}));
  }

  /** @param {Process} process @returns {Promise<NodeInfo>} */
  async #listening(process) {
    const path = join(this.folder, `${process.name}.ports.json`);
    await waitFor(`${process.name} to listen`, () => existsSync(path) || !process.running,
                  START_LIMIT_MS);
    if (!process.running) throw new Error(`${process.name} ended at once: ${process.tail()}`);
    const ports = JSON.parse(readFileSync(path, 'utf8'));
    const address = (/** @type {string} */ which) => `127.0.0.1:${ports[which]}`;
    return {name: process.name, pid: process.pid, client: address('client'),
            admin: address('admin'), relay: address('relay')};
  }

  #writeClusterFile() {
    const {file} = this.services;
    writeFileSync(this.clusterFile, JSON.stringify({
      nodes: this.nodes,
      redis: file.redis,
      kafka: file.kafka,
      postgres: file.postgres,
      prometheus: file.prometheus,
      relay_mode: this.flags['relay.mode'] ?? 'bulk',
      auth: 'insecure',
      admin_key: null,
    }, null, 2));
  }

  /** @param {string} what @param {(node: NodeInfo) => Promise<boolean>} holds */
  async #until(what, holds) {
    const all = async () => {
      const ended = this.#processes.find((process) => !process.running);
      if (ended) throw new Error(`${ended.name} ended: ${ended.tail()}`);
      return (await Promise.all(this.nodes.map(holds))).every(Boolean);
    };
    await waitFor(what, all, START_LIMIT_MS);
  }

  /** @param {NodeInfo} node */
  async #ready(node) {
    return fetch(`http://${node.admin}/readyz`).then((answer) => answer.ok, () => false);
  }

  /** @param {NodeInfo} node */
  async #seesAll(node) {
    const {live_nodes: live} = JSON.parse(await get(node, '/admin/v1/status'));
    const names = live.map((/** @type {any} */ each) => each.name);
    return NODE_NAMES.every((name) => names.includes(name));
  }

  async #scraped() {
    const up = await this.services.prometheus.now('up');
    const instances = up.filter((series) => series.value === 1)
                          .map((series) => series.labels.instance);
    return this.nodes.every((node) => instances.includes(node.admin));
  }
}

/** @param {NodeInfo} node @param {string} path */
async function get(node, path) {
  const answer = await fetch(`http://${node.admin}${path}`, {signal: AbortSignal.timeout(10_000)});
  if (!answer.ok) throw new Error(`${node.name}: GET ${path}: ${answer.status}`);
  return answer.text();
}

// Addresses, names and files differ from run to run without changing what is measured.
const OF_THE_PLACE =
    /^(node\.name|.*\.(listen|advertise)|cluster\.secret_file|log|directory|store|admin\.key_file)$/;

/**
 * print-config's lines as an object.
 * @param {string} text
 * @returns {Flags}
 */
export function parseConfig(text) {
  const pairs = text.split('\n').map((line) => line.match(/^([a-z_.]+): (".*")$/))
                    .filter((parts) => parts !== null)
                    .map(([, key, value]) => [key, JSON.parse(value)]);
  return Object.fromEntries(pairs.filter(([key]) => !OF_THE_PLACE.test(key)));
}
