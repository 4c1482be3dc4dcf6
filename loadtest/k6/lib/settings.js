// What the user sets: k6 run -e NAME=value. A value that can't be meant ends the run before it
// begins.

/** @type {{[unit: string]: number}} */
const UNITS = {ms: 1, s: 1000, m: 60000, h: 3600000};

/** A whole number of at least `least`.
 * @param {string} name
 * @param {number} otherwise
 * @param {number} [least] */
export function whole(name, otherwise, least = 1) {
  const value = Number(__ENV[name] ?? otherwise);
  if (!Number.isInteger(value) || value < least) {
    throw new Error(`${name}: must be a whole number of at least ${least}, not "${__ENV[name]}"`);
  }
  return value;
}

/** A number of at least 0.
 * @param {string} name
 * @param {number} otherwise */
export function number(name, otherwise) {
  const value = Number(__ENV[name] ?? otherwise);
  if (!Number.isFinite(value) || value < 0) {
    throw new Error(`${name}: must be a number of at least 0, not "${__ENV[name]}"`);
  }
  return value;
}

/** A duration as k6 writes it ("90s", "1m30s", "500ms"), in milliseconds.
 * @param {string} name
 * @param {string} otherwise */
export function duration(name, otherwise) {
  const text = __ENV[name] ?? otherwise;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    throw new Error(`${name}: must be a duration as "90s" or "1m30s", not "${text}"`);
  }
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(amount) * UNITS[unit];
  }
  return sum;
}

/** The nodes' client addresses; the default is where `./dev up` puts them. */
export function nodes() {
  const text = __ENV.NODES ?? '127.0.0.1:8081,127.0.0.1:8082,127.0.0.1:8083';
  const list = text.split(',').map((node) => node.trim());
  const bad = list.find((node) => !/^[^:/\s]+:\d+$/.test(node));
  if (bad !== undefined) throw new Error(`NODES: must be HOST:PORT,HOST:PORT…, not "${text}"`);
  return list;
}

/** What all scenarios have in common. `sizes` are the scenario's own defaults.
 * @param {{members: number, talkers: number, rate: number, duration: string}} sizes */
export function common(sizes) {
  const settings = {
    nodes: nodes(),
    rooms: whole('ROOMS', 1),
    members: whole('MEMBERS', sizes.members),           // in each room
    talkers: whole('TALKERS', sizes.talkers),           // so many of them talk
    rate: number('RATE', sizes.rate),                   // messages per second in each room
    connectMs: duration('CONNECT', '10s'),              // all have come before the first message
    durationMs: duration('DURATION', sizes.duration),   // of sending
    drainMs: duration('DRAIN', '30s'),                  // for what is still under way
    textBytes: whole('TEXT_BYTES', 200, 0),
    p95Ms: number('P95_MS', 250),                       // from the intended time of a send
    refusedRate: number('REFUSED_RATE', 0),             // of all sends
  };
  if (settings.talkers > settings.members) throw new Error('TALKERS: must be at most MEMBERS');
  if (settings.rate <= 0) throw new Error('RATE: must be above 0');
  return settings;
}

/** @typedef {ReturnType<typeof common>} Settings */
