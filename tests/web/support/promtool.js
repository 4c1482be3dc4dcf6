// promtool, of Debian's package prometheus.

import {spawnSync} from 'node:child_process';

// What it says about `args`, with `input` as its standard input: {ok, output}.
export function promtool(args, input = '') {
  const {status, stdout, stderr, error} = spawnSync('promtool', args, {input, encoding: 'utf8'});
  if (error) throw new Error(`promtool can't be run: ${error.message}`);
  return {ok: status === 0, output: stdout + stderr};
}
