// A reporter for node:test that prints nothing and writes the numbers of tests and failures where
// GoogleTest's programs write theirs (GTEST_OUTPUT=json:FOLDER/), so that ./dev adds them up alike.

import {writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';

export default async function* counts(events) {
  let tests = 0;
  let failures = 0;
  for await (const {type, data} of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details.type === 'suite') continue;
    ++tests;
    if (type === 'test:fail') ++failures;
  }
  const folder = process.env.GTEST_OUTPUT?.replace(/^json:/, '');
  if (folder) {
    const name = process.env.MINICHAT_TEST_NAME ?? `web_${basename(process.argv[1], '.js')}`;
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({tests, failures}, null, 2) + '\n');
  }
  yield '';
}
