// docs/asyncapi.yaml: a valid document, and one that nodes keep to.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, describe, test} from 'node:test';

import {Parser} from '@asyncapi/parser';
import {Ajv} from 'ajv';

import {ChatClient} from './support/chat_client.js';
import {follow, makeCheckers, readDocument} from './support/documents.js';
import {ChatNode} from './support/node.js';

const TIMEOUT = {timeout: 240_000};
const API_KEY = '0123456789abcdef';
const SECRET = 'the-secret-of-this-test-long-enough';
const {text, document} = readDocument('asyncapi.yaml');
const check = makeCheckers(Ajv, document);

// The messages of operations: {name: JSON pointer to the schema}.
function messagesOf(refs) {
  return Object.fromEntries(refs.map(({$ref}) => {
    const name = $ref.split('/').at(-1);
    return [name, document.components.messages[name].payload.$ref];
  }));
}
const operations = Object.values(document.operations);
const received = operations.filter(({action}) => action === 'receive');
const FROM_CLIENTS = messagesOf(received.flatMap(({messages}) => messages));
const FROM_NODES = messagesOf([
  ...received.flatMap(({reply}) => reply.messages),
  ...operations.filter(({action}) => action === 'send').flatMap(({messages}) => messages),
]);

describe('the document', TIMEOUT, () => {
  // Errors and warnings; the rest is advice.
  async function faults(source) {
    const {diagnostics} = await new Parser().parse(source);
    return diagnostics.filter(({severity}) => severity <= 1).map(({message}) => message);
  }

  test('is valid AsyncAPI', async () => {
    assert.deepEqual(await faults(text), []);
  });

  test('would not be with a fault', async () => {
    assert.notDeepEqual(await faults(text.replace('action: receive', 'action: listen')), []);
  });
});

test('the page stays away after the close codes that say so, and without a new token', () => {
  const page = readFileSync(new URL('../../web/app.js', import.meta.url), 'utf8');
  const codes = page.match(/FINAL_CODES = new Set\(\[([\d, ]+)\]\)/)[1].split(', ').map(Number);
  const final = document.channels.session['x-close-codes']
      .filter(({reconnect, name}) => !reconnect || name === 'token_expired')
      .map(({code}) => code);
  assert.deepEqual(codes, final);
});

// What a session of all kinds of requests brings.
async function framesOfAll(node, tokenNode) {
  const clients = [];
  const open = async (address, hello) => {
    clients.push(await ChatClient.open(address, hello));
    return clients.at(-1);
  };
  const api = (method, path, body) => fetch(`http://${node.client}/api/v1/rooms${path}`, {
    method, body: JSON.stringify(body), headers: {Authorization: `Bearer ${API_KEY}`},
  });

  await api('POST', '', {room: 'team', members: ['ann']});
  const ann = await open(node.client, {user: 'ann', rid: 'hello'});
  for (const room of ['open', 'team']) await ann.request({op: 'join', room});
  await ann.request({op: 'send', room: 'open', cid: 'c-1', text: 'hi'});
  await ann.request({op: 'send', room: 'open', cid: 'c-2', data: {a: [1, null]}});
  await ann.request({op: 'send', room: 'open', cid: 'c-1', text: 'hi', resend: true});
  await ann.request({op: 'send', room: 'open', cid: 'c-1', text: 'another'});
  await ann.request({op: 'history', room: 'open', limit: 1});
  await ann.request({op: 'history', room: 'open', after: 0});
  await ann.request({op: 'who', room: 'open'});
  await ann.request({op: 'ping'});
  await ann.request({op: 'nothing'});

  const bob = await open(node.client, {user: 'bob'});
  await bob.request({op: 'join', room: 'open'});
  assert.equal((await ann.next('presence')).state, 'online');
  bob.send({op: 'typing', room: 'open'});
  await ann.next('typing');
  await api('DELETE', '/team/members/ann');
  assert.equal((await ann.next('left')).reason, 'removed');
  await ann.request({op: 'leave', room: 'open'});

  await open(node.client, {user: 'ann', resume: {open: 1, team: 1}});

  const eve = await open(tokenNode.client, {token: tokenNode.token('eve')});
  await eve.request({op: 'refresh', token: tokenNode.token('eve')});
  for (let rid = 0; rid < 10; ++rid) eve.send({op: 'ping', rid});
  assert.equal((await eve.next('error')).code, 'rate_limited');

  await node.stop();
  await Promise.all(clients.slice(0, -1).map((client) => client.close()));
  await eve.cut();
  return clients.flatMap((client) => client.received);
}

