// The page /lab in Chromium: steers real load on a real cluster, and shows what comes of it.

import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';

import {ChatWindow} from './support/browser.js';
import {Cluster} from './support/cluster.js';
import {LiveLoad} from './support/live_load.js';
import {ChatNode} from './support/node.js';
import {waitFor} from './support/wait.js';

const TIMEOUT = {timeout: 180_000};
const CHANGE_MS = 30_000;
const MEMBERS = 30;  // ten on each of three nodes
const CALLS = {single: 20, bulk: 2};
// One a recipient; in bulk one for each of the sender's node, and one for each other node.
const TASKS = {single: 30, bulk: 12};
const CORE_THREADS = 30;

// The page, as its users read it.
class LabPage {
  constructor(window) {
    this.window = window;
    this.page = window.page;
  }

  static async open(admin, query) {
    return new LabPage(await ChatWindow.open(admin, `lab${query}`));
  }

  chart(title) { return this.page.getByRole('region', {name: title}); }

  // What stands above a chart: {p50: 1.2, p95: 3}; a dash is NaN.
  async now(title) {
    const entries = await this.chart(title).getByLabel('Now').locator('span').allInnerTexts();
    return Object.fromEntries(entries.map((entry) => {
      const [, name, value] = entry.match(/^(.+?) (–|[\d.]+)/);
      return [name, Number(value)];
    }));
  }

  // The bars under a chart: {single: 20, bulk: 2}.
  async bars(title) {
    const bars = await this.chart(title).getByLabel('By mode').getByRole('listitem').all();
    return Object.fromEntries(await Promise.all(bars.map(async (bar) => {
      const [name, value] = (await bar.innerText()).split('\n');
      return [name, Number.parseFloat(value)];
    })));
  }

  async figure(name) {
    const group = this.page.getByLabel('Now', {exact: true}).locator('div', {hasText: name});
    return (await group.first().locator('dd').innerText()).trim();
  }

  // Waits until a number that `read` finds is within a tenth of `wanted`.
  async sees(read, wanted, what) {
    let last;
    await waitFor(async () => {
      last = await read();
      return Math.abs(last - wanted) <= wanted / 10;
    }, what, CHANGE_MS).catch((error) => {
      throw new Error(`${error.message}: ${last} instead of ${wanted}`);
    });
  }

  async set(label, value) {
    await this.page.getByLabel(label, {exact: true}).fill(`${value}`);
    await this.page.keyboard.press('Enter');
  }

  async seesState(text) {
    await this.page.getByRole('status', {name: 'Connection'}).filter({hasText: text})
        .waitFor({timeout: CHANGE_MS});
  }
}

function labTest(name, run) {
  test(name, TIMEOUT, async () => {
    const pages = [];
    const open = async (admin, query) => {
      pages.push(await LabPage.open(admin, query));
      return pages.at(-1);
    };
    try {
      await run(open);
    } catch (error) {
      for (const {window} of pages) {
        console.error('picture:', await window.takePicture(name).catch(({message}) => message));
      }
      throw error;
    } finally {
      await Promise.all(pages.map(({window}) => window.close()));
    }
  });
}

describe('the lab page on a cluster under load', {timeout: 300_000}, () => {
  let cluster;
  let load;
  before(async () => {
    cluster = await Cluster.start({'lab.enabled': true, 'lab.profile': 'classic'});
    load = await LiveLoad.start(
        cluster.nodes, {members: MEMBERS, talkers: 5, rate: 20, 'allow-misordered': true});
  });
  after(async () => {
    await load?.stop();
    await cluster?.stop();
  });

  labTest('rate, mode and members change, and the charts with them', async (open) => {
    const lab = await open(cluster.nodes.n2.admin, `?control=${load.control}`);
    const calls = async () => (await lab.now('Relay RPCs per message'))['all nodes'];
    const tasks = async () => (await lab.now('Tasks per message'))['all nodes'];
    const deliveries = async () => Number.parseInt(await lab.figure('deliveries'), 10);
    await lab.seesState('bulk, under load');
    await lab.sees(calls, CALLS.bulk, 'RPCs per message in bulk');
    await lab.sees(tasks, TASKS.bulk, 'tasks per message in bulk');
    await lab.sees(deliveries, 20 * MEMBERS, 'deliveries a second');

    await lab.set('Messages a second', 40);
    await lab.sees(deliveries, 40 * MEMBERS, 'deliveries at twice the rate');
    const {p50, p95} = await lab.now('Latency of deliveries');
    assert.ok(p50 > 0 && p95 >= p50, `p50 ${p50}, p95 ${p95}`);
    await waitFor(async () => (await lab.bars('Relay RPCs per message')).bulk > 0, 'a bar of bulk', CHANGE_MS);

    await lab.page.getByLabel('single', {exact: true}).check();
    await lab.seesState('single, under load');
    await lab.sees(calls, CALLS.single, 'RPCs per message in single');
    await lab.sees(tasks, TASKS.single, 'tasks per message in single');
    for (const threads of Object.values(await lab.now('Executor threads of each node'))) {
      assert.ok(threads >= CORE_THREADS, `${threads} threads`);
    }
    await waitFor(async () => (await lab.bars('Relay RPCs per message')).single > 0, 'a bar of single', CHANGE_MS);
    const bars = await lab.bars('Relay RPCs per message');
    assert.ok(Math.abs(bars.single - CALLS.single) < 2 && Math.abs(bars.bulk - CALLS.bulk) < 0.2, JSON.stringify(bars));
    const cpu = await lab.bars('CPU of each node');
    assert.ok(cpu.single > cpu.bulk, `CPU: ${JSON.stringify(cpu)}`);
    assert.deepEqual(Object.keys(await lab.now('CPU of each node')), ['n1', 'n2', 'n3']);
    console.error('picture:', await lab.window.takePicture('lab page single against bulk', true));

    await lab.set('Members', 2 * MEMBERS);
    await lab.sees(deliveries, 40 * 2 * MEMBERS, 'deliveries to twice the members');
    assert.equal(await lab.figure('members here'), '60 of 60');
    await lab.page.getByRole('button', {name: 'Pause'}).click();
    await waitFor(async () => await deliveries() === 0, 'nothing while paused', CHANGE_MS);

    // The classic shape does not promise order; all else holds.
    assert.match(await lab.figure('wrong'), /^(nothing|\d+ misordered)$/);
    assert.deepEqual(lab.window.errorsBesides(), []);
    const {code, log} = await load.stop();
    assert.equal(code, 0, log);
    await lab.seesState('does not answer');
  });
});

describe('the lab page without load', {timeout: 300_000}, () => {
  let node;
  before(async () => { node = await ChatNode.start(); });
  after(() => node?.remove());

  labTest('asks for the control port, and takes loopback addresses alone', async (open) => {
    const lab = await open(node.admin, '');
    await lab.seesState('no control port');
    assert.equal(await lab.page.getByLabel('Messages a second', {exact: true}).isVisible(), false);

    await lab.page.getByLabel('Control port of minichat-load').fill('127.0.0.1:9');
    await lab.page.getByRole('button', {name: 'Connect'}).click();
    await lab.seesState('127.0.0.1:9 does not answer');
  });

  labTest('never talks to another machine', async (open) => {
    const lab = await open(node.admin, '?control=evil.example:80');

    await lab.page.getByRole('alert').filter({hasText: 'must be a loopback address'}).waitFor();
    assert.deepEqual(lab.window.errorsBesides(), []);
  });
});
