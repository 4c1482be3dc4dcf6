// A WebSocket connection that sends whatever bytes a test wants sent.

import {createHash, randomBytes} from 'node:crypto';
import {connect} from 'node:net';

import {CLOSE, PING, PONG, TEXT, frame, parseFrame, text} from './frames.js';
import {within} from './wait.js';

const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export class RawSocket {
  #socket;
  #bytes = Buffer.alloc(0);
  #ended = false;
  #wake = () => {};

  constructor(port) {
    this.#socket = connect({host: '127.0.0.1', port, noDelay: true});
    this.#socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      this.#wake();
    });
    // A reset counts as an end: the node may close while bytes are still on their way to it.
    for (const event of ['end', 'error', 'close']) {
      this.#socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  // Upgraded; the node's answer is checked.
  static async open(port) {
    const raw = new RawSocket(port);
    const key = randomBytes(16).toString('base64');
    raw.send(Buffer.from(
        `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\n` +
        `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`));
    const head = await raw.#take('the upgrade', (bytes) => {
      const end = bytes.indexOf('\r\n\r\n');
      return end < 0 ? null : {size: end + 4, text: bytes.toString('latin1', 0, end)};
    });
    const accept = createHash('sha1').update(key + KEY_SUFFIX).digest('base64');
    if (!head.text.startsWith('HTTP/1.1 101 ') || !head.text.includes(accept)) {
      throw new Error(`not upgraded: ${head.text}`);
    }
    return raw;
  }

  // Upgraded and welcomed.
  static async openSession(port) {
    const raw = await RawSocket.open(port);
    raw.send(text('{"op":"hello","user":"ann"}'));
    const welcome = await raw.json();
    if (welcome.op !== 'welcome') throw new Error(`no welcome: ${JSON.stringify(welcome)}`);
    return raw;
  }

  send(...buffers) {
    this.#socket.write(Buffer.concat(buffers));
  }

  // In pieces of so many bytes, each handed to the kernel by itself.
  async sendChopped(bytes, size) {
    for (let at = 0; at < bytes.length; at += size) {
      await new Promise((resolve) => this.#socket.write(bytes.subarray(at, at + size), resolve));
    }
  }

  // The next frame; one that a server must not send (masked, with reserved bits) is a failure.
  async frame() {
    const found = await this.#take('a frame', parseFrame);
    if (found.masked || found.rsv !== 0) throw new Error('a server\'s frame is masked or has RSV');
    return found;
  }

  // The next text frame, as JSON. The node's own pings are answered.
  async json() {
    for (;;) {
      const {opcode, payload} = await this.frame();
      if (opcode === TEXT) return JSON.parse(payload.toString());
      if (opcode !== PING) throw new Error(`opcode ${opcode} instead of a text frame`);
    }
  }

  // The payload of the next pong.
  async pong() {
    const {opcode, payload} = await this.frame();
    if (opcode !== PONG) throw new Error(`opcode ${opcode} instead of a pong`);
    return payload;
  }

  // Waits for the close frame, answers it, and waits for the end of the connection, before which
  // nothing may come.
  async closed() {
    const {opcode, payload} = await this.frame();
    if (opcode !== CLOSE) throw new Error(`opcode ${opcode} instead of a close frame`);
    this.send(frame(CLOSE, payload));
    await this.end();
    return {
      code: payload.length < 2 ? null : payload.readUInt16BE(0),
      reason: payload.toString('utf8', 2),
    };
  }

  // Waits until the node ends the connection.
  async end() {
    await this.#until(() => this.#ended || this.#bytes.length > 0, 'the end of the connection');
    if (this.#bytes.length > 0) throw new Error(`bytes after the end: ${this.#bytes.length}`);
  }

  destroy() {
    this.#socket.destroy();
  }

  async #take(what, parse) {
    let found = null;
    await this.#until(() => (found = parse(this.#bytes)) !== null || this.#ended, what);
    if (found === null) throw new Error(`the connection ended before ${what}`);
    this.#bytes = this.#bytes.subarray(found.size);
    return found;
  }

  async #until(holds, what) {
    while (!holds()) {
      await within(new Promise((resolve) => { this.#wake = resolve; }), what);
    }
  }
}
