// A node as somebody in between would show it: passes frames on, but for what `lie` makes of them.

import {once} from 'node:events';

import {WebSocket, WebSocketServer} from 'ws';

export class LyingProxy {
  #server;

  // Stands before `target`, "127.0.0.1:8080", at `address`.
  // `lie.down(frame, connection)`: the frames that the client gets instead of this one of the node,
  // where `connection` is a key of the connection;
  // `lie.up(frame)`: what the client gets at once instead of the node getting it, or null.
  static async open(target, lie) {
    const proxy = new LyingProxy();
    proxy.#server = new WebSocketServer({port: 0, host: '127.0.0.1'});
    await once(proxy.#server, 'listening');
    proxy.address = `127.0.0.1:${proxy.#server.address().port}`;
    proxy.#server.on('connection', (near) => pass(near, new WebSocket(`ws://${target}/ws`), lie));
    return proxy;
  }

  close() {
    for (const near of this.#server.clients) near.terminate();
    this.#server.close();
  }
}

function pass(near, far, {down = (frame) => [frame], up = () => null}) {
  const opened = once(far, 'open');
  near.on('message', async (data) => {
    await opened;
    const answer = up(JSON.parse(data));
    if (answer === null) {
      far.send(data.toString());
    } else {
      near.send(JSON.stringify(answer));
    }
  });
  far.on('message', (data) => {
    for (const frame of down(JSON.parse(data), near)) near.send(JSON.stringify(frame));
  });
  for (const [socket, other] of [[near, far], [far, near]]) {
    socket.on('error', () => {});  // followed by close
    socket.on('close', () => other.terminate());
  }
}
