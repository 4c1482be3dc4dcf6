// Prometheus text format, as a node's /metrics answers it.

/** @typedef {{name: string, labels: Record<string, string>, value: number}} Sample */

const LINE = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

export class Metrics {
  /** @type {Sample[]} */
  #samples;

  /** @param {Sample[]} samples */
  constructor(samples) { this.#samples = samples; }

  /** @param {string} text */
  static parse(text) {
    const samples = [];
    for (const line of text.split('\n')) {
      const parts = line.startsWith('#') ? null : line.match(LINE);
      if (!parts) continue;
      const labels = Object.fromEntries(
          [...(parts[2] ?? '').matchAll(LABEL)].map(([, name, value]) => [name, value]));
      samples.push({name: parts[1], labels, value: Number(parts[3])});
    }
    return new Metrics(samples);
  }

  /** Of several nodes: sums are then over all of them. @param {Metrics[]} parts */
  static joined(parts) { return new Metrics(parts.flatMap((part) => part.#samples)); }

  /**
   * The sum of all series with these labels. A name that no node serves is a mistake of who asks,
   * not a zero.
   * @param {string} name
   * @param {Record<string, string>} [labels]
   */
  sum(name, labels = {}) {
    const named = this.#samples.filter((sample) => sample.name === name);
    if (named.length === 0) throw new Error(`no node has a metric ${name}`);
    return named
        .filter((sample) => Object.entries(labels).every(([k, v]) => sample.labels[k] === v))
        .reduce((sum, sample) => sum + sample.value, 0);
  }
}
