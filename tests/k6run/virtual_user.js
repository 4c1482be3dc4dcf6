// A virtual user: the script in a context of its own, without anything of Node.js, and what it
// waits for.
//
// Lifetime: init() once, then call() one after the other. After a call nothing of it runs any more.
// Errors:   init() fails with a ScriptError; what calls throw goes to the run's onException.

import {readFileSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import vm from 'node:vm';

import {ScriptError} from './errors.js';
import {EventLoop} from './event_loop.js';
import {modulesOf} from './modules.js';

// Parts of JavaScript in Node.js that k6's engine doesn't have.
const ABSENT = [
  'Atomics', 'FinalizationRegistry', 'Intl', 'SharedArrayBuffer', 'WeakRef', 'WebAssembly',
];

const describe = (error) => error?.stack ?? String(error);

export class VirtualUser {
  id;
  scenario = null;    // while it runs an iteration of one
  iterations = 0;     // of its own that have begun
  #run;
  #context;
  #loop;
  #namespace;
  #initializing = true;
  #modules = new Map();

  // `run`: {script, env, metrics, onException(text), log(text)}. id 0 runs setup and the like.
  constructor(id, run) {
    this.id = id;
    this.#run = run;
    this.#loop = new EventLoop((error) => run.onException(describe(error)));
  }

  get initializing() {
    return this.#initializing;
  }

  get metrics() {
    return this.#run.metrics;
  }

  get loop() {
    return this.#loop;
  }

  // Runs the init code; what the script exports.
  async init() {
    this.#context = vm.createContext(this.#globals());
    vm.runInContext(ABSENT.map((name) => `delete globalThis.${name};`).join(''), this.#context);
    try {
      const module = this.#load(this.#run.script);
      await module.link((specifier, from) => this.#resolve(specifier, from));
      await module.evaluate();
      this.#namespace = module.namespace;
    } catch (error) {
      throw new ScriptError(describe(error));
    }
    this.#initializing = false;
    return this.#namespace;
  }

  // Calls an exported function and waits until nothing is pending. `data` is copied, as setup's is.
  // {done: false} when `endMs` came first: then all that it waited for is gone.
  async call(name, data, endMs) {
    const argument = data === undefined ? undefined : this.#copy(data);
    let value;
    let failed = false;
    const fail = (error) => {
      failed = true;
      this.#run.onException(describe(error));
    };
    try {
      Promise.resolve(this.#namespace[name](argument)).then((result) => { value = result; }, fail);
    } catch (error) {
      fail(error);
    }
    const done = await this.#loop.idle(endMs);
    this.#loop.terminate();
    return {done, failed, value};
  }

  #copy(data) {
    return vm.runInContext(`JSON.parse(${JSON.stringify(JSON.stringify(data))})`, this.#context);
  }

  #globals() {
    const log = (level) => (...values) => this.#run.log(`${level}: ${values.map(show).join(' ')}`);
    const timers = modulesOf(this)['k6/timers'];
    const user = this;
    return {
      ...timers,
      console: {log: log('info'), info: log('info'), warn: log('warn'), error: log('error')},
      open: (path) => this.#open(path),
      get __ENV() { return {...user.#run.env, ...user.scenario?.env}; },
      get __VU() { return user.id; },
      get __ITER() { return user.iterations - 1; },
    };
  }

  #open(path) {
    if (!this.#initializing) throw new Error('open() is for the init context only');
    return readFileSync(resolve(dirname(this.#run.script), path), 'utf8');
  }

  #load(path) {
    if (!this.#modules.has(path)) {
      const source = readFileSync(path, 'utf8');
      const module = new vm.SourceTextModule(source, {identifier: path, context: this.#context});
      this.#modules.set(path, module);
    }
    return this.#modules.get(path);
  }

  #resolve(specifier, from) {
    if (/^\.\.?\//.test(specifier)) return this.#load(resolve(dirname(from.identifier), specifier));
    return this.#builtIn(specifier);
  }

  #builtIn(specifier) {
    if (!this.#modules.has(specifier)) {
      const exports = modulesOf(this)[specifier];
      if (!exports) throw new Error(`this runner has no module "${specifier}"`);
      const names = [...Object.keys(exports), 'default'];
      const module = new vm.SyntheticModule(names, function() {
        for (const name of Object.keys(exports)) this.setExport(name, exports[name]);
        this.setExport('default', exports);
      }, {context: this.#context});
      this.#modules.set(specifier, module);
    }
    return this.#modules.get(specifier);
  }
}

function show(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
