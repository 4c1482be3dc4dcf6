// The page at / in Chromium: on a cluster, and on one node in memory.

import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';

import {ChatWindow} from './support/browser.js';
import {ChatClient} from './support/chat_client.js';
import {Cluster} from './support/cluster.js';
import {Gate} from './support/gate.js';
import {ChatNode} from './support/node.js';

const TIMEOUT = {timeout: 120_000};
// Chromium's own line for a node that is away.
const CONNECTION_FAILED = /WebSocket connection to '.*' failed/;

// A test that opens windows with `open(address, hash)`; closes them, and leaves pictures of them
// when it fails.
function windowTest(name, run) {
  test(name, TIMEOUT, async () => {
    const windows = [];
    const open = async (address, hash) => {
      windows.push(await ChatWindow.open(address, hash));
      return windows.at(-1);
    };
    try {
      await run(open);
    } catch (error) {
      for (const [i, window] of windows.entries()) {
        const taken = window.takePicture(`${name} ${i + 1}`);
        console.error('picture:', await taken.catch((trouble) => trouble.message));
      }
      throw error;
    } finally {
      await Promise.all(windows.map((window) => window.close()));
    }
  });
}

// All windows show the same messages, with these texts, in the order of their numbers.
async function expectSame(windows, texts) {
  const [first, ...others] = await Promise.all(windows.map((window) => window.messages()));
  const seqs = first.map(({seq}) => seq);
  assert.deepEqual(first.map(({text}) => text), texts);
  assert.deepEqual(seqs, [...seqs].sort((a, b) => a - b));
  const plain = ({from, text, seq}) => ({from, text, seq});
  for (const other of others) assert.deepEqual(other.map(plain), first.map(plain));
}

describe('the page on a cluster', {timeout: 300_000}, () => {
  let cluster;
  let gate;  // before n1
  const client = (name) => cluster.nodes[name].client;
  before(async () => {
    cluster = await Cluster.start();
    gate = await Gate.open(client('n1'));
  });
  after(() => {
    gate?.close();
    return cluster?.stop();
  });

  windowTest('two users on two nodes talk, in one order', async (open) => {
    const ann = await open(client('n1'));
    const bob = await open(client('n2'));
    await ann.enter('ann', 'talk');
    await bob.enter('bob', 'talk');
    await ann.seesState('ann in talk on n1');
    await bob.seesState('bob in talk on n2');

    const texts = ['hi bob', 'hi ann', 'how is n2?', 'as good as n1'];
    for (const [i, text] of texts.entries()) {
      await (i % 2 === 0 ? ann : bob).say(text);
      await Promise.all([ann.sees(text), bob.sees(text)]);
    }

    await expectSame([ann, bob], texts);
    assert.deepEqual((await ann.messages()).map(({node}) => node), Array(4).fill('n1'));
    assert.deepEqual((await bob.messages()).map(({node}) => node), Array(4).fill('n2'));
    assert.deepEqual(ann.errorsBesides(), []);
    assert.deepEqual(bob.errorsBesides(), []);
  });

  windowTest('the page shows who is here and who types', async (open) => {
    const ann = await open(client('n1'));
    const bob = await open(client('n2'));
    await ann.enter('ann', 'people');
    await ann.seesState('ann in people on n1');
    await bob.enter('bob', 'people');
    await ann.seesHere('ann, bob');
    await bob.seesHere('ann, bob');

    await bob.types('I am');
    await ann.seesTyping('bob typing');
    await bob.say('I am here');
    await ann.sees('I am here');
    await ann.seesTyping(/^$/);

    await bob.enter('bob', 'elsewhere');
    await ann.seesHere(/: ann$/);
    assert.deepEqual(ann.errorsBesides(), []);
    assert.deepEqual(bob.errorsBesides(), []);
  });

  windowTest('a socket that is cut comes back by itself, and nothing is missing', async (open) => {
    const ann = await open(gate.address);
    const bob = await open(client('n2'));
    await ann.enter('ann', 'cut');
    await bob.enter('bob', 'cut');
    await ann.seesState('ann in cut on n1');
    await bob.seesState('bob in cut on n2');
    await bob.say('before');
    await ann.sees('before');

    gate.cut();
    await bob.say('meanwhile');
    await ann.sees('meanwhile');
    await ann.say('back again');
    await bob.sees('back again');

    await ann.seesState('ann in cut on n1');
    await expectSame([ann, bob], ['before', 'meanwhile', 'back again']);
    assert.deepEqual(ann.errorsBesides(CONNECTION_FAILED), []);
  });

  windowTest('a node that restarts: what was said meanwhile comes, what was written is sent',
             async (open) => {
    const ann = await open(client('n3'));
    const bob = await open(client('n2'));
    await ann.enter('ann', 'restart');
    await bob.enter('bob', 'restart');
    await ann.seesState('ann in restart on n3');
    await bob.seesState('bob in restart on n2');
    await ann.say('before');
    await bob.sees('before');

    await cluster.stopNode('n3');
    await ann.seesState('connecting');
    await bob.say('said meanwhile');
    await bob.sees('said meanwhile');
    await ann.say('written meanwhile');
    await cluster.startNode('n3');

    await Promise.all([ann.sees('written meanwhile'), bob.sees('written meanwhile')]);
    await ann.sees('said meanwhile');
    await expectSame([ann, bob], ['before', 'said meanwhile', 'written meanwhile']);
    assert.deepEqual(ann.errorsBesides(CONNECTION_FAILED), []);
    assert.deepEqual(bob.errorsBesides(), []);
  });
});

