// The k6 scripts' types, and the runner of tests/k6run by itself.

import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, test} from 'node:test';

import {checkTypes, copyScripts, crossed, FIXTURES, runScript, SCRIPTS} from './support/k6.js';
import {ChatNode} from './support/node.js';

const PARALLEL = {concurrency: 3, timeout: 120_000};
const EXECUTOR = 'per-vu-iterations';

const runFixture = (name, env = {}) => runScript(join(FIXTURES, `${name}.js`), env);
const runConfigured = (options) => runFixture('configured', {OPTIONS: JSON.stringify(options)});

describe('the types of the scripts', PARALLEL, () => {
  test('are right', async () => {
    assert.deepEqual(await checkTypes(SCRIPTS), {exit: 0, text: ''});
  });

  const faults = {
    'a misspelt executor':
        ['room.js', (text) => text.replace(EXECUTOR, 'per-vu-iteration'), /per-vu-iteration"/],
    'a threshold that is no text':
        ['churn.js', (text) => text.replace(/chat_moves: \[.*\]/, 'chat_moves: [1]'), /Threshold/],
    'a function of browsers': ['lib/plan.js', (text) => `${text}fetch('http://a/');\n`, /fetch/],
    'a class of Node.js': ['lib/client.js', (text) => `${text}Buffer.from('');\n`, /Buffer/],
    'a method of later JavaScript':
        ['lib/cast.js', (text) => `${text}Object.groupBy([], String);\n`, /groupBy/],
    'a metric without a name':
        ['lib/metrics.js', (text) => text.replace("'chat_refused'", '1'), /number/],
  };
  for (const [name, [file, edit, complaint]] of Object.entries(faults)) {
    test(`${name} is found`, async () => {
      const {folder, remove} = copyScripts(file, edit);
      const {exit, text} = await checkTypes(folder);
      remove();

      assert.notEqual(exit, 0);
      assert.match(text, complaint);
      assert.ok(text.startsWith(`${file}(`), text);
    });
  }
});

describe('README.md of the scripts', () => {
  const read = (file) => readFileSync(join(SCRIPTS, file), 'utf8');
  const readme = read('README.md');
  const sources = ['.', 'lib'].flatMap((folder) => readdirSync(join(SCRIPTS, folder))
      .filter((file) => file.endsWith('.js')).map((file) => [file, read(join(folder, file))]));
  const text = sources.map(([, source]) => source).join('');
  // What the first cells of a table name: | `A`, `B` | …
  const cells = [...readme.matchAll(/^\| ([^|]+) \|/gm)]
      .flatMap(([, cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));

  const named = {
    variable: [/\b(?:whole|number|duration)\('([A-Z0-9_]+)'|__ENV\.([A-Z0-9_]+)/g, /^[A-Z0-9_]+$/],
    metric: [/new (?:Counter|Rate|Trend)\('(\w+)'/g, /^chat_\w+$/],
  };
  for (const [what, [inSources, inReadme]] of Object.entries(named)) {
    test(`names each ${what}`, () => {
      const found = [...text.matchAll(inSources)].map(([, first, second]) => first ?? second);
      const names = new Set(found);
      assert.ok(names.size > 10);
      assert.deepEqual(cells.filter((cell) => inReadme.test(cell)).sort(), [...names].sort());
    });
  }

  test('names each file', () => {
    const files = cells.filter((cell) => /^lib\/|^[a-z]+$/.test(cell));
    const wanted = sources.map(([file]) => file.replace(/\.js$/, '')).sort();
    assert.deepEqual(files.map((file) => file.replace(/^lib\/|\.js$/g, '')).sort(), wanted);
  });
});

describe('the runner', PARALLEL, () => {
  test('goes through the whole course', async () => {
    const result = await runFixture('whole_course');

    assert.equal(result.exit, 0, result.text);
    assert.equal(result.complete, 7);
    const [, summary] = /^summary (.*)$/m.exec(result.text);
    const took = {med: 3.5, 'p(99)': 5.95, count: 6};
    assert.deepEqual(JSON.parse(summary), {steps: 7, took, found: []});
  });

  for (const where of ['init', 'setup', 'iteration', 'timer', 'teardown']) {
    test(`ends with 107 when something is thrown in ${where}`, async () => {
      const result = await runFixture('throws', {WHERE: where});

      assert.equal(result.exit, 107);
      assert.match(result.text, new RegExp(`thrown in ${where}`));
    });
  }

  test('does not mind a script that throws nothing', async () => {
    assert.equal((await runFixture('throws', {WHERE: 'nowhere'})).exit, 0);
  });

  const bad = {
    'a threshold of no metric': {thresholds: {unknown: ['count==0']}},
    'a threshold that a counter does not have': {thresholds: {known: ['p(95)<1']}},
    'a threshold that is no comparison': {thresholds: {known: ['count']}},
    'an unknown executor': {scenarios: {a: {executor: 'per-vu-iteration'}}},
    'an unknown option': {scenarios: {a: {executor: EXECUTOR, vu: 1}}},
    'a function that is not there': {scenarios: {a: {executor: EXECUTOR, exec: 'none'}}},
    'a duration without unit': {scenarios: {a: {executor: EXECUTOR, maxDuration: '5'}}},
  };
  for (const [name, options] of Object.entries(bad)) {
    test(`ends with 104 for ${name}`, async () => {
      const result = await runConfigured(options);

      assert.equal(result.exit, 104, result.text);
      assert.equal(result.complete, undefined);
    });
  }

  test('ends with 99 when a threshold is crossed', async () => {
    const result = await runConfigured({thresholds: {known: ['count>0']}});

    assert.equal(result.exit, 99);
    assert.deepEqual(crossed(result), {'known count>0': 0});
  });

  test('interrupts an iteration that forgets its socket, and fails', async () => {
    const node = await ChatNode.start();
    const free = await runFixture('endless_socket', {NODE: node.client});
    const held = await runFixture('endless_socket', {NODE: node.client, THRESHOLD: 'count==1'});
    await node.remove();

    assert.deepEqual([free.exit, free.complete, free.interrupted], [1, 0, 1]);
    assert.deepEqual([held.exit, held.complete, held.interrupted], [99, 0, 1]);
    assert.deepEqual(crossed(held), {'chat_accounted count==1': 0});
  });
});
