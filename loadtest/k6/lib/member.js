// A member of a room, from its arrival to its complete account.
//
// Errors: attend() never fails. What keeps the member from going on is counted once and told on the
//         console; the account so far is counted all the same.
// Limits: at most the plan's drainTo and 8 s.

import * as metrics from './metrics.js';
import {Client} from './client.js';
import {Ledger} from './ledger.js';
import {until} from './plan.js';
import {Talker} from './talker.js';

const LOOK_MS = 100;
const GUARD_MS = 8000;  // less than a run's spare time, so that the guard comes before k6's own
const PAGE = 200;

/** @typedef {import('./client.js').Frame} Frame */
/** One member's part in a run.
 * @typedef {object} Part
 * @property {import('./settings.js').Settings} settings
 * @property {import('./plan.js').Plan} plan
 * @property {string} user
 * @property {string} room
 * @property {string[]} talkers all of the room
 * @property {number} place in the room; the first ones talk
 * @property {number} arriveAt
 * @property {number} [leaveAt] else when all talkers are done
 * @property {{stayMs: number, awayMs: number}} [moves] reconnects to the next node, again and again
 * @property {(at: number) => number} [rateAt] else the settings' rate
 * @property {(at: number, since: number) => string} [phaseAt] the tag `phase` of what was due at
 *   `at`, for a member that is connected since `since`
 */

export class Member {
  /** @type {Client | null} */
  #client = null;
  /** @type {Ledger | null} */
  #ledger = null;
  #node;
  #since = 0;
  #failed = false;

  /** @param {Part} part */
  constructor(part) {
    this.part = part;
    // There before the first message, and until the last.
    this.whole = part.arriveAt < part.plan.sendFrom && part.leaveAt === undefined;
    this.#node = part.place;
  }

  /** Never fails: what goes wrong is counted. */
  async attend() {
    try {
      await this.#arrive();
      await this.#stay();
      await this.#balance();
    } catch (error) {
      this.#fail(error);
    }
    this.#report();
    await this.#client?.close().catch((error) => this.#fail(error));
    // Last of all: whoever still has a socket may hang, and has not given account.
    if (!this.#failed) metrics.accounted.add(1);
  }

  /** @param {unknown} error */
  #fail(error) {
    if (!this.#failed) metrics.failures.add(1);
    this.#failed = true;
    console.error(`${this.part.user}: ${error instanceof Error ? error.message : error}`);
  }

  async #arrive() {
    const {plan, arriveAt, room} = this.part;
    await until(arriveAt);
    await this.#connect({});
    expect(await this.#open().request({op: 'join', room}), 'joined');
    if (this.whole && Date.now() >= plan.sendFrom) {
      throw new Error('came after the first message was due; CONNECT must be longer');
    }
  }

  async #stay() {
    const {plan, place, talkers, moves, leaveAt} = this.part;
    if (leaveAt !== undefined) {
      await this.#open().until(leaveAt);
    } else if (place < talkers.length) {
      await this.#talk();
    } else {
      if (moves !== undefined) await this.#move(moves.stayMs, moves.awayMs);
      await this.#open().until(plan.sendTo);
    }
  }

