// A real Prometheus of its own, started by the functions that ./dev up uses.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

import {within} from './wait.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LIMIT_MS = 60_000;
// Serves until its input ends, also when this process dies.
const SCRIPT = `set -euo pipefail
ROOT=$1 VAR=$2 RUN=$2/run LOG=$2/log
shift 2
mkdir -p "$RUN" "$LOG"
for part in common processes services prometheus; do source "$ROOT/deploy/dev/lib/$part.sh"; done
write_prometheus_targets "$@"
start_prometheus
say "$PROMETHEUS_PORT"
cat >/dev/null
stop_processes TERM 15 prometheus`;

export class Prometheus {
  #dir = mkdtempSync(join(tmpdir(), 'minichat-prometheus-'));
  #process;

  // `targets`: {n1: '127.0.0.1:9101', …}
  static async start(targets) {
    const prometheus = new Prometheus();
    const list = Object.entries(targets).map(([name, address]) => `${name}=${address}`);
    prometheus.#process = spawn('bash', ['-c', SCRIPT, 'prometheus', ROOT, prometheus.#dir, ...list],
                                {stdio: ['pipe', 'pipe', 'inherit']});
    const lines = createInterface({input: prometheus.#process.stdout})[Symbol.asyncIterator]();
    const {value, done} = await within(lines.next(), 'Prometheus serves', LIMIT_MS);
    if (done) throw new Error('Prometheus did not start');
    prometheus.address = `127.0.0.1:${value}`;
    return prometheus;
  }

  // The series of an expression over a period, times in seconds: [{metric, values: [[t, number]]}].
  // Throws what Prometheus says against it.
  async range(expr, {from, to, step}) {
    const query = new URLSearchParams({query: expr, start: from, end: to, step});
    const data = await this.#get(`query_range?${query}`);
    return data.result.map(({metric, values}) => ({
      metric,
      values: values.map(([time, value]) => [time, Number(value)]),
    }));
  }

  // The series of an expression now: [{metric, value}].
  async now(expr) {
    const data = await this.#get(`query?${new URLSearchParams({query: expr})}`);
    return data.result.map(({metric, value}) => ({metric, value: Number(value[1])}));
  }

  // The alerts that it evaluates: [{name, health, state, lastError}].
  async rules() {
    const data = await this.#get('rules');
    return data.groups.flatMap((group) => group.rules);
  }

  async stop() {
    const end = once(this.#process, 'exit');
    this.#process.stdin.end();
    await within(end, 'the end of Prometheus', LIMIT_MS);
    rmSync(this.#dir, {recursive: true});
  }

  async #get(what) {
    const answer = await (await fetch(`http://${this.address}/api/v1/${what}`)).json();
    if (answer.status !== 'success') throw new Error(`Prometheus: ${answer.error}`);
    return answer.data;
  }
}
