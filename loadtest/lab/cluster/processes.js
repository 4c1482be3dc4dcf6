// Programs that the lab starts. Whatever ends the lab, they end too: stopAll() is called at the end
// and on Ctrl-C, and the ledger var/lab/run lets ./dev stop what a killed lab left.

import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {openSync, closeSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {promisify} from 'node:util';

const run = promisify(execFile);
const OUTPUT_LIMIT = 256 * 1024 * 1024;

/** Without what someone set for nodes of their own. */
export const cleanEnvironment = () => Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('MINICHAT_')));

/**
 * Standard output of a program that ends by itself.
 * @param {string} program
 * @param {string[]} args
 */
export async function outputOf(program, args) {
  try {
    const {stdout} = await run(program, args, {env: cleanEnvironment(), maxBuffer: OUTPUT_LIMIT});
    return stdout;
  } catch (error) {
    const failure = /** @type {{stderr?: string, message: string}} */ (error);
    throw new Error(`${program} ${args[0]}: ${failure.stderr?.trim() || failure.message}`);
  }
}

/** @type {Set<Process>} */
const running = new Set();

export async function stopAll() {
  await Promise.all([...running].map((process) => process.stop()));
}

/** One detached program. Lifetime: ends by stop(), or by itself. */
export class Process {
  /** @type {import('node:child_process').ChildProcess} */
  #child;
  /** @type {string | undefined} */
  #entry;

  /**
   * @param {string} name
   * @param {string[]} command
   * @param {{log: string, ledger?: string}} files  where its output goes; the ledger's folder
   * @param {Record<string, string>} [environment]  besides what is inherited
   */
  constructor(name, command, {log, ledger}, environment = {}) {
    const output = openSync(log, 'a');
    this.name = name;
    this.log = log;
    // Detached: a Ctrl-C is the lab's, which then stops them in order.
    this.#child = spawn(command[0], command.slice(1),
                        {stdio: ['ignore', output, output], detached: true,
                         env: {...cleanEnvironment(), ...environment}});
    closeSync(output);
    this.ended = once(this.#child, 'exit').then(([code]) => {
      running.delete(this);
      if (this.#entry) rmSync(this.#entry, {force: true});
      return /** @type {number | null} */ (code);
    });
    running.add(this);
    if (ledger && this.#child.pid) {
      this.#entry = join(ledger, `${name}.pid`);
      writeFileSync(this.#entry, `${this.#child.pid} ${startTimeOf(this.#child.pid)}\n`);
    }
  }

  get pid() { return this.#child.pid ?? 0; }
  get running() { return this.#child.exitCode === null && this.#child.signalCode === null; }

  /** The end of what it wrote. */
  tail() { return readFileSync(this.log, 'utf8').trimEnd().split('\n').slice(-5).join('\n'); }

  /** SIGTERM, and SIGKILL when it does not end in time. */
  async stop(limitMs = 15_000) {
    if (!this.running) return;
    this.#child.kill('SIGTERM');
    const late = new AbortController();
    const killed = delay(limitMs, undefined, {signal: late.signal}).then(() => {
      console.error(`lab: ${this.name} did not stop within ${limitMs / 1000} s; killed`);
      this.#child.kill('SIGKILL');
    }, () => {});
    await this.ended;
    late.abort();
    await killed;
  }
}

/** Field 22 of /proc/PID/stat, as the ledger of ./dev has it. @param {number} pid */
function startTimeOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

/**
 * Until the condition holds.
 * @param {string} what  for the error
 * @param {() => boolean | Promise<boolean>} condition
 * @param {number} limitMs
 * @param {number} everyMs
 */
export async function waitFor(what, condition, limitMs, everyMs = 50) {
  const end = Date.now() + limitMs;
  while (!await condition()) {
    if (Date.now() > end) throw new Error(`waited ${limitMs / 1000} s in vain for ${what}`);
    await delay(everyMs);
  }
}
