// The metrics of a test run: their sinks, for all samples and for those with certain tags.

import {ConfigError} from './errors.js';

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

class CounterSink {
  #sum = 0;

  add(value) {
    if (value < 0) throw new Error('a counter takes no negative values');
    this.#sum += value;
  }

  values(seconds) {
    return {count: this.#sum, rate: this.#sum / seconds};
  }
}

class GaugeSink {
  #value = 0;
  #min = Infinity;
  #max = -Infinity;

  add(value) {
    this.#value = value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  values() {
    return {value: this.#value, min: this.#min, max: this.#max};
  }
}

class RateSink {
  #total = 0;
  #nonZero = 0;

  add(value) {
    ++this.#total;
    if (value !== 0) ++this.#nonZero;
  }

  values() {
    const rate = this.#total === 0 ? 0 : this.#nonZero / this.#total;
    return {rate, passes: this.#nonZero, fails: this.#total - this.#nonZero};
  }
}

class TrendSink {
  #values = [];

  add(value) {
    this.#values.push(value);
  }

  // By name: avg, min, med, max, count, p(N).
  values(seconds, names = ['avg', 'min', 'med', 'max', 'p(90)', 'p(95)']) {
    const sorted = [...this.#values].sort((a, b) => a - b);
    return Object.fromEntries(names.map((name) => [name, statistic(sorted, name)]));
  }
}

function statistic(sorted, name) {
  if (name === 'count') return sorted.length;
  if (sorted.length === 0) return 0;
  if (name === 'min') return sorted[0];
  if (name === 'max') return sorted.at(-1);
  if (name === 'avg') return sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  if (name === 'med') return percentile(sorted, 50);
  const match = /^p\((\d+(?:\.\d+)?)\)$/.exec(name);
  if (!match || Number(match[1]) > 100) throw new ConfigError(`there is no statistic "${name}"`);
  return percentile(sorted, Number(match[1]));
}

function percentile(sorted, percent) {
  const at = (sorted.length - 1) * percent / 100;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at - Math.floor(at));
}

const SINKS = {counter: CounterSink, gauge: GaugeSink, rate: RateSink, trend: TrendSink};

export class Metrics {
  #metrics = new Map();  // name -> {type, parts: [{tags, sink}]}; the first part is for all samples

  // Each virtual user declares the same ones.
  declare(name, type, isTime = false) {
    if (!NAME.test(name)) throw new Error(`"${name}" is no name for a metric`);
    const known = this.#metrics.get(name);
    if (known && known.type !== type) throw new Error(`"${name}" is a ${known.type} already`);
    if (!known) {
      const parts = [{selector: '', tags: {}, sink: new SINKS[type]()}];
      this.#metrics.set(name, {name, type, contains: isTime ? 'time' : 'default', parts});
    }
  }

  // The type, or undefined when no script has declared it.
  typeOf(name) {
    return this.#metrics.get(name)?.type;
  }

  // Counts samples with all of these tags apart.
  select(name, selector, tags) {
    const {type, parts} = this.#metrics.get(name);
    if (parts.some((part) => part.selector === selector)) return;
    parts.push({selector, tags, sink: new SINKS[type]()});
  }

  add(name, value, tags) {
    const number = typeof value === 'boolean' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) {
      throw new TypeError(`metric "${name}" can't take ${value}`);
    }
    for (const part of this.#metrics.get(name).parts) {
      const wanted = Object.entries(part.tags);
      if (wanted.every(([tag, text]) => String(tags[tag]) === text)) part.sink.add(number);
    }
  }

  // What was counted for all samples, or for those that were selected.
  values(name, selector, seconds, statistics) {
    const part = this.#metrics.get(name).parts.find((each) => each.selector === selector);
    return part.sink.values(seconds, statistics);
  }

  // {name: {type, contains, values}}, tagged ones as "name{tag:value}".
  summary(seconds, statistics) {
    const all = {};
    for (const {name, type, contains, parts} of this.#metrics.values()) {
      for (const {selector, sink} of parts) {
        all[name + selector] = {type, contains, values: sink.values(seconds, statistics)};
      }
    }
    return all;
  }
}
