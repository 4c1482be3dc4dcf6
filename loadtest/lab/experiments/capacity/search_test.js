import assert from 'node:assert/strict';
import {test} from 'node:test';

import {highestGood, parseSlo} from './search.js';

/** @param {number} limit */
const upTo = (limit) => async (/** @type {number} */ rate) => ({rate, good: rate <= limit});
const LIMITS = {from: 100, upTo: 20_000, within: 1.1};

test('the highest good rate is found within the factor, from below and from above', async () => {
  for (const limit of [130, 1000, 7777]) {
    const {best, probes} = await highestGood(upTo(limit), LIMITS);
    assert.ok(best && best.rate <= limit && best.rate * 1.1 >= limit, `${best?.rate} for ${limit}`);
    assert.ok(probes.length < 14);
  }
  const low = await highestGood(upTo(20), LIMITS);
  assert.ok(low.best && low.best.rate <= 20 && low.best.rate * 1.1 >= 18);
});

test('nothing good, or nothing bad, ends too', async () => {
  assert.equal((await highestGood(upTo(0), LIMITS)).best, undefined);
  assert.equal((await highestGood(upTo(1e9), LIMITS)).best?.rate, 12_800);
});

test('an SLO is a percentile and a time', () => {
  assert.deepEqual(parseSlo('p95=50ms'), {which: 'p95', limitMs: 50, text: 'p95=50ms'});
  assert.equal(parseSlo('max=1.5s').limitMs, 1500);
  assert.throws(() => parseSlo('p42=1ms'), /--slo: "p42=1ms" is not allowed/);
});
