import assert from 'node:assert/strict';
import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';

import {passed} from '../report/document.js';
import {nativeExperiment} from './native.js';

const REPORT = {
  experiment: 'trial', title: 'T', summary: 'S', started_at: 1767225600000,
  ended_at: 1767225660000, quick: true, manifest: {}, sections: [], checks: [], findings: [], void: '',
};

/**
 * What comes of a program that writes `report` and ends with `code`.
 * @param {unknown} report
 * @param {number} code
 */
async function outcomeOf(report, code) {
  const folder = mkdtempSync(join(tmpdir(), 'minichat-lab-'));
  const program = join(folder, 'minichat-lab-trial');
  const text = JSON.stringify(report);
  const write = report ? `cat > "$2/report.json" <<'JSON'\n${text}\nJSON\n` : '';
  writeFileSync(program, `#!/bin/sh\n${write}echo "says why" >&2\nexit ${code}\n`);
  chmodSync(program, 0o755);
  try {
    return await nativeExperiment('trial')(/** @type {any} */ (
        {folder, quick: true, services: {program: () => program, file: {kafka_lib: '/nowhere'}}, say: () => {}}));
  } finally {
    rmSync(folder, {recursive: true});
  }
}

test('a program\'s report is taken over, its times as texts', async () => {
  const report = await outcomeOf(REPORT, 0);

  assert.equal(report.started_at, '2026-01-01T00:00:00.000Z');
  assert.equal(passed(report), true);
});

test('a program that ends badly fails, whatever its report says', async () => {
  assert.equal(passed(await outcomeOf(REPORT, 1)), false);
});

test('no report, or one that is not whole, is told', async () => {
  await assert.rejects(outcomeOf(undefined, 3), /\(exit 3\): says why/);
  await assert.rejects(outcomeOf({...REPORT, findings: 1}, 0), /"findings": no list/);
});
