// The course of a test run: init, setup, scenarios, teardown, thresholds, summary.
//
// Errors: run() fails, with an error that has an exit code, when init or setup does, or the options
//         are wrong. An exception in an iteration is kept, and decides the exit code.

import {writeFileSync} from 'node:fs';

import {after} from './clock.js';
import {EXIT, ScriptError, TimeoutError} from './errors.js';
import {Metrics} from './metrics.js';
import {parseOptions} from './options.js';
import {evaluate, parseThresholds} from './thresholds.js';
import {VirtualUser} from './virtual_user.js';

const pause = (ms) => new Promise((resolve) => { after(ms, resolve); });

export class Runner {
  metrics = new Metrics();
  exceptions = [];
  complete = 0;
  interrupted = 0;
  #script;
  #env;
  #log;
  #options;
  #thresholds;
  #exports;  // names
  #lastId = 0;

  constructor(script, env, log) {
    this.#script = script;
    this.#env = env;
    this.#log = log;
    this.metrics.declare('iterations', 'counter');
    this.metrics.declare('iteration_duration', 'trend', true);
  }

  // {exit, complete, interrupted, exceptions, thresholds, metrics}
  async run() {
    const first = await this.#newUser(0);
    this.#configure(first.exports);
    const scenarios = [];
    for (const scenario of this.#options.scenarios) scenarios.push(await this.#populate(scenario));
    const begin = Date.now();
    const {setupTimeoutMs, teardownTimeoutMs} = this.#options;
    const data = await this.#once(first.user, 'setup', setupTimeoutMs, EXIT.setupTimeout);
    await Promise.all(scenarios.map((scenario) => this.#runScenario(scenario, data)));
    await this.#once(first.user, 'teardown', teardownTimeoutMs, EXIT.teardownTimeout, data);
    return this.#result(first.user, (Date.now() - begin) / 1000);
  }

  // Something threw where no virtual user could catch it: a promise that nobody waits for.
  onException(text) {
    this.exceptions.push(text);
    this.#log(`exception: ${text}`);
  }

  async #newUser(id) {
    const user = new VirtualUser(id, {
      script: this.#script,
      env: this.#env,
      metrics: this.metrics,
      onException: (text) => this.onException(text),
      log: this.#log,
    });
    return {user, exports: await user.init()};
  }

  #configure(exports) {
    this.#exports = Object.keys(exports);
    this.#options = parseOptions(exports.options, this.#exports);
    this.#thresholds = parseThresholds(this.#options.thresholds, this.metrics);
  }

  async #populate(scenario) {
    const users = [];
    for (let i = 0; i < scenario.vus; ++i) users.push((await this.#newUser(++this.#lastId)).user);
    return {...scenario, users};
  }

  async #once(user, name, limitMs, code, data) {
    if (!this.#exports.includes(name)) return undefined;
    const {done, failed, value} = await user.call(name, data, Date.now() + limitMs);
    if (failed) throw new ScriptError(`${name} threw`);
    if (!done) throw new TimeoutError(`${name} took more than ${limitMs} ms`, code);
    return value;
  }

  async #runScenario(scenario, data) {
    await pause(scenario.startTimeMs);
    const startTime = Date.now();
    const stopAt = startTime + scenario.maxDurationMs;
    let iteration = 0;
    const iterate = async (user) => {
      for (let i = 0; i < scenario.iterations && Date.now() < stopAt; ++i) {
        user.scenario = {...scenario, startTime, iteration: iteration++};
        ++user.iterations;
        await this.#iterate(user, scenario.exec, data, stopAt + scenario.gracefulStopMs);
      }
    };
    await Promise.all(scenario.users.map(iterate));
  }

  async #iterate(user, exec, data, endMs) {
    const begin = Date.now();
    const {done} = await user.call(exec, data, endMs);
    if (!done) {
      ++this.interrupted;
      return;
    }
    ++this.complete;
    const tags = {scenario: user.scenario.name, ...user.scenario.tags};
    this.metrics.add('iterations', 1, tags);
    this.metrics.add('iteration_duration', Date.now() - begin, tags);
  }

  async #result(user, seconds) {
    const thresholds = evaluate(this.#thresholds, this.metrics, seconds);
    const metrics = this.metrics.summary(seconds, this.#options.statistics);
    await this.#summarize(user, {metrics, state: {testRunDurationMs: seconds * 1000}});
    const {exceptions, complete, interrupted} = this;
    let exit = EXIT.ok;
    if (interrupted > 0) exit = EXIT.interrupted;
    if (thresholds.some(({ok}) => !ok)) exit = EXIT.thresholds;
    if (exceptions.length > 0) exit = EXIT.exception;
    return {exit, complete, interrupted, exceptions, thresholds, metrics};
  }

  // handleSummary's texts, by where they go: stdout, stderr, or a file.
  async #summarize(user, data) {
    const texts = await this.#once(user, 'handleSummary', 60_000, EXIT.exception, data);
    for (const [where, text] of Object.entries(texts ?? {})) {
      if (where === 'stdout' || where === 'stderr') {
        process[where].write(text);
      } else {
        writeFileSync(where, text);
      }
    }
  }
}
