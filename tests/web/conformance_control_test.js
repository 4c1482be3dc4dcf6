// Pings, pongs and closes: RFC 6455, sections 5.5 and 7.

import assert from 'node:assert/strict';
import {describe} from 'node:test';

import {closingCases, echoRequest, expectAlive, expectClose, rawTest, useNode}
    from './support/conformance.js';
import {CLOSE, close, frame, ping, pong, text} from './support/frames.js';

useNode();

describe('ping', () => {
  const payloads = {
    'without payload': Buffer.alloc(0),
    'with text': Buffer.from('hello'),
    'with bytes that are no UTF-8': Buffer.from([0x00, 0xff, 0xfe, 0xfd, 0xc0]),
    'with 125 bytes': Buffer.alloc(125, 'p'),
  };
  for (const [name, payload] of Object.entries(payloads)) {
    rawTest(`${name} comes back as pong`, async (raw) => {
      raw.send(ping(payload));
      assert.deepEqual(await raw.pong(), payload);
    });
  }
  rawTest('octet by octet comes back as pong', async (raw) => {
    await raw.sendChopped(ping(payloads['with 125 bytes']), 1);
    assert.deepEqual(await raw.pong(), payloads['with 125 bytes']);
  });
  rawTest('ten back to back come back in order', async (raw) => {
    const names = Array.from({length: 10}, (_, i) => `ping ${i}`);
    raw.send(...names.map((name) => ping(name)));
    for (const name of names) assert.equal((await raw.pong()).toString(), name);
  });
  rawTest('a pong that nobody asked for is not answered', async (raw) => {
    raw.send(pong(), pong('unasked'), ping('asked'));
    assert.equal((await raw.pong()).toString(), 'asked');
    await expectAlive(raw);
  });
  closingCases([
    ['126 bytes', ping(Buffer.alloc(126)), 1002],
    ['a pong of 126 bytes', pong(Buffer.alloc(126)), 1002],
    ['a short length in 16 bits', ping('a', {lengthForm: 16}), 1002],
  ]);
});

describe('close', () => {
  const valid = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013,
                 3000, 3999, 4000, 4999, 5000, 65_535];
  for (const code of valid) {
    rawTest(`${code} comes back`, async (raw) => {
      raw.send(close(code, 'because'));
      await expectClose(raw, code);
    });
  }
  const invalid = [0, 999, 1004, 1005, 1006, 1014, 1015, 1016, 1100, 2000, 2999];
  closingCases(invalid.map((code) => [`${code}, which may not be sent`, close(code), 1002]));

  rawTest('without a code comes back with 1000', async (raw) => {
    raw.send(frame(CLOSE));
    await expectClose(raw, 1000);
  });
  rawTest('with a reason of 123 bytes comes back', async (raw) => {
    raw.send(close(1000, 'r'.repeat(123)));
    await expectClose(raw, 1000);
  });
  closingCases([
    ['a payload of one byte', frame(CLOSE, 'a'), 1002],
    ['a reason of 124 bytes', close(1000, 'r'.repeat(124)), 1002],
    ['a close in fragments', frame(CLOSE, '', {fin: false}), 1002],
    // Section 8.1 has no code for it; 1007 is said of messages.
    ['a reason that is no UTF-8', close(1000, Buffer.from([0xce, 0xba, 0xff])), 1002],
  ]);

  rawTest('what comes behind it is not looked at', async (raw) => {
    raw.send(close(1000), text(echoRequest('late')), ping('late'), text('', {mask: false}));
    await expectClose(raw, 1000);
  });
  rawTest('a second close is not looked at', async (raw) => {
    raw.send(close(1000), close(4999));
    await expectClose(raw, 1000);
  });
  rawTest('inside a fragmented message ends the connection', async (raw) => {
    raw.send(text('{"op":', {fin: false}), close(1000));
    await expectClose(raw, 1000);
  });
});
