// A real `minichat-load` under a control port.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {waitFor, within} from './wait.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MINICHAT_LOAD = process.env.MINICHAT_LOAD_BIN ?? join(ROOT, 'build/dev/bin/minichat-load');

export class LiveLoad {
  #dir = mkdtempSync(join(tmpdir(), 'minichat-live-'));
  #process;
  #log = '';

  // On `nodes` as Cluster has them; `options` as on the command line, {members: 30};
  // true: a flag without a value.
  static async start(nodes, options) {
    const load = new LiveLoad();
    const cluster = join(load.#dir, 'cluster.json');
    const ports = join(load.#dir, 'ports.json');
    writeFileSync(cluster, JSON.stringify({nodes: Object.values(nodes)}));
    const given = Object.entries(options).flatMap(
        ([name, value]) => value === true ? [`--${name}`] : [`--${name}`, `${value}`]);
    load.#process = spawn(MINICHAT_LOAD, ['--cluster', cluster, '--control', '127.0.0.1:0',
                                          '--ports-file', ports, ...given]);
    load.#process.stderr.on('data', (bytes) => { load.#log += bytes; });
    await waitFor(() => existsSync(ports) || load.#process.exitCode !== null, 'the control port');
    if (load.#process.exitCode !== null) throw new Error(`minichat-load ended:\n${load.#log}`);
    load.control = `127.0.0.1:${JSON.parse(readFileSync(ports)).control}`;
    return load;
  }

  async state() {
    return (await fetch(`http://${this.control}/v1/state`)).json();
  }

  // SIGTERM; its exit code and what it said.
  async stop() {
    if (this.#process.exitCode === null) {
      const end = once(this.#process, 'exit');
      this.#process.kill('SIGTERM');
      await within(end, 'the end of minichat-load');
    }
    rmSync(this.#dir, {recursive: true, force: true});
    return {code: this.#process.exitCode, log: this.#log};
  }
}
