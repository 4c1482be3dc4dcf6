// k6/websockets over the npm package ws.

import {WebSocket as Ws} from 'ws';

const EVENTS = ['open', 'message', 'ping', 'pong', 'error', 'close'];
const CONNECTING = 0;
const OPEN = 1;

// The class WebSocket of one virtual user; `mayConnect` throws in the init context.
export function webSocketClass(loop, mayConnect) {
  return class WebSocket {
    #ws;
    #listeners = Object.fromEntries(EVENTS.map((event) => [event, []]));
    #terminated = false;
    onopen; onmessage; onping; onpong; onerror; onclose;
    binaryType = 'blob';

    constructor(url, protocols = null, params = {}) {
      mayConnect();
      if (protocols !== null) throw new TypeError('WebSocket: there are no protocols yet');
      this.url = url;
      // One event in one turn, as in k6.
      this.#ws = new Ws(url, {
        headers: params?.headers, perMessageDeflate: false, allowSynchronousEvents: false,
      });
      const handle = {terminate: () => this.#terminate()};
      loop.addSocket(handle);
      this.#ws.on('open', () => this.#emit('open', {}));
      this.#ws.on('message', (data, binary) => {
        this.#emit('message', {data: this.#data(data, binary)});
      });
      this.#ws.on('ping', () => this.#emit('ping', {}));
      this.#ws.on('pong', () => this.#emit('pong', {}));
      this.#ws.on('error', (error) => this.#emit('error', {error: error.message}));
      this.#ws.on('close', (code, reason) => {
        this.#emit('close', {code, reason: reason.toString()});
        loop.removeSocket(handle);
      });
    }

    get readyState() {
      return this.#ws.readyState;
    }

    get bufferedAmount() {
      return this.#ws.bufferedAmount;
    }

    addEventListener(event, listener) {
      if (!EVENTS.includes(event)) throw new TypeError(`WebSocket: there is no event "${event}"`);
      this.#listeners[event].push(listener);
    }

    send(data) {
      if (this.readyState !== OPEN) throw new Error('InvalidStateError: the WebSocket is not open');
      this.#ws.send(data);
    }

    ping() {
      if (this.readyState !== OPEN) throw new Error('InvalidStateError: the WebSocket is not open');
      this.#ws.ping();
    }

    close(code, reason) {
      if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) {
        throw new Error(`WebSocket: close code ${code} is neither 1000 nor 3000 to 4999`);
      }
      if (this.readyState > OPEN) return;
      if (this.readyState === CONNECTING) {
        this.#ws.terminate();
      } else {
        this.#ws.close(code ?? 1000, reason);
      }
    }

    #data(data, binary) {
      if (!binary) return data.toString();
      if (this.binaryType !== 'arraybuffer') throw new TypeError('this runner has no Blob');
      return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    }

    #emit(type, fields) {
      if (this.#terminated) return;
      const event = {type, timestamp: Date.now(), ...fields};
      const attribute = this[`on${type}`];
      if (attribute) loop.call(attribute, event);
      for (const listener of this.#listeners[type]) loop.call(listener, event);
    }

    #terminate() {
      this.#terminated = true;
      this.#ws.terminate();
    }
  };
}
