// Questions to the lab's Prometheus.

/** @typedef {{labels: Record<string, string>, points: [number, number][]}} RangeSeries */

// A query may meet a moment in which everything else is busy.
const LIMIT_MS = 20_000;

export class Prometheus {
  /** @param {string} url */
  constructor(url) { this.url = url; }

  /**
   * @param {string} query
   * @param {number} from  ms since 1970
   * @param {number} to
   * @returns {Promise<RangeSeries[]>}  points: [ms since 1970, value]
   */
  async range(query, from, to) {
    const result = await this.#ask('query_range', {
      query,
      start: String(from / 1000),
      end: String(to / 1000),
      step: '1',
    });
    return result.map((/** @type {any} */ series) => ({
      labels: series.metric,
      points: series.values.map((/** @type {any} */ [t, value]) => [t * 1000, Number(value)]),
    }));
  }

  /**
   * The samples themselves, as they were scraped between two moments.
   * @param {string} selector
   * @param {number} from
   * @param {number} to
   * @returns {Promise<RangeSeries[]>}
   */
  async samples(selector, from, to) {
    const seconds = Math.max(1, Math.ceil((to - from) / 1000));
    const result = await this.#ask('query', {query: `${selector}[${seconds}s]`,
                                             time: String(to / 1000)});
    return result.map((/** @type {any} */ series) => ({
      labels: series.metric,
      points: series.values.map((/** @type {any} */ [t, value]) => [t * 1000, Number(value)]),
    }));
  }

  /** @param {string} query @returns {Promise<{labels: Record<string, string>, value: number}[]>} */
  async now(query) {
    const result = await this.#ask('query', {query});
    return result.map((/** @type {any} */ series) =>
                          ({labels: series.metric, value: Number(series.value[1])}));
  }

  /** @param {string} what @param {Record<string, string>} parameters */
  async #ask(what, parameters) {
    const response = await fetch(`${this.url}/api/v1/${what}`, {
      method: 'POST',
      body: new URLSearchParams(parameters),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const answer = /** @type {any} */ (await response.json());
    if (answer.status !== 'success') {
      throw new Error(`Prometheus: ${parameters.query}: ${answer.error}`);
    }
    return answer.data.result;
  }
}

/**
 * Scrapes of nodes that failed or are missing, in sentences. One sample a second is due from each.
 * @param {RangeSeries[]} up  the samples of `up`
 * @param {string[]} nodes
 * @param {number} from
 * @param {number} to
 * @returns {string[]}
 */
export function scrapeProblems(up, nodes, from, to) {
  const due = Math.floor((to - from) / 1000);
  return nodes.flatMap((node) => {
    const points = up.filter((series) => series.labels.node === node)
                       .flatMap((series) => series.points)
                       .filter(([t]) => t >= from && t <= to);
    const failed = points.filter(([, value]) => value !== 1).length;
    if (failed > 0) return [`${failed} scrapes of ${node} failed`];
    // A scrape is at most 1 s beside its time at either end.
    return points.length < due - 2 ? [`${node} was scraped ${points.length} times in ${due} s`] : [];
  });
}
