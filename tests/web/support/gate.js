// A way to a TCP port that can be cut.

import {once} from 'node:events';
import {connect, createServer} from 'node:net';

export class Gate {
  #server;
  #sockets = new Set();

  // Leads to `target`, "127.0.0.1:8080"; `address` is where it stands.
  static async open(target) {
    const gate = new Gate();
    const [host, port] = target.split(':');
    gate.#server = createServer((near) => gate.#pass(near, connect({host, port})));
    gate.#server.listen(0, '127.0.0.1');
    await once(gate.#server, 'listening');
    gate.address = `127.0.0.1:${gate.#server.address().port}`;
    return gate;
  }

  // Ends the connections that are there, without a word. New ones are let through.
  cut() {
    for (const socket of this.#sockets) socket.destroy();
  }

  close() {
    this.cut();
    this.#server.close();
  }

  #pass(near, far) {
    for (const [socket, other] of [[near, far], [far, near]]) {
      this.#sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => {});  // the other side is ended on close
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
