import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

const LAB = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lab-main-'));
after(() => rmSync(folder, {recursive: true}));

/** @param {string} lab @param {string[]} args */
function run(lab, ...args) {
  const {status, stdout, stderr} = spawnSync(process.execPath, [join(lab, 'main.js'), ...args],
                                             {encoding: 'utf8'});
  return {status, stdout, stderr};
}

test('the experiments are listed before npm has installed anything', () => {
  const bare = join(folder, 'bare');
  cpSync(LAB, bare, {recursive: true, filter: (path) => !path.includes('node_modules')});

  const {status, stdout} = run(bare, 'list');

  assert.equal(status, 0);
  assert.match(stdout, /relay-modes .*\n.*slow-downstream/);
});

test('what cannot be run is refused, and told why', () => {
  const refused = (/** @type {string[]} */ ...args) => {
    const {status, stderr} = run(LAB, 'check', ...args);
    assert.equal(status, 2);
    return stderr;
  };

  assert.match(refused('--quick'), /which experiment\?/);
  assert.match(refused('nonsense'), /there is no experiment "nonsense"/);
  assert.match(refused('relay-modes', '--bogus'), /^lab: Unknown option '--bogus'$/m);
  assert.match(refused('relay-modes', '--part', 'x'), /"x" is not allowed; allowed: base, /);
  assert.match(refused('capacity', '--part', 'base'), /capacity knows no --part/);
});

test('a run goes on only in a folder in which something was measured', () => {
  const check = (/** @type {string} */ resumed) => run(LAB, 'check', 'relay-modes', '--resume', resumed);
  const old = join(folder, 'old');
  mkdirSync(join(old, 'base-30x30-single'), {recursive: true});

  assert.match(check(join(folder, 'none')).stderr, /--resume: there is no/);
  assert.match(check(old).stderr, /--resume: .* holds nothing that was measured/);
  writeFileSync(join(old, 'base-30x30-single', 'measured.json'), '{}');
  assert.equal(check(old).status, 0);
});
