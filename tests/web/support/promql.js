// PromQL, parsed with Prometheus' own grammar.

import {parser} from '@prometheus-io/lezer-promql';

// What a selector stands on: rate(x{a="b"}[5s]) has {metric: 'x', text: 'x{a="b"}'}. Throws when the
// expression can't be parsed, or when a selector names no metric.
export function selectorsOf(expr) {
  const selectors = [];
  parser.parse(expr).iterate({
    enter({node, type}) {
      if (type.isError) {
        throw new Error(`PromQL can't be parsed at "${expr.slice(node.from, node.from + 20)}": ${expr}`);
      }
      if (type.name !== 'VectorSelector') return;
      const name = node.getChild('Identifier');
      if (name === null) throw new Error(`a selector names no metric: ${expr}`);
      selectors.push({
        metric: expr.slice(name.from, name.to),
        text: expr.slice(node.from, node.to),
      });
    },
  });
  return selectors;
}

// Grafana's variables in an expression: {node: '.*', __rate_interval: '4s'}. Throws on one that isn't
// there.
export function withVariables(expr, values) {
  return expr.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced, bare) => {
    const name = braced ?? bare;
    if (values[name] === undefined) throw new Error(`unknown variable $${name}: ${expr}`);
    return values[name];
  });
}

// The names that a text of /metrics has series of, with those of histograms' parts.
export function seriesNames(metricsText) {
  const lines = metricsText.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Set(lines.map((line) => line.match(/^[a-zA-Z_:][a-zA-Z0-9_:]*/)[0]));
}
