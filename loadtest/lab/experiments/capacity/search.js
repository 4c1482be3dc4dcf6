// The highest rate that is still good: doubled until it is not, then halved in between.

/**
 * @template T
 * @typedef {{rate: number, good: boolean} & T} Probe
 */

/**
 * @template T
 * @param {(rate: number) => Promise<Probe<T>>} probe
 * @param {{from: number, upTo: number, within: number}} limits  `within`: how far apart, as a
 *     factor, the highest good and the lowest bad rate may stay
 * @returns {Promise<{best: Probe<T> | undefined, probes: Probe<T>[]}>}
 */
export async function highestGood(probe, {from, upTo, within}) {
  /** @type {Probe<T>[]} */
  const probes = [];
  /** @type {Probe<T> | undefined} */
  let best;
  /** @type {number | undefined} */
  let bad;
  const next = () => {
    if (bad === undefined) return best === undefined ? from : best.rate * 2;
    return best === undefined ? bad / 2 : Math.sqrt(best.rate * bad);
  };
  const tried = (/** @type {number} */ rate) => probes.some((each) => each.rate === rate);
  for (let rate = from; rate >= 1 && rate <= upTo && !tried(rate); rate = Math.round(next())) {
    const result = await probe(rate);
    probes.push(result);
    if (result.good) best = result;
    else bad = rate;
    if (best !== undefined && bad !== undefined && bad / best.rate <= within) break;
  }
  return {best, probes: probes.sort((a, b) => a.rate - b.rate)};
}

const SLO = /^(p50|p75|p90|p95|p99|p999|max)=(\d+(?:\.\d+)?)(ms|s)$/;

/**
 * "p95=50ms"
 * @param {string} text
 * @returns {{which: string, limitMs: number, text: string}}
 */
export function parseSlo(text) {
  const parts = text.match(SLO);
  if (!parts) {
    throw new Error(`--slo: "${text}" is not allowed; allowed: p50, p75, p90, p95, p99, p999 or ` +
                    'max, =, and a time such as 50ms');
  }
  const [, which, amount, unit] = parts;
  return {which, limitMs: Number(amount) * (unit === 's' ? 1000 : 1), text};
}