describe('what nodes send', TIMEOUT, () => {
  // Only after losses that can't be had at will; its fields are compared in ws/asyncapi_doc_test.cc.
  const NOT_HERE = ['gap'];
  let node;
  let tokenNode;
  let frames;
  before(async () => {
    node = await ChatNode.start({'rooms.open': 'open*'}, {'api.keys_file': API_KEY});
    tokenNode = await ChatNode.start({'auth.insecure': false, 'limits.messages_per_s': 2},
                                     {'auth.secret_file': SECRET});
    frames = await framesOfAll(node, tokenNode);
  });
  after(() => Promise.all([node?.remove(), tokenNode?.remove()]));

  // The messages of the document that the frame may be.
  const kindsOf = (frame) =>
      Object.keys(FROM_NODES).filter((name) => check.strict(FROM_NODES[name], frame) === null);

  test('is one message of the document, each frame', () => {
    for (const frame of frames) {
      const wrong = Object.entries(FROM_NODES).map(([name, ref]) => [name, check.strict(ref, frame)]);
      assert.equal(kindsOf(frame).length, 1, JSON.stringify({frame, wrong}, null, 1));
    }
  });

  test('is every message of the document, with every field', () => {
    const seen = new Set();
    for (const frame of frames) {
      const [kind] = kindsOf(frame);
      for (const field of Object.keys(frame)) seen.add(`${kind}.${field}`);
    }
    const documented = Object.entries(FROM_NODES)
        .filter(([name]) => !NOT_HERE.includes(name))
        .flatMap(([name, ref]) =>
          Object.keys(follow(document, ref).properties).map((field) => `${name}.${field}`));
    assert.deepEqual([...seen].sort(), documented.sort());
  });
});

