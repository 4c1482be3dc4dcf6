// One session: requests with answers, pauses that end when the connection does, and a guard.
//
// k6 ends an iteration only when no socket and no timer is left; a forgotten one hangs it until it
// is interrupted, and its counts are lost. So one place knows them all.
//
// Lifetime:  connects at once. After close(), or after the connection has ended, no timer is left
//            and onFrame is not called again.
// Errors:    what waits for an answer or a time fails when the connection ends. An error frame is
//            an answer.
// Limits:    6 s for an answer, 3 s for the close, `guardMs` for all.

import {clearTimeout, setTimeout} from 'k6/timers';
import {WebSocket} from 'k6/websockets';

const OPEN = 1;
const ANSWER_MS = 6000;  // an operation takes at most 5 s on a node
const CLOSE_MS = 3000;
const NORMAL = 1000;

/** @typedef {{[field: string]: any}} Frame */
/** @typedef {import('k6/websockets').MessageEvent} MessageEvent */
/** @typedef {import('k6/websockets').ErrorEvent} ErrorEvent */
/** @typedef {{resolve: (value?: any) => void, reject: (error: Error) => void}} Waiter */

export class Client {
  #socket;
  /** @type {Map<number, Waiter>} */
  #waiters = new Map();  // of answers by rid, of pauses by a number from the same sequence
  /** @type {Set<number>} */
  #timers = new Set();
  #last = 0;
  /** @type {Error | null} */
  #ended = null;
  #closed = false;
  #onClosed = () => {};

  /** @param {string} node HOST:PORT
   *  @param {number} guardMs the session's longest life
   *  @param {(frame: Frame) => void} onFrame sees each frame, answers too, before anyone else */
  constructor(node, guardMs, onFrame) {
    this.node = node;
    this.onFrame = onFrame;
    this.#socket = new WebSocket(`ws://${node}/ws`);
    this.#socket.addEventListener('message', (event) => this.#onMessage(event));
    this.#socket.addEventListener('error', (event) => this.#end(
        `connection to ${node}: ${/** @type {ErrorEvent} */ (event).error}`));
    this.#socket.addEventListener('close', () => {
      this.#end(`${node} closed the connection`);
      this.#closed = true;
      this.#onClosed();
    });
    this.#after(guardMs, () => this.#end(`guard: a session at ${node} took ${guardMs} ms`));
  }

  /** Connected and welcomed.
   * @param {Frame} hello without its op
   * @returns {Promise<Frame>} */
  welcome(hello) {
    // Answers to hello carry no rid; it is request 0.
    const answer = this.#wait(0, ANSWER_MS, 'no welcome');
    this.#socket.addEventListener('open', () => {
      if (this.#ended === null) this.send({op: 'hello', ...hello});
    });
    return answer;
  }

  /** The answer, which may be an error frame.
   * @param {Frame} frame
   * @returns {Promise<Frame>} */
  request(frame) {
    const rid = ++this.#last;
    const answer = this.#wait(rid, ANSWER_MS, `no answer to ${frame.op}`);
    this.send({...frame, rid});
    return answer;
  }

  /** Back at this time, or when the connection has ended.
   * @param {number} at of Date.now()
   * @returns {Promise<void>} */
  until(at) {
    const key = ++this.#last;
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      this.#waiters.set(key, {resolve, reject});
      this.#after(at - Date.now(), () => this.#settle(key)?.resolve());
    });
  }

  /** @param {Frame} frame */
  send(frame) {
    if (this.#socket.readyState === OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** Nothing comes from it after this. Back when the socket is gone; fails when that takes long.
   * @returns {Promise<void>} */
  close() {
    this.#end('closed');
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        resolve();
        return;
      }
      const timer = setTimeout(() => reject(new Error(`${this.node} did not close`)), CLOSE_MS);
      this.#onClosed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** @param {number} key
   *  @param {number} limitMs
   *  @param {string} late
   *  @returns {Promise<Frame>} */
  #wait(key, limitMs, late) {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      const timer = this.#after(limitMs, () => this.#settle(key)?.reject(
          new Error(`${late} from ${this.node} within ${limitMs} ms`)));
      this.#waiters.set(key, {
        resolve: (value) => { this.#cancel(timer); resolve(value); },
        reject: (error) => { this.#cancel(timer); reject(error); },
      });
    });
  }

  /** @param {MessageEvent | ErrorEvent} event */
  #onMessage(event) {
    if (this.#ended !== null) return;
    const frame = JSON.parse(String(/** @type {MessageEvent} */ (event).data));
    if (frame.op === 'bye') {
      this.#end(`${this.node} says bye: ${frame.reason}`);
      return;
    }
    this.onFrame(frame);
    this.#settle(answered(frame))?.resolve(frame);
  }

  /** @param {number | undefined} key */
  #settle(key) {
    if (key === undefined) return undefined;
    const waiter = this.#waiters.get(key);
    this.#waiters.delete(key);
    return waiter;
  }

  /** @param {number} ms
   *  @param {() => void} call */
  #after(ms, call) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      call();
    }, Math.max(0, Math.ceil(ms)));
    this.#timers.add(timer);
    return timer;
  }

  /** @param {number} timer */
  #cancel(timer) {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }

  /** @param {string} why */
  #end(why) {
    if (this.#ended !== null) return;
    this.#ended = new Error(why);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    for (const waiter of this.#waiters.values()) waiter.reject(this.#ended);
    this.#waiters.clear();
    if (this.#socket.readyState <= OPEN) this.#socket.close(NORMAL);
  }
}

/** The request that a frame answers.
 * @param {Frame} frame
 * @returns {number | undefined} */
function answered(frame) {
  if (frame.rid !== undefined) return frame.rid;
  return frame.op === 'welcome' || frame.op === 'error' ? 0 : undefined;
}
