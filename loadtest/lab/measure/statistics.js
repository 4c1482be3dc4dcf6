// Small sums.

/** @param {number[]} values */
export const sum = (values) => values.reduce((a, b) => a + b, 0);

/** @param {number[]} values */
export const mean = (values) => values.length === 0 ? NaN : sum(values) / values.length;

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {number} value @param {number} digits */
export function rounded(value, digits = 3) {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
