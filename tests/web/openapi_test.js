// docs/openapi.yaml: a valid document, and one that nodes keep to.

import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';

import {Validator} from '@seriousme/openapi-schema-validator';
import {Ajv2020} from 'ajv/dist/2020.js';
import {WebSocket} from 'ws';

import {ChatClient} from './support/chat_client.js';
import {follow, makeCheckers, readDocument} from './support/documents.js';
import {ChatNode} from './support/node.js';
import {within} from './support/wait.js';

const TIMEOUT = {timeout: 240_000};
const API_KEY = '0123456789abcdef';
const ADMIN_KEY = 'fedcba9876543210';
const {document} = readDocument('openapi.yaml');
const check = makeCheckers(Ajv2020, document);

// By operationId: {path, method, pointer, operation, on: 'client' | 'admin'}.
const OPERATIONS = {};
for (const [path, item] of Object.entries(document.paths)) {
  const on = (item.servers ?? document.servers)[0].description.startsWith('The admin')
    ? 'admin' : 'client';
  for (const method of ['get', 'put', 'post', 'delete']) {
    if (item[method] === undefined) continue;
    const pointer = `#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`;
    OPERATIONS[item[method].operationId] = {path, method, pointer, on, operation: item[method]};
  }
}

// What stands at a pointer, behind its $ref if that is what stands there; with its own pointer.
function resolve(pointer) {
  const value = follow(document, pointer);
  return value?.$ref ? {pointer: value.$ref, value: follow(document, value.$ref)}
                     : {pointer, value};
}

// Ajv reads pointers as URIs.
const uri = (pointer) => pointer.replaceAll('{', '%7B').replaceAll('}', '%7D');

describe('the document', TIMEOUT, () => {
  const isValid = async (candidate) => (await new Validator().validate(candidate)).valid;

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const {valid, errors} = await validator.validate(structuredClone(document));
    assert.deepEqual({valid, errors}, {valid: true, errors: undefined});
    assert.equal(validator.version, '3.1');
    validator.resolveRefs();
  });

  test('would not be with a fault', async () => {
    const faulty = structuredClone(document);
    delete faulty.paths['/healthz'].get.responses;
    faulty.paths['/healthz'].get.response = {};
    assert.equal(await isValid(faulty), false);
  });
});

const seen = new Set();  // "operationId status"

// The answer has a documented status, type, headers and form.
async function expectDocumented(id, answer) {
  const {pointer, value} = resolve(`${OPERATIONS[id].pointer}/responses/${answer.status}`);
  const body = await answer.text();
  assert.ok(value, `${id}: ${answer.status} is not in the document: ${body}`);
  seen.add(`${id} ${answer.status}`);
  for (const [name, {schema}] of Object.entries(value.headers ?? {})) {
    const header = answer.headers.get(name);
    assert.ok(header, `${id} ${answer.status}: no header ${name}`);
    if (schema.const !== undefined) assert.equal(header, schema.const);
  }
  const type = answer.headers.get('content-type');
  assert.ok(value.content?.[type], `${id} ${answer.status}: ${type} is not in the document`);
  if (type !== 'application/json') return body;
  const schema = uri(`${pointer}/content/application~1json/schema`);
  assert.equal(check.strict(schema, JSON.parse(body)), null, `${id} ${answer.status}: ${body}`);
  return JSON.parse(body);
}

