// A second implementation as client: the npm package ws.

import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';

import {WebSocket} from 'ws';

import {ChatClient, SUBPROTOCOL} from './support/chat_client.js';
import {ChatNode} from './support/node.js';
import {within} from './support/wait.js';

const TIMEOUT = {timeout: 240_000};
const SECRET = 'the-secret-of-this-test-long-enough';

describe('with ws, where names are believed', TIMEOUT, () => {
  let node;
  before(async () => { node = await ChatNode.start(); });
  after(() => node.remove());

  test('two join, one sends, both get the messages in order', async () => {
    const ann = await ChatClient.openIn(node.client, {user: 'ann'}, 'order');
    const bob = await ChatClient.openIn(node.client, {user: 'bob'}, 'order');
    const seqs = [];

    for (const text of ['one', 'two', 'three']) seqs.push(await ann.say('order', text));

    for (const client of [ann, bob]) {
      for (const [i, text] of ['one', 'two', 'three'].entries()) {
        const message = await client.next('message');
        assert.deepEqual([message.seq, message.from, message.text], [seqs[i], 'ann', text]);
      }
    }
    await Promise.all([ann.cut(), bob.cut()]);
  });

  test('a message in fragments is one message', async () => {
    const ann = await ChatClient.openIn(node.client, {user: 'ann'}, 'fragments');
    const frame = JSON.stringify({op: 'send', room: 'fragments', cid: 'f', text: 'κόσμε'});

    // Not inside a character: the package takes strings.
    ann.socket.send(frame.slice(0, 10), {fin: false});
    ann.socket.ping('between');
    ann.socket.send(frame.slice(10, -4), {fin: false});
    ann.socket.send(frame.slice(-4), {fin: true});

    assert.equal((await ann.next('message')).text, 'κόσμε');
    await ann.cut();
  });

  test('a ping comes back as pong, with its payload', async () => {
    const ann = await ChatClient.open(node.client, {user: 'ann'});
    const pong = new Promise((resolve) => ann.socket.once('pong', resolve));

    ann.socket.ping('are you there?');

    assert.equal((await within(pong, 'the pong')).toString(), 'are you there?');
    await ann.cut();
  });

  test('resume after a cut connection brings what was missed, then what is new', async () => {
    const ann = await ChatClient.openIn(node.client, {user: 'ann'}, 'resume');
    let bob = await ChatClient.openIn(node.client, {user: 'bob'}, 'resume');
    await ann.say('resume', 'seen');
    const {seq} = await bob.next('message');
    await bob.cut();
    await ann.say('resume', 'missed 1');
    await ann.say('resume', 'missed 2');

    bob = await ChatClient.open(node.client, {user: 'bob', resume: {resume: seq}});
    await ann.say('resume', 'new');

    assert.equal(bob.welcome.resumed.resume.recovered, true);
    for (const text of ['missed 1', 'missed 2', 'new']) {
      assert.equal((await bob.next('message')).text, text);
    }
    assert.equal(bob.received.filter(({op}) => op === 'message').length, 3);
    await Promise.all([ann.cut(), bob.cut()]);
  });

  test('the subprotocol is agreed; a client that offers only others is refused', async () => {
    const ann = await ChatClient.open(node.client, {user: 'ann'});
    assert.equal(ann.socket.protocol, SUBPROTOCOL);
    await ann.cut();

    const other = new WebSocket(`ws://${node.client}/ws`, 'chat.v0');
    const refused = new Promise((resolve) => other.once('error', resolve));
    assert.match((await refused).message, /400/);
  });

  test('a browser\'s page from elsewhere is refused', async () => {
    const client = new ChatClient(node.client, {origin: 'http://elsewhere.example'});
    await assert.rejects(client.opened, /403/);
  });

  test('compression that is offered is not agreed', async () => {
    const ann = await ChatClient.open(node.client, {user: 'ann'}, {perMessageDeflate: true});
    assert.equal(ann.socket.extensions, '');
    await ann.cut();
  });

  const closes = {
    'a frame of more than 64 KiB': ['x'.repeat(65_537), 1009, ''],
    'a binary frame': [Buffer.from('{}'), 1003, 'binary_frame'],
  };
  for (const [name, [bytes, code, reason]] of Object.entries(closes)) {
    test(`${name} is closed with ${code}`, async () => {
      const ann = await ChatClient.open(node.client, {user: 'ann'});

      ann.socket.send(bytes);

      assert.deepEqual(await ann.close(), {code, reason});
    });
  }

  test('the client\'s own close comes back', async () => {
    const ann = await ChatClient.open(node.client, {user: 'ann'});

    ann.socket.close(4321, 'enough');

    assert.equal((await ann.close()).code, 4321);
  });

  test('a first frame that is no hello gets an error, and 4001', async () => {
    const client = new ChatClient(node.client);
    await client.opened;

    client.send({op: 'join', room: 'r'});

    assert.equal((await client.next('error')).code, 'bad_request');
    assert.deepEqual(await client.close(), {code: 4001, reason: 'bad_hello'});
  });

  test('who is kicked is closed with 4006', async () => {
    const ann = await ChatClient.open(node.client, {user: 'ann'});

    await fetch(`http://${node.admin}/admin/v1/sessions/${ann.welcome.session}`,
                {method: 'DELETE'});

    assert.deepEqual(await ann.close(), {code: 4006, reason: 'kicked'});
  });
});

describe('with ws, where tokens are wanted', TIMEOUT, () => {
  let node;
  before(async () => {
    node = await ChatNode.start({'auth.insecure': false, 'auth.leeway': '0s'},
                                {'auth.secret_file': SECRET});
  });
  after(() => node.remove());

  test('a valid token lets in, and names the user and its end', async () => {
    const ann = await ChatClient.open(node.client, {token: node.token('ann')});
    assert.equal(ann.welcome.user, 'ann');
    assert.ok(ann.welcome.expires > Date.now());
    await ann.cut();
  });

  test('a forged token is refused with 4001', async () => {
    const [header, payload] = node.token('ann').split('.');
    const client = new ChatClient(node.client);
    await client.opened;

    client.send({op: 'hello', token: `${header}.${payload}.AAAA`});

    assert.equal((await client.next('error')).code, 'unauthorized');
    assert.equal((await client.close()).code, 4001);
  });

  test('the token\'s end closes with 4004', async () => {
    const ann = await ChatClient.open(node.client, {token: node.token('ann', '3s')});

    assert.equal((await ann.next('error')).code, 'unauthorized');
    assert.deepEqual(await ann.close(), {code: 4004, reason: 'token_expired'});
  });

  test('refresh before that keeps the session', async () => {
    const ann = await ChatClient.open(node.client, {token: node.token('ann', '3s')});

    const answer = await ann.request({op: 'refresh', token: node.token('ann')});

    assert.equal(answer.op, 'refreshed');
    assert.ok(answer.expires > ann.welcome.expires);
    await ann.cut();
  });
});

test('a node that ends says bye and closes with 1012; its successor takes the client', TIMEOUT,
     async () => {
  const node = await ChatNode.start();
  const ann = await ChatClient.open(node.client, {user: 'ann'});

  assert.equal(await node.stop(), 0);

  assert.equal((await ann.next('bye')).reason, 'draining');
  assert.deepEqual(await ann.close(), {code: 1012, reason: 'draining'});
  await node.start();
  await (await ChatClient.open(node.client, {user: 'ann'})).cut();
  await node.remove();
});
