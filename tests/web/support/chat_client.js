// A client of minichat.v1.json over the npm package ws.

import {WebSocket} from 'ws';

import {within} from './wait.js';

export const SUBPROTOCOL = 'minichat.v1.json';

export class ChatClient {
  received = [];  // every frame that came
  #unread = [];   // those that nobody has asked for yet
  #wake = () => {};
  #lastRid = 0;

  // `options`: of the package ws. Says nothing by itself.
  constructor(address, options = {}) {
    this.socket = new WebSocket(`ws://${address}/ws`, SUBPROTOCOL, options);
    this.opened = new Promise((resolve, reject) => {
      this.socket.once('open', resolve);
      this.socket.once('error', reject);
    });
    this.closed = new Promise((resolve) => this.socket.once(
        'close', (code, reason) => resolve({code, reason: reason.toString()})));
    this.socket.on('message', (data) => {
      const frame = JSON.parse(data);
      this.received.push(frame);
      this.#unread.push(frame);
      this.#wake();
    });
  }

  // Connected and welcomed; `hello` without its op.
  static async open(address, hello, options) {
    const client = new ChatClient(address, options);
    await within(client.opened, 'the connection');
    client.send({op: 'hello', ...hello});
    client.welcome = await client.next('welcome');
    return client;
  }

  // Has joined the room as well.
  static async openIn(address, hello, room) {
    const client = await ChatClient.open(address, hello);
    await client.request({op: 'join', room});
    return client;
  }

  send(frame) {
    this.socket.send(JSON.stringify(frame));
  }

  // Sends it with a rid of its own, and waits for the answer.
  async request(frame) {
    const rid = ++this.#lastRid;
    this.send({...frame, rid});
    return this.#take((answer) => answer.rid === rid, `the answer to ${frame.op}`);
  }

  // Sends a message and waits until it is stored; its seq.
  async say(room, text) {
    const answer = await this.request({op: 'send', room, cid: `c-${this.#lastRid}`, text});
    if (answer.op !== 'ack') throw new Error(`not sent: ${JSON.stringify(answer)}`);
    return answer.seq;
  }

  // The first frame with this op that nobody has asked for yet.
  next(op) {
    return this.#take((frame) => frame.op === op, `a frame ${op}`);
  }

  // The first frame that is no message and that nobody has asked for yet.
  nextAnswer() {
    return this.#take((frame) => frame.op !== 'message', 'an answer');
  }

  // Ends it without a close frame.
  async cut() {
    this.socket.terminate();
    await this.closed;
  }

  // The close that the node began, or a failure when it takes too long.
  close() {
    return within(this.closed, 'the close');
  }

  async #take(wanted, what) {
    for (;;) {
      const at = this.#unread.findIndex(wanted);
      if (at >= 0) return this.#unread.splice(at, 1)[0];
      await within(new Promise((resolve) => { this.#wake = resolve; }),
                   `${what}; unread: ${JSON.stringify(this.#unread)}`);
    }
  }
}