describe('what nodes answer', TIMEOUT, () => {
  const keys = {'api.keys_file': API_KEY, 'admin.key_file': ADMIN_KEY};
  let node;
  let lonely;  // has none of its back ends
  let ann;
  before(async () => {
    node = await ChatNode.start({'rooms.open': 'open*'}, keys);
    ann = await ChatClient.open(node.client, {user: 'ann'});
    lonely = new ChatNode({'rooms.open': 'open*',
                           'directory': 'redis://127.0.0.1:1',
                           'log': 'kafka://127.0.0.1:1',
                           'store': 'postgresql://minichat@127.0.0.1:1/minichat'}, keys);
    await lonely.startListening();
  });
  after(() => Promise.all([node?.remove(), lonely?.remove()]));

  // Asks, and checks the answer by the document, and the request as well: where the node says 400
  // or 413 because of the body, the document must say so too.
  async function ask(id, {path = {}, query = {}, body, key, origin, status}, whom = node) {
    const {method, on, path: pattern, operation, pointer} = OPERATIONS[id];
    const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name]));
    const given = key ?? (pattern.startsWith('/api') ? API_KEY : ADMIN_KEY);
    const answer = await fetch(`http://${whom[on]}${filled}?${new URLSearchParams(query)}`, {
      method: method.toUpperCase(),
      headers: {Authorization: `Bearer ${given}`, ...(origin && {Origin: origin})},
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    assert.equal(answer.status, status, `${id} ${JSON.stringify({path, query, body})}`);
    if (operation.requestBody && status !== 401 && body !== undefined) {
      const schema = uri(`${pointer}/requestBody/content/application~1json/schema`);
      assert.equal(check.open(schema, body) === null, status !== 400 && status !== 413,
                   `${id}: ${JSON.stringify(body).slice(0, 200)}`);
    }
    return expectDocumented(id, answer);
  }

  const room = 'team';
  const PAGE = 'http://page.example';
  const many = Array.from({length: 1001}, (_, i) => `u${i}`);
  // In this order. `query` and `path` are as good or as bad as the status says.
  const QUESTIONS = {
    getPage: [{status: 200}],
    getScript: [{status: 200}],
    getStyle: [{status: 200}],
    getLabPage: [{status: 200}],
    getLabScript: [{status: 200}],
    getLabCharts: [{status: 200}],
    getLabStyle: [{status: 200}],
    openWebSocket: [{status: 426}],
    createRoom: [
      {body: {room, members: ['ann', 'bob']}, status: 201},
      {body: {room}, status: 200},
      {body: {room: 'large', members: many.slice(1)}, status: 201},
      {body: {room: 'larger', members: many}, status: 400},
      {body: {}, status: 400},
      {body: {room: 'a b'}, status: 400},
      {body: {room, members: 'ann'}, status: 400},
      {body: {room, members: ['a b']}, status: 400},
      {body: {room, unknown: 1}, status: 400},
      {body: [], status: 400},
      {body: {room}, key: 'wrong', status: 401},
      {body: {room, padding: ' '.repeat(65_536)}, status: 413},
    ],
    listMembers: [
      {path: {room}, status: 200},
      {path: {room}, query: {limit: 1}, status: 200},
      {path: {room}, query: {limit: 1000, after: 'ann'}, status: 200},
      {path: {room}, query: {limit: 1001}, status: 400},
      {path: {room}, query: {limit: 0}, status: 400},
      {path: {room}, query: {after: 'a b'}, status: 400},
      {path: {room}, query: {unknown: 1}, status: 400},
      {path: {room: 'a b'}, status: 400},
      {path: {room}, key: 'wrong', status: 401},
      {path: {room: 'missing'}, status: 404},
    ],
    addMember: [
      {path: {room, user: 'eve'}, status: 200},
      {path: {room, user: 'eve'}, status: 200},
      {path: {room, user: 'e v e'}, status: 400},
      {path: {room: 'open1', user: 'eve'}, status: 400},
      {path: {room, user: 'eve'}, key: 'wrong', status: 401},
      {path: {room: 'missing', user: 'eve'}, status: 404},
    ],
    removeMember: [
      {path: {room, user: 'eve'}, status: 200},
      {path: {room, user: 'e v e'}, status: 400},
      {path: {room, user: 'eve'}, key: 'wrong', status: 401},
      {path: {room: 'missing', user: 'eve'}, status: 404},
    ],
    publish: [
      {path: {room}, body: {from: 'robot', cid: 'c-1', text: 'hi'}, status: 200},
      {path: {room}, body: {from: 'robot', cid: 'c-1', text: 'hi', resend: true}, status: 200},
      {path: {room}, body: {from: 'robot', cid: 'c-2', data: {a: [1]}}, status: 200},
      {path: {room}, body: {from: 'robot', cid: 'c-3', text: 't'.repeat(4096)}, status: 200},
      {path: {room}, body: {from: 'robot', text: 'hi'}, status: 400},
      {path: {room}, body: {cid: 'c', text: 'hi'}, status: 400},
      {path: {room}, body: {from: 'robot', cid: 'c'}, status: 400},
      {path: {room}, body: {from: 'robot', cid: 'c', text: 'hi', data: 1}, status: 400},
      {path: {room}, body: {from: 'robot', cid: 'c', text: 'hi', resend: 1}, status: 400},
      {path: {room}, body: {from: 'robot', cid: 'c', text: 'hi', unknown: 1}, status: 400},
      {path: {room}, body: {from: 'robot', cid: 'c', text: 'hi'}, key: 'wrong', status: 401},
      {path: {room: 'missing'}, body: {from: 'robot', cid: 'c', text: 'hi'}, status: 404},
      {path: {room}, body: {from: 'robot', cid: 'c-1', text: 'another'}, status: 409},
      {path: {room}, body: {from: 'robot', cid: 'c', text: 't'.repeat(4097)}, status: 413},
    ],
    readHistory: [
      {path: {room}, status: 200},
      {path: {room}, query: {limit: 1, before: Number.MAX_SAFE_INTEGER}, status: 200},
      {path: {room}, query: {limit: 200, after: 0}, status: 200},
      {path: {room}, query: {limit: 201}, status: 400},
      {path: {room}, query: {before: -1}, status: 400},
      {path: {room}, query: {after: 1.5}, status: 400},
      {path: {room}, query: {before: 1, after: 1}, status: 400},
      {path: {room}, query: {unknown: 1}, status: 400},
      {path: {room}, key: 'wrong', status: 401},
      {path: {room: 'missing'}, status: 404},
    ],
    getHealth: [{status: 200}],
    getReadiness: [{status: 200}],
    getMetrics: [{status: 200}],
    getStatus: [{status: 200}, {key: 'wrong', status: 401}],
    getRelayMode: [{status: 200}, {key: 'wrong', status: 401}],
    setRelayMode: [
      ...['bulk', 'single', 'stream', null].map((mode) => ({body: {mode}, status: 200})),
      {body: {mode: 'other'}, status: 400},
      {body: {}, status: 400},
      {body: {mode: 'bulk', unknown: 1}, status: 400},
      {body: {mode: 'bulk'}, key: 'wrong', status: 401},
      {body: {mode: 'bulk'}, origin: PAGE, status: 403},
    ],
    listSessions: [
      {status: 200},
      {query: {user: 'ann'}, status: 200},
      {query: {user: 'a b'}, status: 400},
      {query: {unknown: 1}, status: 400},
      {key: 'wrong', status: 401},
    ],
    kickSession: [
      {path: {session: 'none'}, status: 200},
      {path: {session: 'a b'}, status: 400},
      {path: {session: 'none'}, key: 'wrong', status: 401},
      {path: {session: 'none'}, origin: PAGE, status: 403},
    ],
    kickUser: [
      {path: {user: 'none'}, status: 200},
      {path: {user: 'a b'}, status: 400},
      {path: {user: 'none'}, key: 'wrong', status: 401},
      {path: {user: 'none'}, origin: PAGE, status: 403},
    ],
    revokeTokens: [
      {path: {user: 'none'}, status: 200},
      {path: {user: 'a b'}, status: 400},
      {path: {user: 'none'}, key: 'wrong', status: 401},
      {path: {user: 'none'}, origin: PAGE, status: 403},
    ],
  };
  for (const [id, questions] of Object.entries(QUESTIONS)) {
    test(`to ${id}`, async () => {
      for (const question of questions) await ask(id, question);
    });
  }

  // How the node answers a handshake that it refuses.
  async function refusalOf(socket) {
    const refused = new Promise((resolve) => {
      socket.once('unexpected-response', (_, message) => resolve(message));
    });
    const message = await within(refused, 'the refusal');
    const body = await message.setEncoding('utf8').toArray();
    return new Response(body.join(''), {status: message.statusCode, headers: message.headers});
  }

  test('to openWebSocket with a handshake', async () => {
    assert.equal(ann.socket.protocol, 'minichat.v1.json');
    seen.add('openWebSocket 101');
    const refused = {
      400: new WebSocket(`ws://${node.client}/ws`, 'chat.v0'),
      403: new WebSocket(`ws://${node.client}/ws`, {origin: 'http://elsewhere.example'}),
    };
    for (const [status, socket] of Object.entries(refused)) {
      const answer = await refusalOf(socket);
      assert.equal(answer.status, Number(status));
      await expectDocumented('openWebSocket', answer);
    }
  });

  const LIMITS = {'limits.address_handshakes_per_s': 429, 'limits.handshakes_per_s': 503};
  for (const [limit, status] of Object.entries(LIMITS)) {
    test(`to openWebSocket above ${limit}`, async () => {
      const limited = await ChatNode.start({'limits.loopback': true, [limit]: 1});
      // Two at once are allowed.
      const sockets = Array.from({length: 10}, () => new WebSocket(`ws://${limited.client}/ws`));
      const answer = await Promise.race(sockets.map(refusalOf));
      assert.equal(answer.status, status);
      await expectDocumented('openWebSocket', answer);
      for (const socket of sockets) socket.on('error', () => {}).terminate();
      await limited.remove();
    });
  }

  const AWAY = {
    createRoom: {body: {room}},
    listMembers: {path: {room}},
    addMember: {path: {room, user: 'eve'}},
    removeMember: {path: {room, user: 'eve'}},
    publish: {path: {room}, body: {from: 'robot', cid: 'c', text: 'hi'}},
    readHistory: {path: {room}},
    getReadiness: {},
    setRelayMode: {body: {mode: 'bulk'}},
    kickSession: {path: {session: 'none'}},
    kickUser: {path: {user: 'none'}},
    revokeTokens: {path: {user: 'none'}},
  };
  for (const [id, question] of Object.entries(AWAY)) {
    test(`to ${id} without back ends`, () => ask(id, {...question, status: 503}, lonely));
  }

  // What is required is checked on each answer, so nothing that the document has is left out.
  test('have every field that the document has', () => {
    const {CreateRoom, Publish, ...schemas} = document.components.schemas;
    for (const [name, {properties = {}, required = [], oneOf = []}] of Object.entries(schemas)) {
      const sure = [...required, ...oneOf.flatMap((choice) => choice.required ?? [])];
      assert.deepEqual(Object.keys(properties).filter((field) => !sure.includes(field)), [], name);
    }
  });

  test('are all that the document has, but for a log that does not answer', () => {
    const documented = Object.entries(OPERATIONS).flatMap(
        ([id, {operation}]) => Object.keys(operation.responses).map((status) => `${id} ${status}`));
    const unseen = documented.filter((answer) => !seen.has(answer));
    assert.deepEqual(unseen, ['publish 504']);
  });
});