// What a client of a node that wants tokens sends, a hello as its first frame, others when it has
// joined "r". The document and the node must agree on whether it is right.
const R = 'r'.repeat(64);
const MAX = Number.MAX_SAFE_INTEGER;
const TOKEN = '<token>';  // stands for a valid one
const GOOD = [
  {op: 'hello', token: TOKEN},
  {op: 'hello', token: TOKEN, user: 'ann', rid: 0},
  {op: 'hello', token: TOKEN, resume: {r: 0}},
  {op: 'refresh', token: TOKEN},
  {op: 'join', room: R},
  {op: 'join', room: 'A-Z.a_z:0@9', since: 0},
  {op: 'join', room: 'r', since: MAX},
  {op: 'join', room: 'r', unknown: 'is ignored'},
  {op: 'leave', room: 'left'},
  {op: 'send', room: 'r', cid: 'text', text: 't'.repeat(4096)},
  {op: 'send', room: 'r', cid: 'empty', text: ''},
  {op: 'send', room: 'r', cid: 'null', data: null},
  {op: 'send', room: 'r', cid: 'resend', data: {a: []}, resend: true},
  {op: 'history', room: 'r'},
  {op: 'history', room: 'r', limit: 1, before: MAX},
  {op: 'history', room: 'r', limit: 200, after: 0},
  {op: 'who', room: 'r'},
  {op: 'who', room: 'r', limit: 1, after: R},
  {op: 'who', room: 'r', limit: 200},
  {op: 'typing', room: 'r'},
  {op: 'ping', rid: 'r'.repeat(64)},
  {op: 'ping', rid: -MAX},
];
const BAD = [
  {op: 'join'},
  {op: 'join', room: ''},
  {op: 'join', room: `${R}r`},
  {op: 'join', room: 'a b'},
  {op: 'join', room: 1},
  {op: 'join', room: 'r', since: -1},
  {op: 'join', room: 'r', since: 0.5},
  {op: 'join', room: 'r', since: MAX + 1},
  {op: 'join', room: 'r', since: '1'},
  {op: 'leave', room: null},
  {op: 'send', room: 'r', text: 'no cid'},
  {op: 'send', room: 'r', cid: 'c'},
  {op: 'send', room: 'r', cid: 'c', text: 't', data: 1},
  {op: 'send', room: 'r', cid: 'c', text: 1},
  {op: 'send', room: 'r', cid: 'c', text: 't'.repeat(4097)},
  {op: 'send', room: 'r', cid: 'c', text: 't', resend: 1},
  {op: 'send', cid: 'c', text: 'no room'},
  {op: 'history', room: 'r', limit: 0},
  {op: 'history', room: 'r', limit: 201},
  {op: 'history', room: 'r', before: 1, after: 1},
  {op: 'who'},
  {op: 'who', room: 'r', limit: 0},
  {op: 'who', room: 'r', limit: 201},
  {op: 'who', room: 'r', after: 'a b'},
  {op: 'typing'},
  {op: 'refresh'},
  {op: 'refresh', token: 't'.repeat(4097)},
  {op: 'ping', rid: 'r'.repeat(65)},
  {op: 'ping', rid: 0.5},
  {op: 'ping', rid: MAX + 1},
  {op: 'ping', rid: null},
  {op: 'hello', token: 't'.repeat(4097)},
  {op: 'hello', token: TOKEN, user: 'a b'},
  {op: 'hello', token: TOKEN, resume: {'a b': 1}},
  {op: 'hello', token: TOKEN, resume: {r: -1}},
  {op: 'hello', token: TOKEN, resume: []},
  {op: 'nothing'},
  {op: 1},
  {},
];

describe('what clients send', TIMEOUT, () => {
  let node;
  let token;
  before(async () => {
    node = await ChatNode.start({'auth.insecure': false}, {'auth.secret_file': SECRET});
    token = node.token('ann');
  });
  after(() => node?.remove());

  const isDocumented = (frame) =>
      Object.values(FROM_CLIENTS).some((ref) => check.open(ref, frame) === null);

  async function open(frame) {
    if (frame.op !== 'hello') return ChatClient.openIn(node.client, {token}, 'r');
    const client = new ChatClient(node.client);
    await client.opened;
    return client;
  }

  // A ping behind it is answered when nothing is said of the frame itself; refusals come in order.
  async function isTaken(frame) {
    const client = await open(frame);
    client.socket.send(JSON.stringify(frame).replace(TOKEN, token));
    client.send({op: 'ping'});
    const {code} = await client.nextAnswer();
    await client.cut();
    return !['bad_request', 'too_large'].includes(code);
  }

  for (const [frames, good] of [[GOOD, true], [BAD, false]]) {
    for (const frame of frames) {
      const name = JSON.stringify(frame).slice(0, 70);
      test(`${name} is ${good ? 'right' : 'wrong'}`, async () => {
        assert.equal(isDocumented(frame), good, 'by the document');
        assert.equal(await isTaken(frame), good, 'by the node');
      });
    }
  }

  test('every op and field of the document is in one of the frames', () => {
    const named = (op, fields) => [op, ...Object.keys(fields).map((field) => `${op}.${field}`)];
    const tried = new Set(GOOD.flatMap(({op, ...fields}) => named(op, fields)));
    for (const ref of Object.values(FROM_CLIENTS)) {
      const {op, rid, ...fields} = follow(document, ref).properties;
      assert.deepEqual(named(op.const, fields).filter((name) => !tried.has(name)), []);
    }
  });
});
