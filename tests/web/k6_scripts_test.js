// The unmodified k6 scripts on a cluster of real nodes, in a short form: exact when all is well,
// and a failure when somebody in between drops, repeats, swaps, alters or invents.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';

import {Cluster} from './support/cluster.js';
import {copyScripts, crossed, runScript, SCRIPTS} from './support/k6.js';
import {LyingProxy} from './support/lying_proxy.js';

const PARALLEL = {concurrency: 8, timeout: 240_000};
const MEMBERS = 6;
const TALKERS = 2;
const NTH = 10;  // the message that is lied about
const SHORT = {
  MEMBERS,
  TALKERS,
  RATE: 20,
  CONNECT: '3s',
  DURATION: '3s',
  DRAIN: '10s',
  P95_MS: 5000,  // the machine is busy with tests
  SPIKE_P95_MS: 5000,
};

const count = (result, name) => result.metrics[name].values.count;

describe('the k6 scripts on a cluster', PARALLEL, () => {
  let cluster;
  before(async () => { cluster = await Cluster.start(); });
  after(() => cluster.stop());

  const nodes = () => Object.values(cluster.nodes).map(({client}) => client);
  const run = (name, env) => runScript(
      join(SCRIPTS, `${name}.js`), {...SHORT, NODES: nodes().join(','), ...env});

  // Runs a script where the members at the first node see what `lie` makes of it.
  async function runBehind(lie, env = {}, name = 'room') {
    const [first, ...others] = nodes();
    const proxy = await LyingProxy.open(first, lie);
    const result = await run(name, {NODES: [proxy.address, ...others].join(','), ...env});
    proxy.close();
    return result;
  }

  // The NTH message of the node, of all that pass, becomes what `make` says.
  function once(make) {
    let seen = 0;
    return {down: (frame) => frame.op === 'message' && ++seen === NTH ? make(frame) : [frame]};
  }

  // The NTH message comes behind the next one of the same connection.
  function swap() {
    let seen = 0;
    let held = null;  // {frame, connection}
    return {down: (frame, connection) => {
      if (frame.op !== 'message') return [frame];
      if (++seen === NTH) {
        held = {frame, connection};
        return [];
      }
      if (held?.connection !== connection) return [frame];
      const late = held.frame;
      held = null;
      return [frame, late];
    }};
  }

  // From the NTH message on, its connection brings nothing more.
  function silence() {
    let seen = 0;
    let silent = null;
    return {down: (frame, connection) => {
      if (frame.op === 'message' && ++seen === NTH) silent = connection;
      return silent === connection ? [] : [frame];
    }};
  }

  // The node never gets the NTH send, and the talker an ack.
  function acknowledge() {
    let seen = 0;
    return {up: ({op, rid, room}) => op === 'send' && ++seen === NTH
        ? {op: 'ack', rid, room, id: 'no-such-id', seq: 1, ts: 1, duplicate: false}
        : null};
  }

  test('a script that forgets its sockets is interrupted, and fails', async () => {
    const {folder, remove} = copyScripts(
        'lib/client.js', (text) => text.replace('this.#socket.close(NORMAL);', ';'));
    const result = await runScript(join(folder, 'room.js'), {
      ...SHORT, NODES: nodes().join(','), DURATION: '1s', DRAIN: '2s',
    });
    remove();

    assert.equal(result.exit, 99, result.text);
    assert.deepEqual([result.complete, result.interrupted], [0, MEMBERS]);
    assert.deepEqual(crossed(result), {
      [`chat_accounted count==${MEMBERS}`]: 0,
      'chat_failures count==0': MEMBERS,
    });
  });

  test('the guard ends what a script has forgotten', async () => {
    const {folder, remove} = copyScripts(
        'lib/member.js', (text) => text.replace(/await this.#client\?.close\(\).*/, ''));
    const result = await runScript(join(folder, 'room.js'), {
      ...SHORT, NODES: nodes().join(','), DURATION: '1s', DRAIN: '2s',
    });
    remove();

    assert.deepEqual([result.complete, result.interrupted], [MEMBERS, 0], result.text);
    assert.ok(result.metrics.iteration_duration.values.max > 10_000, 'nothing was forgotten');
  });

  test('a message that one who came later did not get is found in the history', async () => {
    let connections = 0;
    const counts = new Map();  // messages, by connection, in the order of their first one
    const lie = {down: (frame, connection) => {
      if (frame.op !== 'message') return [frame];
      if (!counts.has(connection)) counts.set(connection, {place: ++connections, messages: 0});
      const count = counts.get(connection);
      // The first is the talker's, who is there from the beginning.
      return ++count.messages === NTH && count.place === 2 ? [] : [frame];
    }};
    const result = await runBehind(lie, {RAMP: '1s'}, 'ramp');

    assert.equal(result.exit, 99, result.text);
    assert.deepEqual(crossed(result), {'chat_lost count==0': 1});
  });

  test('a last message that one did not get is found, and who waits for it gives up', async () => {
    let dropped = false;
    const lie = {down: (frame) => {
      if (dropped || !frame.text?.startsWith('done')) return [frame];
      dropped = true;
      return [];
    }};
    const result = await runBehind(lie, {DRAIN: '2s'});

    assert.equal(result.exit, 99, result.text);
    assert.deepEqual(crossed(result), {
      [`chat_accounted count==${MEMBERS}`]: MEMBERS - 1,
      'chat_failures count==0': 1,
      'chat_lost count==0': 1,
    });
  });

  test('a connection that falls silent ends with the run, and fails it', async () => {
    const result = await runBehind(silence(), {DRAIN: '2s'});

    assert.equal(result.exit, 99, result.text);
    assert.deepEqual([result.complete, result.interrupted], [MEMBERS, 0]);
    const {'chat_failures count==0': failures, [`chat_accounted count==${MEMBERS}`]: accounted} =
        crossed(result);
    assert.ok(failures > 0, result.text);
    assert.equal(accounted, MEMBERS - failures);
  });

  const scripts = {
    room: {ROOMS: 2},
    ramp: {RAMP: '1500ms'},
    churn: {STAY: '500ms', AWAY: '200ms'},
    spike: {CROWD: 8},
    soak: {RENEW: '1s'},
  };
  for (const [name, env] of Object.entries(scripts)) {
    test(`${name} is exact`, async () => {
      const result = await run(name, env);

      assert.equal(result.exit, 0, result.text);
      assert.deepEqual(crossed(result), {});
      const members = MEMBERS * (env.ROOMS ?? 1) + (env.CROWD ?? 0);
      assert.deepEqual([result.complete, result.interrupted], [members, 0]);
      assert.equal(count(result, 'chat_acked'), count(result, 'chat_sent'));
      if (name === 'ramp' || name === 'spike') return;  // some were not there all the time
      assert.equal(count(result, 'chat_received'), count(result, 'chat_acked') * MEMBERS);
      assert.equal(count(result, 'chat_expected'), count(result, 'chat_received'));
    });
  }

  const lies = {
    'a dropped message': [once(() => []), {'chat_lost count==0': 1}],
    'a repeated message': [once((frame) => [frame, frame]), {'chat_repeated count==0': 1}],
    'a message behind the next one': [swap(), {'chat_misordered count==0': 1}],
    'an altered text': [once((frame) => [{...frame, text: 'altered'}]),
                        {'chat_lost count==0': 1, 'chat_wrong count==0': 1}],
    'an ack of what was never stored': [acknowledge(), {'chat_lost count==0': MEMBERS}],
  };
  for (const [name, [lie, found]] of Object.entries(lies)) {
    test(`${name} is found`, async () => {
      const result = await runBehind(lie);

      assert.equal(result.exit, 99, result.text);
      assert.deepEqual(crossed(result), found);
      assert.deepEqual([result.complete, result.interrupted], [MEMBERS, 0]);
    });
  }

  test('a node that is not there fails the run', async () => {
    const [first, ...others] = nodes();
    const proxy = await LyingProxy.open(first, {});
    proxy.close();
    const result = await run('room', {NODES: [proxy.address, ...others].join(','), DRAIN: '1s'});

    assert.equal(result.exit, 99, result.text);
    assert.equal(result.interrupted, 0);
    assert.ok(crossed(result)['chat_failures count==0'] > 0, result.text);
  });
});
