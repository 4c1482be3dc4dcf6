// The few shapes of PromQL that the dashboards use.

// `metric` of the chosen nodes, with more matchers: of('x', 'mode="bulk"').
export const of = (metric: string, ...matchers: string[]) =>
    `${metric}{${['node=~"$node"', ...matchers].join(', ')}}`;

export const rate = (selector: string) => `rate(${selector}[$__rate_interval])`;

export const sumRate = (selector: string, ...by: string[]) =>
    by.length === 0 ? `sum(${rate(selector)})` : `sum by (${by.join(', ')}) (${rate(selector)})`;

// A quantile of a histogram; `selector` is that of its buckets.
export const quantile = (q: number, selector: string, ...by: string[]) =>
    `histogram_quantile(${q}, ${sumRate(selector, 'le', ...by)})`;

// `value`, which has no labels, as a line for each mode that a node relays in, while it does.
export const whileInMode = (value: string) =>
    `(max by (mode) (${of('minichat_relay_mode')}) == 1) * on () group_left () (${value})`;
