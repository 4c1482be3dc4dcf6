// What a virtual user still waits for: its timers and sockets. An iteration ends when nothing is
// left.
//
// Errors: what a callback throws goes to `onException`; the loop goes on.

import {after, cancel, every} from './clock.js';

const turn = () => new Promise((resolve) => { setImmediate(resolve); });

export class EventLoop {
  #timers = new Map();   // those of the script, by their numbers
  #sockets = new Set();  // what can be terminated
  #lastTimer = 0;
  #wake = () => {};
  #onException;

  // `onException` gets what the script's callbacks throw.
  constructor(onException) {
    this.#onException = onException;
  }

  get pending() {
    return this.#timers.size + this.#sockets.size;
  }

  // Runs a callback of the script.
  call(callback, ...args) {
    try {
      callback(...args);
    } catch (error) {
      this.#onException(error);
    }
    this.#wake();
  }

  setTimer(callback, delayMs, again, args) {
    if (typeof callback !== 'function') throw new TypeError('a timer wants a function');
    const id = ++this.#lastTimer;
    const fire = () => {
      if (!again) this.#timers.delete(id);
      this.call(callback, ...args);
    };
    const timer = again ? every(delayMs, fire) : after(delayMs, fire);
    this.#timers.set(id, timer);
    return id;
  }

  clearTimer(id) {
    cancel(this.#timers.get(id));
    this.#timers.delete(id);
  }

  addSocket(socket) {
    this.#sockets.add(socket);
  }

  removeSocket(socket) {
    this.#sockets.delete(socket);
    this.#wake();
  }

  // True when nothing is pending, false when `endMs` (of Date.now()) comes first.
  async idle(endMs) {
    let late = false;
    const alarm = after(endMs - Date.now(), () => { late = true; this.#wake(); });
    try {
      for (;;) {
        await turn();  // the microtasks have run: what they began is pending
        if (this.pending === 0) return true;
        if (late) return false;
        await new Promise((resolve) => { this.#wake = resolve; });
      }
    } finally {
      cancel(alarm);
    }
  }

  // Nothing of the script runs after this until it is called anew.
  terminate() {
    for (const timer of this.#timers.values()) cancel(timer);
    this.#timers.clear();
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
  }
}
