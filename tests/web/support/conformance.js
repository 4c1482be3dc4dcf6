// What the conformance tests share: one node for a file's cases, and their two outcomes.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import * as frames from './frames.js';
import {ChatNode} from './node.js';
import {RawSocket} from './raw_socket.js';

let node;

// Call it once per file.
export function useNode() {
  before(async () => { node = await ChatNode.start(); });
  after(() => node.remove());
}

// A test with a welcomed connection of its own.
export function rawTest(name, run) {
  test(name, {timeout: 30_000}, async () => {
    const raw = await RawSocket.openSession(node.clientPort);
    try {
      await run(raw);
    } finally {
      raw.destroy();
    }
  });
}

// The protocol's own ping serves as echo: its answer carries the same rid, a number or a string of
// at most 64 bytes.
export const echoRequest = (rid) => JSON.stringify({op: 'ping', rid});

export async function expectEcho(raw, rid) {
  assert.deepEqual(await raw.json(), {op: 'pong', rid});
}

// The connection still works.
export async function expectAlive(raw) {
  raw.send(frames.text(echoRequest('alive')));
  await expectEcho(raw, 'alive');
}

// The node closes with the code, and ends the connection.
export async function expectClose(raw, code) {
  assert.equal((await raw.closed()).code, code);
}

// For tables of cases: [name, bytes to send, code that the node closes with].
export function closingCases(cases) {
  for (const [name, bytes, code] of cases) {
    rawTest(`${name}: closes with ${code}`, async (raw) => {
      raw.send(...[bytes].flat());
      await expectClose(raw, code);
    });
  }
}
