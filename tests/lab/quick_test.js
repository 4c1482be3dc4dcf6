// The quick form of each experiment, as a user runs it: exit code, report, page. And what is broken
// on purpose must be found out.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {problemsOf} from '../../loadtest/lab/report/document.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LIMIT = {timeout: 300_000};

// A lab's exit code, what it printed, and its report.
async function lab(...args) {
  const child = spawn(join(ROOT, 'dev'), ['lab', ...args], {stdio: ['ignore', 'pipe', 'pipe']});
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => { output += data; });
  }
  const [code] = await once(child, 'close');
  const page = output.match(/^Report: (.*)$/m)?.[1];
  const report = page && JSON.parse(readFileSync(join(dirname(page), 'report.json'), 'utf8'));
  return {code, output, report, html: page && readFileSync(page, 'utf8')};
}

function assertGood({code, output, report, html}) {
  assert.equal(code, 0, output);
  assert.deepEqual(problemsOf(report), []);
  assert.equal(report.void, '');
  assert.equal(report.quick, true);
  assert.ok(report.checks.length > 0 && report.sections.length > 0, 'an empty report');
  assert.ok(report.checks.every((check) => check.ok || check.finding_only));
  for (const key of ['version', 'git', 'build_type', 'machine']) {
    assert.ok(report.manifest[key], `no ${key} in the manifest`);
  }
  assert.match(html, /<svg/);
  assert.doesNotMatch(html, /<script/);
}

const namesIn = (report) => report.checks.map((check) => check.name).join('\n');

test('relay-modes --quick holds, counts tasks and calls exactly, and plots them', LIMIT, async () => {
  const run = await lab('relay-modes', '--quick');

  assertGood(run);
  const tasks = run.report.checks.filter((check) => /tasks per message/.test(check.name));
  assert.deepEqual(tasks.map((check) => check.seen), ['90', '32', '150', '52']);
  assert.match(namesIn(run.report), /grows|pool size/);
  assert.match(run.html, /executor threads/);
});

test('relay-modes finds out a wrong metric name and a lost row', LIMIT, async () => {
  const {code, output, report} = await lab('relay-modes', '--quick', '--part', 'base', '--plant');

  assert.equal(code, 1, output);
  const failed = report.checks.filter((check) => !check.ok && !check.finding_only);
  assert.ok(failed.some((check) => /Prometheus has nothing for .*executor_waiting_tasks/
                                       .test(check.seen)), output);
  assert.ok(failed.some((check) => /Postgres: 1 acknowledged messages are missing/
                                       .test(check.seen)), output);
});

test('capacity --quick finds a rate for each mode', LIMIT, async () => {
  const run = await lab('capacity', '--quick', '--slo', 'p95=200ms');

  assertGood(run);
  assert.match(run.report.summary, /single \d+\/s, bulk \d+\/s, stream \d+\/s/);
});

for (const name of ['slow-downstream', 'transports', 'overload', 'hot-spots']) {
  test(`${name} --quick holds`, LIMIT, async () => { assertGood(await lab(name, '--quick')); });
}

test('live prints a page and its control port answers, until Ctrl-C', LIMIT, async () => {
  const child = spawn(join(ROOT, 'dev'), ['lab', 'live'],
                      {stdio: ['ignore', 'pipe', 'inherit'], detached: true});
  let output = '';
  const address = await new Promise((found, failed) => {
    child.stdout.on('data', (data) => {
      output += data;
      const open = output.match(/Open (http:\S+)/);
      if (open) found(new URL(open[1]));
    });
    child.once('close', () => failed(new Error(output)));
  });
  const page = await (await fetch(address)).text();
  assert.match(page, /<html/);
  const control = `http://${address.searchParams.get('control')}`;
  const state = await (await fetch(`${control}/v1/state`)).json();
  assert.ok(state.settings.members > 0);

  process.kill(-child.pid, 'SIGINT');  // as a terminal does: to the whole group
  await once(child, 'close');
  await assert.rejects(fetch(`${control}/v1/state`));
});

test('an experiment or option that there is not is refused', LIMIT, async () => {
  assert.notEqual((await lab('relay-mods')).code, 0);
  const {code, output} = await lab('relay-modes', '--slo', 'p95=1ms', '--quick');
  assert.equal(code, 2);
  assert.match(output, /relay-modes knows no --slo/);
});
