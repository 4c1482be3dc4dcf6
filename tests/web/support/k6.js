// The scripts of loadtest/k6, checked and run by tests/k6run.

import {execFile} from 'node:child_process';
import {cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RUNNER = join(ROOT, 'tests/k6run/run.js');
const TSC = join(ROOT, 'tests/k6run/node_modules/typescript/bin/tsc');
const LIMIT_MS = 60_000;

export const SCRIPTS = join(ROOT, 'loadtest/k6');
export const FIXTURES = join(ROOT, 'tests/k6run/fixtures');

// {exit, text}: how it ended, and what it wrote.
function node(args, cwd) {
  return new Promise((resolve) => {
    execFile(process.execPath, args, {cwd, timeout: LIMIT_MS}, (error, stdout, stderr) => {
      resolve({exit: error === null ? 0 : error.code ?? error.signal, text: stdout + stderr});
    });
  });
}

// Runs a script; what the runner found, with `text` and `exit` of the process.
export async function runScript(script, env) {
  const folder = mkdtempSync(join(tmpdir(), 'minichat-k6-'));
  try {
    const json = join(folder, 'result.json');
    const settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const ended = await node(['--no-warnings', '--experimental-vm-modules', RUNNER,
                              ...settings, '--json', json, script]);
    return {...JSON.parse(readFileSync(json)), ...ended};
  } finally {
    rmSync(folder, {recursive: true});
  }
}

// The expressions that were not kept: {"chat_lost count==0": 1}, with what was seen.
export function crossed(result) {
  return Object.fromEntries(result.thresholds.filter(({ok}) => !ok).map(
      ({metric, expression, seen}) => [`${metric} ${expression}`, seen]));
}

// A copy of the scripts in which `file` has been changed by `edit`; remove() it.
export function copyScripts(file, edit) {
  const folder = mkdtempSync(join(tmpdir(), 'minichat-k6-'));
  cpSync(SCRIPTS, folder, {recursive: true});
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  const after = edit(before);
  if (after === before) throw new Error(`nothing was changed in ${file}`);
  writeFileSync(path, after);
  const include = ['*.js', 'lib/*.js', '*.d.ts'];
  const settings = {extends: join(SCRIPTS, 'tsconfig.json'), include};
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  return {folder, remove: () => rmSync(folder, {recursive: true})};
}

// Complaints begin with the file's name, as seen from `folder`.
export function checkTypes(folder) {
  return node([TSC, '--project', folder], folder);
}
