// Writes the dashboards into a folder: node build/generate.js FOLDER

import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {node} from './node.js';
import {overview} from './overview.js';
import {relay} from './relay.js';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node build/generate.js FOLDER');
mkdirSync(folder, {recursive: true});
for (const dashboard of [overview, relay, node]) {
  writeFileSync(join(folder, `${dashboard.uid}.json`), `${JSON.stringify(dashboard, null, 2)}\n`);
}
