// Sends a member's messages when they are due, however long the answers take, and then says how
// many were acknowledged.
//
// Errors: a send that is refused or not answered is counted, and not repeated; the last message is
//         sent until it is stored, or the time to drain is over. Fails when the connection ends.

import * as metrics from './metrics.js';
import {doneText, talkText} from './ledger.js';

const RETRY_MS = 500;

/** What a talker needs to know.
 * @typedef {object} Speech
 * @property {import('./client.js').Client} client
 * @property {string} room
 * @property {import('./plan.js').Plan} plan
 * @property {number} firstAt when its first message is due
 * @property {(at: number) => number} stepAt from the message due at `at` to its next one, in ms
 * @property {number} textBytes
 * @property {(at: number) => {[tag: string]: string}} tagsAt
 * @property {(n: number, id: string) => void} onAck
 */

export class Talker {
  #acked = 0;
  /** @type {Set<Promise<void>>} */
  #pending = new Set();

  /** @param {Speech} speech */
  constructor(speech) {
    this.speech = speech;
  }

  /** Back when all has been answered and the last message is stored. */
  async talk() {
    const {client, plan, firstAt, stepAt} = this.speech;
    let at = firstAt;
    for (let n = 1; at < plan.sendTo; ++n) {
      await client.until(at);
      this.#say(n, at);
      at += stepAt(at);
    }
    await client.until(plan.sendTo);
    await Promise.all(this.#pending);
    await this.#done();
  }

  /** @param {number} n
   *  @param {number} at */
  #say(n, at) {
    const answer = this.#send(n, at).finally(() => this.#pending.delete(answer));
    this.#pending.add(answer);
  }

  /** @param {number} n
   *  @param {number} at */
  async #send(n, at) {
    const {client, room, textBytes, tagsAt, onAck} = this.speech;
    metrics.sent.add(1);
    const answer = await client
        .request({op: 'send', room, cid: `${n}`, text: talkText(n, at, textBytes)})
        .catch(() => ({op: 'error', code: 'no_answer', id: ''}));
    const stored = answer.op === 'ack';
    metrics.refused.add(!stored, stored ? {} : {code: answer.code});
    if (!stored) return;
    ++this.#acked;
    metrics.acked.add(1);
    metrics.ack.add(Date.now() - at, tagsAt(at));
    onAck(n, answer.id);
  }

  // The others wait for this one, so it is sent until it is stored.
  async #done() {
    const {client, room, plan} = this.speech;
    const frame = {op: 'send', room, cid: 'done', text: doneText(this.#acked)};
    for (let resend = false;; resend = true) {
      const answer = await client.request(resend ? {...frame, resend} : frame);
      if (answer.op === 'ack') return;
      if (Date.now() > plan.drainTo) throw new Error(`last message refused: ${answer.code}`);
      await client.until(Date.now() + RETRY_MS);
    }
  }
}
