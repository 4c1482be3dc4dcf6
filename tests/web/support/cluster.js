// Three real nodes on real services: the program cluster_host, told what to do.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

import {within} from './wait.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const HOST = process.env.MINICHAT_CLUSTER_HOST ?? join(ROOT, 'build/dev/tests/cluster_host');
// Redis, Postgres, Kafka and three nodes, on a busy machine.
const START_LIMIT_MS = 90_000;
const ORDER_LIMIT_MS = 60_000;

export class Cluster {
  #process;
  #lines;

  // `flags`: options of every node, {'lab.profile': 'classic'}.
  static async start(flags = {}) {
    const cluster = new Cluster();
    const options = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    cluster.#process = spawn(HOST, options, {stdio: ['pipe', 'pipe', 'inherit']});
    cluster.#lines = createInterface({input: cluster.#process.stdout})[Symbol.asyncIterator]();
    // {n1: {client: '127.0.0.1:…', admin: …}, …}
    const {nodes} = JSON.parse(await cluster.#line('the cluster', START_LIMIT_MS));
    cluster.nodes = Object.fromEntries(nodes.map((node) => [node.name, node]));
    return cluster;
  }

  // SIGTERM; back when the node has ended.
  stopNode(name) {
    return this.#order(`stop ${name}`, `stopped ${name}`);
  }

  // Back when the node serves again, on the ports that it had.
  startNode(name) {
    return this.#order(`start ${name}`, `started ${name}`);
  }

  async stop() {
    const end = once(this.#process, 'exit');
    this.#process.stdin.end();
    await within(end, 'the end of the cluster', ORDER_LIMIT_MS);
  }

  async #order(order, done) {
    this.#process.stdin.write(`${order}\n`);
    const answer = await this.#line(order, ORDER_LIMIT_MS);
    if (answer !== done) throw new Error(`${order}: ${answer}`);
  }

  async #line(what, limitMs) {
    const {value, done} = await within(this.#lines.next(), what, limitMs);
    if (done) throw new Error(`${what}: cluster_host ended`);
    return value;
  }
}
