// Compares, by id, what was acknowledged with what stands in the log and in the store.

/**
 * What differs between the ids that were acknowledged and a copy, in sentences. Each acknowledged
 * id must be there exactly once, and nothing else.
 * @param {string} where  the copy's name
 * @param {string[]} acked
 * @param {string[]} copy
 * @returns {string[]}
 */
export function differencesOf(where, acked, copy) {
  const wanted = new Set(acked);
  const there = new Set(copy);
  const missing = [...wanted].filter((id) => !there.has(id)).length;
  const strange = [...there].filter((id) => !wanted.has(id)).length;
  const repeated = copy.length - there.size;
  const told = [];
  if (missing > 0) told.push(`${where}: ${missing} acknowledged messages are missing`);
  if (repeated > 0) told.push(`${where}: ${repeated} messages are there more than once`);
  if (strange > 0) told.push(`${where}: ${strange} messages were never acknowledged`);
  if (wanted.size !== acked.length) {
    told.push(`${where}: ${acked.length - wanted.size} ids were acknowledged for two messages`);
  }
  return told;
}