describe('the page on one node', {timeout: 300_000}, () => {
  let node;
  before(async () => { node = await ChatNode.start(); });
  after(() => node?.remove());

  windowTest('what others write is shown as text, never as HTML', async (open) => {
    const html = '<img src="/healthz" onerror="console.error(1)"><b>bold</b>';
    const ann = await open(node.client);
    await ann.enter('ann', 'html');
    await ann.seesState('ann in html');

    await ann.say(html);
    await ann.sees('bold');

    assert.equal((await ann.messages())[0].text, html);
    assert.equal(await ann.page.locator('img').count(), 0);
    assert.deepEqual(ann.errorsBesides(), []);
  });

  windowTest('older messages come page by page', async (open) => {
    const texts = Array.from({length: 60}, (_, i) => `message ${i + 1}.`);
    const bob = await ChatClient.openIn(node.client, {user: 'bob'}, 'older');
    for (const text of texts) await bob.say('older', text);
    await bob.cut();
    const ann = await open(node.client);

    await ann.enter('ann', 'older');
    await ann.sees('message 60.');
    await ann.page.getByRole('button', {name: 'Older messages'}).click();
    await ann.sees('message 1.');

    await expectSame([ann], texts);
    assert.deepEqual(ann.errorsBesides(), []);
  });

  windowTest('everything can be done with the keyboard', async (open) => {
    const ann = await open(node.client);
    await ann.page.getByLabel('Name').focus();
    await ann.page.keyboard.type('ann');
    await ann.page.keyboard.press('Enter');
    await ann.seesState('ann in general');

    await ann.page.keyboard.type('typed');
    await ann.page.keyboard.press('Enter');

    await ann.sees('typed');
    assert.deepEqual(ann.errorsBesides(), []);
  });

  windowTest('who is kicked stays away', async (open) => {
    const ann = await open(node.client);
    await ann.enter('ann', 'kick');
    await ann.seesState('ann in kick');

    await fetch(`http://${node.admin}/admin/v1/users/ann/sessions`, {method: 'DELETE'});

    await ann.seesState('closed (4006 kicked)');
    assert.deepEqual(ann.errorsBesides(), []);
  });
});

describe('the page where tokens are wanted', {timeout: 300_000}, () => {
  let node;
  before(async () => {
    node = await ChatNode.start({'auth.insecure': false},
                                {'auth.secret_file': 'the-secret-of-this-test-long-enough'});
  });
  after(() => node?.remove());

  windowTest('a token in the address is used, and taken out of it', async (open) => {
    const ann = await open(node.client, `#room=team&token=${node.token('ann')}`);
    assert.doesNotMatch(ann.page.url(), /token/);

    await ann.page.getByRole('button', {name: 'Join'}).click();

    await ann.seesState('ann in team');
    assert.deepEqual(ann.errorsBesides(), []);
  });

  windowTest('a bad token: the page says so and does not come back', async (open) => {
    const ann = await open(node.client);
    await ann.page.getByLabel('Token').fill('forged');
    await ann.enter('ann', 'team');

    await ann.seesAlert('unauthorized');
    await ann.seesState('closed (4001 bad_hello)');
  });
});
