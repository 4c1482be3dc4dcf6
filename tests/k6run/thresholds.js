// Thresholds: "p(95)<200" of "metric" or "metric{tag:value,tag:value}".

import {ConfigError} from './errors.js';

const OPERATORS = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '===': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};
const METHODS = {
  counter: /^(count|rate)$/,
  gauge: /^value$/,
  rate: /^rate$/,
  trend: /^(avg|min|max|med|p\(\d+(\.\d+)?\))$/,
};
const EXPRESSION = /^\s*([a-z]+(?:\([\d.]+\))?)\s*(<=|>=|===|==|!=|<|>)\s*(-?\d+(?:\.\d+)?)\s*$/;
const METRIC = /^([^{]+)(\{(.*)\})?$/;

function parseTags(text) {
  return Object.fromEntries(text.split(',').map((pair) => {
    const match = /^\s*([^:\s]+)\s*:\s*(.+?)\s*$/.exec(pair);
    if (!match) throw new ConfigError(`threshold: "{${text}}" must be {tag:value,…}`);
    return [match[1], match[2]];
  }));
}

function parseExpression(source, type, metric) {
  const expression = typeof source === 'string' ? source : source?.threshold;
  if (source?.abortOnFail) throw new ConfigError('threshold: this runner has no abortOnFail');
  const match = EXPRESSION.exec(expression ?? '');
  if (!match) throw new ConfigError(`threshold of ${metric}: can't read "${expression}"`);
  const [, method, operator, value] = match;
  if (!METHODS[type].test(method)) {
    throw new ConfigError(`threshold of ${metric}: a ${type} has no "${method}"`);
  }
  return {expression, method, holds: (seen) => OPERATORS[operator](seen, Number(value))};
}

// Of options.thresholds; selects their tags in `metrics`.
export function parseThresholds(thresholds, metrics) {
  return Object.entries(thresholds).flatMap(([key, sources]) => {
    const [, name, selector = '', tags] = METRIC.exec(key) ?? [];
    const type = metrics.typeOf(name);
    if (type === undefined) throw new ConfigError(`threshold: there is no metric "${name ?? key}"`);
    if (selector !== '') metrics.select(name, selector, parseTags(tags));
    return sources.map(
        (source) => ({metric: name, selector, ...parseExpression(source, type, key)}));
  });
}

// [{metric, expression, seen, ok}]
export function evaluate(thresholds, metrics, seconds) {
  return thresholds.map(({metric, selector, expression, method, holds}) => {
    const seen = metrics.values(metric, selector, seconds, [method])[method];
    return {metric: metric + selector, expression, seen, ok: holds(seen)};
  });
}
