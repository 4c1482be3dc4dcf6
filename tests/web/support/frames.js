// WebSocket frames as bytes, right and wrong ones (RFC 6455, section 5.2).

import {randomBytes} from 'node:crypto';

export const CONTINUATION = 0x0;
export const TEXT = 0x1;
export const BINARY = 0x2;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

// The length as it stands in a header whose second byte has `mask` as its highest bit. `form`: how
// many bits the length gets (7, 16 or 64), when that shall not be the shortest.
function lengthBytes(length, mask, form) {
  const shortest = length < 126 ? 7 : length < 65_536 ? 16 : 64;
  const bits = form ?? shortest;
  if (bits === 7) return Buffer.from([mask | length]);
  const bytes = Buffer.alloc(bits === 16 ? 3 : 9);
  bytes[0] = mask | (bits === 16 ? 126 : 127);
  if (bits === 16) bytes.writeUInt16BE(length, 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

function masked(payload, key) {
  const bytes = Buffer.alloc(payload.length);
  for (let i = 0; i < payload.length; ++i) bytes[i] = payload[i] ^ key[i % 4];
  return bytes;
}

// A client's frame. `says`: the length that its header tells, when that is not the payload's.
export function frame(opcode, content = '', options = {}) {
  const {fin = true, rsv = 0, mask = true, lengthForm, says} = options;
  const payload = Buffer.from(content);
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  const length = lengthBytes(says ?? payload.length, mask ? 0x80 : 0, lengthForm);
  if (!mask) return Buffer.concat([Buffer.from([first]), length, payload]);
  const key = randomBytes(4);
  return Buffer.concat([Buffer.from([first]), length, key, masked(payload, key)]);
}

export const text = (content, options) => frame(TEXT, content, options);
export const ping = (content, options) => frame(PING, content, options);
export const pong = (content, options) => frame(PONG, content, options);

// A close frame with a code and a reason.
export function close(code, reason = '') {
  const payload = Buffer.concat([Buffer.alloc(2), Buffer.from(reason)]);
  payload.writeUInt16BE(code);
  return frame(CLOSE, payload);
}

// A text message in pieces: cuts `content` at the byte positions given.
export function fragments(content, cuts) {
  const bytes = Buffer.from(content);
  const edges = [0, ...cuts, bytes.length];
  return edges.slice(1).map((end, i) => frame(
      i === 0 ? TEXT : CONTINUATION, bytes.subarray(edges[i], end), {fin: i === cuts.length}));
}

// The first frame in `bytes`, with its `size` there; null when not all of it has come.
export function parseFrame(bytes) {
  if (bytes.length < 2) return null;
  const short = bytes[1] & 0x7f;
  const header = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < header) return null;
  let length = short;
  if (short === 126) length = bytes.readUInt16BE(2);
  if (short === 127) length = Number(bytes.readBigUInt64BE(2));
  if (bytes.length < header + length) return null;
  return {
    fin: (bytes[0] & 0x80) !== 0,
    rsv: (bytes[0] >> 4) & 7,
    opcode: bytes[0] & 0xf,
    masked: (bytes[1] & 0x80) !== 0,
    payload: bytes.subarray(header, header + length),
    size: header + length,
  };
}