  #talk() {
    const {settings, plan, room, place, rateAt} = this.part;
    const stepAt = (/** @type {number} */ at) =>
      settings.talkers * 1000 / (rateAt?.(at) ?? settings.rate);
    return new Talker({
      client: this.#open(),
      room,
      plan,
      firstAt: plan.sendFrom + stepAt(plan.sendFrom) * place / settings.talkers,
      stepAt,
      textBytes: settings.textBytes,
      tagsAt: (at) => this.#tagsAt(at),
      onAck: (n, id) => this.#account().acked(n, id),
    }).talk();
  }

  /** Each stay is at another node, and continues after the last message that was seen.
   * @param {number} stayMs
   * @param {number} awayMs */
  async #move(stayMs, awayMs) {
    const {plan, room} = this.part;
    await this.#open().until(plan.sendFrom + Math.random() * stayMs);  // not all at once
    while (Date.now() + awayMs < plan.sendTo) {
      await this.#open().close();
      await until(Date.now() + awayMs);
      ++this.#node;
      const {cursor} = this.#account();
      const {resumed} = await this.#connect({resume: {[room]: cursor}});
      if (resumed[room]?.recovered !== true) {
        throw new Error(`not resumed after ${cursor}: ${JSON.stringify(resumed)}`);
      }
      metrics.moves.add(1);
      await this.#open().until(Math.min(Date.now() + stayMs, plan.sendTo));
    }
  }

  // All that should have come has come, or is known to be lost.
  async #balance() {
    const {settings, plan, room, leaveAt} = this.part;
    const ledger = this.#account();
    const stays = leaveAt === undefined;
    const end = stays ? plan.drainTo : Date.now() + settings.drainMs;
    if (stays) await this.#wait(() => ledger.settled, end);
    const {head} = expect(await this.#open().request({op: 'join', room}), 'joined');
    await this.#wait(() => ledger.cursor >= head, end);
    for (const [first, last] of ledger.missing(head)) ledger.found(await this.#look(first, last));
    if (stays && !ledger.settled) {
      throw new Error(`not all talkers were done ${settings.drainMs} ms after the time of sending`);
    }
  }

  /** How many messages the history has with these numbers.
   * @param {number} first
   * @param {number} last */
  async #look(first, last) {
    let found = 0;
    /** @type {number | null} */
    let after = first - 1;
    while (after !== null && after < last) {
      const frame = {op: 'history', room: this.part.room, after, limit: PAGE};
      /** @type {Frame} */
      const page = expect(await this.#open().request(frame), 'history');
      found += page.messages.filter((/** @type {Frame} */ {seq}) => seq <= last).length;
      after = page.next;
    }
    return found;
  }

  /** @param {() => boolean} condition
   *  @param {number} end */
  async #wait(condition, end) {
    while (!condition() && Date.now() < end) await this.#open().until(Date.now() + LOOK_MS);
  }

  /** The welcome of the next node.
   * @param {Frame} hello besides the user */
  async #connect(hello) {
    const {settings, plan, user} = this.part;
    const node = settings.nodes[this.#node % settings.nodes.length];
    const guardMs = plan.drainTo + GUARD_MS - Date.now();
    this.#client = new Client(node, guardMs, (frame) => this.#see(frame));
    return expect(await this.#client.welcome({user, ...hello}), 'welcome');
  }

  // Before the answer to join is looked at, messages may follow it.
  /** @param {Frame} frame */
  #see(frame) {
    const {user, talkers} = this.part;
    if (frame.op === 'welcome') this.#since = Date.now();
    if (frame.op === 'joined') this.#ledger ??= new Ledger(user, talkers, frame.cursor, this.whole);
    if (frame.op === 'message') this.#take(frame);
    if (frame.op === 'gap') metrics.gaps.add(1);
  }

  /** @param {Frame} frame */
  #take(frame) {
    const ledger = this.#account();
    if (frame.room !== this.part.room) {
      ++ledger.wrong;
      return;
    }
    const content = ledger.take(/** @type {import('./ledger.js').Message} */ (frame));
    if (content?.op !== 'talk') return;
    metrics.received.add(1);
    metrics.delivery.add(Date.now() - content.at, this.#tagsAt(content.at));
  }

  // Also of a member that failed: what it saw until then.
  #report() {
    const ledger = this.#ledger;
    if (ledger === null) return;
    metrics.expected.add(ledger.expected);
    metrics.lost.add(ledger.lost);
    metrics.repeated.add(ledger.repeated);
    metrics.misordered.add(ledger.misordered);
    metrics.wrong.add(ledger.wrong);
  }

  /** @param {number} at
   *  @returns {{[tag: string]: string}} */
  #tagsAt(at) {
    const {phaseAt} = this.part;
    return phaseAt === undefined ? {} : {phase: phaseAt(at, this.#since)};
  }

  #open() {
    if (this.#client === null) throw new Error('not connected');
    return this.#client;
  }

  #account() {
    if (this.#ledger === null) throw new Error('not joined');
    return this.#ledger;
  }
}

/** The frame, if it is what was hoped for.
 * @param {Frame} frame
 * @param {string} op */
function expect(frame, op) {
  if (frame.op !== op) throw new Error(`no ${op}, but ${JSON.stringify(frame)}`);
  return frame;
}
