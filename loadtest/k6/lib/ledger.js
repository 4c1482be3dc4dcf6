// One member's account of one room: what came, what came twice or out of order, what never came.
//
// Two independent ways. By the room's numbers: each message has a seq, and a number that was left
// out is looked up in the history (missing(), found()). By the talkers' numbers: each talker counts
// its messages and says in its last one how many were acknowledged, which all who were there from
// the beginning compare. Knows neither sockets nor k6.
//
// Limits: remembers only what is missing, and own messages of which the ack or the delivery is.

import {Numbers} from './numbers.js';

/** @typedef {{seq: number, id: string, from: string, text?: string}} Message */
/** @typedef {{op: 'talk', n: number, at: number} | {op: 'done', acked: number}} Content */

/** The text of a talker's message `n` that was due at `at`, filled up to `bytes`.
 * @param {number} n
 * @param {number} at
 * @param {number} bytes */
export function talkText(n, at, bytes) {
  return `talk ${n} ${at} `.padEnd(bytes, '.');
}

/** The text of a talker's last message.
 * @param {number} acked of its messages */
export function doneText(acked) {
  return `done ${acked}`;
}

/** @param {string | undefined} text
 *  @returns {Content | null} */
function parse(text) {
  const [op, first, second] = (text ?? '').split(' ', 3);
  if (op === 'talk') return {op, n: Number(first), at: Number(second)};
  return op === 'done' ? {op, acked: Number(first)} : null;
}

export class Ledger {
  received = 0;
  repeated = 0;
  misordered = 0;
  wrong = 0;
  #seqs;
  /** @type {Map<string, Numbers>} */
  #talkers = new Map();
  /** @type {Map<string, number>} */
  #done = new Map();
  /** Ids of own messages, by number, of which only the ack or only the delivery has come.
   * @type {Map<number, {acked?: string, came?: string}>} */
  #own = new Map();
  #foundInHistory = 0;

  /** @param {string} user this member's name
   *  @param {string[]} talkers of this room
   *  @param {number} cursor the room's number before the first that will come
   *  @param {boolean} whole here before the first message? */
  constructor(user, talkers, cursor, whole) {
    this.user = user;
    this.talkers = new Set(talkers);
    this.whole = whole;
    this.#seqs = new Numbers(cursor);
  }

  /** The highest number that was seen here. */
  get cursor() {
    return this.#seqs.last;
  }

  /** Have all talkers said that they are done? */
  get settled() {
    return this.#done.size === this.talkers.size;
  }

  /** Takes a message that came; what it was, or null when it does not count.
   * @param {Message} message
   * @returns {Content | null} */
  take(message) {
    const order = this.#seqs.take(message.seq);
    if (order === 'repeated') return this.#bad('repeated');
    const content = parse(message.text);
    if (content === null || !this.talkers.has(message.from)) return this.#bad('wrong');
    if (order === 'late') ++this.misordered;
    if (content.op === 'done') {
      this.#done.set(message.from, content.acked);
      return content;
    }
    const turn = this.#numbersOf(message.from, content.n).take(content.n);
    if (turn === 'repeated') return this.#bad('repeated');
    if (turn === 'late' && order !== 'late') ++this.misordered;
    if (message.from === this.user) this.#match(content.n, {came: message.id});
    ++this.received;
    return content;
  }

  /** Own message `n` was acknowledged under this id.
   * @param {number} n
   * @param {string} id */
  acked(n, id) {
    this.#match(n, {acked: id});
  }

  /** Numbers up to `head` that did not come. Whether there are such messages, the history knows.
   * @param {number} head */
  missing(head) {
    return this.#seqs.missing(head);
  }

  /** The history has so many of the missing messages.
   * @param {number} messages */
  found(messages) {
    this.#foundInHistory += messages;
  }

  /** Deliveries that the talkers' acks promise; 0 for who was not there all the time. */
  get expected() {
    if (!this.whole) return 0;
    return [...this.#done.values()].reduce((sum, acked) => sum + acked, 0);
  }

  /** Deliveries that never came: the greatest of the counts, since all see the same loss. */
  get lost() {
    const own = [...this.#own.values()].filter(({acked}) => acked !== undefined).length;
    return Math.max(this.#foundInHistory, this.#lostByTalkers(), own);
  }

  #lostByTalkers() {
    if (!this.whole) return 0;
    let lost = 0;
    for (const [talker, acked] of this.#done) {
      lost += Math.max(0, acked - (this.#talkers.get(talker)?.seen ?? 0));
    }
    return lost;
  }

  /** @param {string} talker
   *  @param {number} n */
  #numbersOf(talker, n) {
    let numbers = this.#talkers.get(talker);
    if (numbers === undefined) {
      numbers = new Numbers(this.whole ? 0 : n - 1);
      this.#talkers.set(talker, numbers);
    }
    return numbers;
  }

  /** @param {number} n
   *  @param {{acked?: string, came?: string}} half */
  #match(n, half) {
    const {acked, came} = {...this.#own.get(n), ...half};
    if (acked === undefined || came === undefined) {
      this.#own.set(n, {acked, came});
      return;
    }
    this.#own.delete(n);
    if (acked !== came) ++this.wrong;
  }

  /** @param {'repeated' | 'wrong'} what
   *  @returns {null} */
  #bad(what) {
    ++this[what];
    return null;
  }
}
