// Text is UTF-8: RFC 6455, sections 5.6 and 8.1.

import {describe} from 'node:test';

import {closingCases, echoRequest, expectClose, expectEcho, rawTest, useNode}
    from './support/conformance.js';
import {TEXT, fragments, frame, text} from './support/frames.js';

useNode();

const VALID = {
  'Greek': 'κόσμε',
  'two, three and four bytes': 'ß€𐍈',
  'the first of each length': '\u0080\u0800\u{10000}',
  'the last of each length': '\u007f\u07ff\uffff\u{10ffff}',
  'around the surrogates': '\ud7ff\ue000',
  'no characters, but valid': '\ufffe\uffff\u{1fffe}\u{10fffe}',
  'a byte order mark': '\ufeff',
};
const INVALID = {
  'a continuation byte alone': [0x80],
  'a start without continuation': [0xc3, 0x28],
  'three bytes, the last missing': [0xe2, 0x82, 0x22],
  'too long a form of "/"': [0xc0, 0xaf],
  'too long a form of NUL': [0xe0, 0x80, 0x80],
  'too long a form, four bytes': [0xf0, 0x80, 0x80, 0xaf],
  'a high surrogate': [0xed, 0xa0, 0x80],
  'a low surrogate': [0xed, 0xb0, 0x80],
  'a pair of surrogates': [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80],
  'above U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
  'five bytes': [0xf8, 0x88, 0x80, 0x80, 0x80],
  'FE': [0xfe],
  'FF': [0xff],
};

// A ping request with these bytes in its rid.
function requestAround(bytes) {
  const [begin, end] = echoRequest('|').split('|');
  return Buffer.concat([Buffer.from(begin), Buffer.from(bytes), Buffer.from(end)]);
}

describe('valid', () => {
  for (const [name, content] of Object.entries(VALID)) {
    rawTest(name, async (raw) => {
      raw.send(text(echoRequest(content)));
      await expectEcho(raw, content);
    });
  }
  rawTest('fragments cut at every byte', async (raw) => {
    const content = 'κß€𐍈';
    const request = Buffer.from(echoRequest(content));
    for (let cut = 1; cut < request.length; ++cut) {
      raw.send(...fragments(request, [cut]));
      await expectEcho(raw, content);
    }
  });
  rawTest('octet by octet', async (raw) => {
    await raw.sendChopped(text(echoRequest('κß€𐍈')), 1);
    await expectEcho(raw, 'κß€𐍈');
  });
});

describe('invalid', () => {
  const cases = Object.entries(INVALID);
  closingCases(cases.map(([name, bytes]) => [name, text(requestAround(bytes)), 1007]));
  closingCases(cases.map(([name, bytes]) => {
    const request = requestAround(bytes);
    const cuts = Array.from(request, (_, i) => i).slice(1);
    return [`${name}, in fragments of one byte`, fragments(request, cuts), 1007];
  }));
  closingCases([
    ['a message that ends inside a character', text(Buffer.from('€').subarray(0, 2)), 1007],
    ['a last fragment that ends inside a character',
      fragments(Buffer.from('a€').subarray(0, 3), [2]), 1007],
  ]);
});

describe('invalid is told before the message ends', () => {
  rawTest('in a first fragment', async (raw) => {
    raw.send(frame(TEXT, Buffer.from([0x7b, 0xff]), {fin: false}));
    await expectClose(raw, 1007);
  });
  rawTest('in the first half of a frame', async (raw) => {
    const whole = text(Buffer.concat([Buffer.from([0x7b, 0xc0, 0xaf]), Buffer.alloc(2_000, ' ')]));
    raw.send(whole.subarray(0, 1_000));
    await expectClose(raw, 1007);
  });
});
