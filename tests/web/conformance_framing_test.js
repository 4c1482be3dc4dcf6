// How the node reads frames: RFC 6455, sections 5.2 to 5.4 and 5.6.

import assert from 'node:assert/strict';
import {describe} from 'node:test';

import {closingCases, echoRequest, expectAlive, expectClose, expectEcho, rawTest, useNode}
    from './support/conformance.js';
import {BINARY, CONTINUATION, TEXT, fragments, frame, ping, text} from './support/frames.js';

const FRAME_LIMIT = 65_536;

useNode();

// A ping request that fills exactly so many bytes.
function echoOfSize(bytes, rid) {
  const request = echoRequest(rid);
  return request.slice(0, -1).padEnd(bytes - 1, ' ') + '}';
}

describe('payload length', () => {
  const sizes = [125, 126, 127, 128, 65_535, FRAME_LIMIT];
  for (const size of sizes) {
    rawTest(`${size} bytes at once`, async (raw) => {
      raw.send(text(echoOfSize(size, size)));
      await expectEcho(raw, size);
    });
  }
  for (const size of sizes.filter((bytes) => bytes < 1_000)) {
    rawTest(`${size} bytes, octet by octet`, async (raw) => {
      await raw.sendChopped(text(echoOfSize(size, size)), 1);
      await expectEcho(raw, size);
    });
  }
  for (const chop of [997, 4_096]) {
    rawTest(`${FRAME_LIMIT} bytes, ${chop} at a time`, async (raw) => {
      await raw.sendChopped(text(echoOfSize(FRAME_LIMIT, chop)), chop);
      await expectEcho(raw, chop);
    });
  }
  rawTest('0 bytes are a message, which is no JSON', async (raw) => {
    raw.send(text(''));
    assert.equal((await raw.json()).code, 'bad_request');
    await expectAlive(raw);
  });
  rawTest('ten frames in one piece are answered in order', async (raw) => {
    const rids = Array.from({length: 10}, (_, i) => i);
    raw.send(...rids.map((rid) => text(echoRequest(rid))));
    for (const rid of rids) await expectEcho(raw, rid);
  });
});

describe('limit of a message', () => {
  const half = ' '.repeat(FRAME_LIMIT / 2);
  closingCases([
    ['one byte more than 65,536', text(echoOfSize(FRAME_LIMIT + 1, 1)), 1009],
    ['fragments that together have one byte more',
      fragments(`${half}${half} `, [half.length, 2 * half.length]), 1009],
    ['a header that says 2^40', text('', {says: 2 ** 40}), 1009],
    // No length may have this bit (section 5.2); the node takes it for one that is too large.
    ['a header that says 2^63', text('', {says: 2n ** 63n, lengthForm: 64}), 1009],
  ]);
});

describe('header', () => {
  const request = echoRequest(1);
  closingCases([
    ['a frame that is not masked', text(request, {mask: false}), 1002],
    ['a length below 126 in 16 bits', text(request, {lengthForm: 16}), 1002],
    ['a length below 65,536 in 64 bits', text(request, {lengthForm: 64}), 1002],
    ...[1, 2, 3, 4, 5, 6, 7].map((rsv) => [`reserved bits ${rsv}`, text(request, {rsv}), 1002]),
    ['reserved bits of a ping', ping('', {rsv: 4}), 1002],
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map(
        (opcode) => [`reserved opcode ${opcode}`, frame(opcode, request), 1002]),
    ['reserved opcode 3 without payload', frame(3), 1002],
    ['a binary frame', frame(BINARY, request), 1003],
    ['a binary message in fragments',
      [frame(BINARY, 'a', {fin: false}), frame(CONTINUATION, 'b')], 1003],
  ]);
});

describe('fragmentation', () => {
  rawTest('a message in two fragments', async (raw) => {
    raw.send(...fragments(echoRequest('two'), [10]));
    await expectEcho(raw, 'two');
  });
  rawTest('a message in fragments of one byte', async (raw) => {
    const request = echoRequest('bytes');
    raw.send(...fragments(request, Array.from(request, (_, i) => i).slice(1)));
    await expectEcho(raw, 'bytes');
  });
  rawTest('empty fragments before, between and behind', async (raw) => {
    const request = echoRequest('empty');
    raw.send(...fragments(request, [0, 7, 7, request.length]));
    await expectEcho(raw, 'empty');
  });
  rawTest('fragments octet by octet', async (raw) => {
    await raw.sendChopped(Buffer.concat(fragments(echoRequest('chopped'), [3, 9])), 1);
    await expectEcho(raw, 'chopped');
  });
  rawTest('pings between fragments are answered before the message', async (raw) => {
    const [first, second, third] = fragments(echoRequest('between'), [5, 12]);
    raw.send(first, ping('one'), second, ping('two'), third);
    assert.equal((await raw.pong()).toString(), 'one');
    assert.equal((await raw.pong()).toString(), 'two');
    await expectEcho(raw, 'between');
  });
  rawTest('a message whose end does not come is not answered', async (raw) => {
    raw.send(text(echoRequest('no end'), {fin: false}), ping('still there?'));
    assert.equal((await raw.pong()).toString(), 'still there?');
  });
  closingCases([
    ['a continuation without a start', frame(CONTINUATION, echoRequest(1)), 1002],
    ['a continuation without a start that is not the end',
      frame(CONTINUATION, echoRequest(1), {fin: false}), 1002],
    ['a new message inside a fragmented one',
      [frame(TEXT, '{', {fin: false}), text(echoRequest(1))], 1002],
    ['a binary frame inside a fragmented text',
      [frame(TEXT, '{', {fin: false}), frame(BINARY, 'a')], 1002],
    ['a ping in fragments', ping('a', {fin: false}), 1002],
  ]);
  rawTest('a continuation behind a whole message: closes with 1002', async (raw) => {
    raw.send(text(echoRequest('whole')));
    await expectEcho(raw, 'whole');
    raw.send(frame(CONTINUATION, 'more'));
    await expectClose(raw, 1002);
  });
});
