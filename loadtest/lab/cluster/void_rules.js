// When the figures of a run mean nothing.

/** @typedef {import('./measured_run.js').Measured} Measured */

export const GENERATOR_LIMIT = 0.7;

/**
 * Why no figure of this run may be believed; empty when all may.
 * @param {Measured} measured
 * @param {string[]} scrapes  what was wrong with them
 */
export function voidReasonOf(measured, scrapes) {
  const {counts, pulls, generator} = measured;
  const reasons = [...scrapes];
  const refused = Object.entries(counts.errors ?? {}).map(([code, n]) => `${n} ${code}`);
  if (counts.received < counts.expected || counts.lost > 0) {
    reasons.push(`${counts.received} of ${counts.expected} deliveries arrived`);
  }
  if (counts.acked < counts.sent) {
    reasons.push(`${counts.acked} of ${counts.sent} messages were acknowledged` +
                 (refused.length > 0 ? ` (${refused.join(', ')})` : ''));
  }
  if (generator.cpu_share > GENERATOR_LIMIT) {
    reasons.push(`the generator took ${Math.round(generator.cpu_share * 100)} % of a core`);
  }
  if (pulls !== 0) reasons.push(`${pulls} pulls by hole or sweep: relays came late or were lost`);
  return reasons.join('; ');
}

/**
 * Is it the machine rather than minichat that made it void? Then it may be measured once more.
 * @param {Measured} measured
 */
export function mayBeRepeated(measured) {
  const {counts} = measured;
  return measured.void !== '' && counts.lost === 0 && counts.acked === counts.sent;
}
