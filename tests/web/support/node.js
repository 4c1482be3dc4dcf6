// A real `minichat serve` process in memory, on free ports of 127.0.0.1.

import {execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {waitFor, within} from './wait.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const MINICHAT = process.env.MINICHAT_BIN ?? join(ROOT, 'build/dev/bin/minichat');

export class ChatNode {
  #dir = mkdtempSync(join(tmpdir(), 'minichat-web-'));
  #flags;
  #process = null;
  #log = '';

  // `flags`: options as on the command line, {'rooms.open': 'open*'}. Values of `files` are written
  // to files, and their paths given: {'api.keys_file': 'text'}.
  constructor(flags = {}, files = {}) {
    this.#flags = {'client.listen': '127.0.0.1:0', 'admin.listen': '127.0.0.1:0', ...flags};
    for (const [option, text] of Object.entries(files)) {
      this.#flags[option] = join(this.#dir, option);
      writeFileSync(this.#flags[option], text);
    }
  }

  static async start(flags, files) {
    const node = new ChatNode(flags, files);
    await node.start();
    return node;
  }

  // Starts it, for the first time or anew, and waits until it serves.
  async start() {
    await this.startListening();
    await waitFor(async () => (await fetch(`http://${this.admin}/readyz`)).ok, 'the node serves');
  }

  // Only until it listens: it may lack what it needs to serve.
  async startListening() {
    const portsFile = join(this.#dir, 'ports.json');
    rmSync(portsFile, {force: true});
    if (!existsSync(MINICHAT)) throw new Error(`${MINICHAT} is not built`);
    this.#process = spawn(MINICHAT, this.#arguments(['serve', '--ports-file', portsFile]));
    for (const output of [this.#process.stdout, this.#process.stderr]) {
      output.on('data', (bytes) => { this.#log = (this.#log + bytes).slice(-20_000); });
    }
    await waitFor(() => existsSync(portsFile) || this.#ended, 'the node listens').catch((error) => {
      throw new Error(`${error.message}\n${this.#log}`);
    });
    if (this.#ended) throw new Error(`the node ended:\n${this.#log}`);
    const ports = JSON.parse(readFileSync(portsFile));
    this.client = `127.0.0.1:${ports.client}`;
    this.admin = `127.0.0.1:${ports.admin}`;
    this.clientPort = ports.client;
    // What a node that is started again listens on.
    this.#flags['client.listen'] = this.client;
  }

  // SIGTERM, and its exit code.
  async stop() {
    if (this.#ended) return this.#process?.exitCode;
    const end = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGTERM');
    return within(end, 'the node ends').catch((error) => {
      this.#process.kill('SIGKILL');
      throw error;
    });
  }

  // Ends it and removes its files.
  async remove() {
    await this.stop();
    rmSync(this.#dir, {recursive: true});
  }

  // A token that this node takes, made by the program itself.
  token(user, ttl = '1h') {
    const command = this.#arguments(['token']).concat(['--user', user, '--ttl', ttl]);
    return execFileSync(MINICHAT, command, {encoding: 'utf8'}).trim();
  }

  // The value of a series as /metrics writes it; undefined: there is none.
  async metric(series) {
    const text = await (await fetch(`http://${this.admin}/metrics`)).text();
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  }

  get log() { return this.#log; }
  get #ended() {
    return this.#process === null || this.#process.exitCode !== null ||
           this.#process.signalCode !== null;
  }
  #arguments(command) {
    return command.concat(
        Object.entries(this.#flags).flatMap(([option, value]) => [`--${option}`, String(value)]));
  }
}
