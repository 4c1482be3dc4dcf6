// The figures that stand beside ours, from elsewhere.

/** @typedef {{p50: number, p95: number, max: number, tasks: number, pool: number}} Original */

// Of the first minichat: a JVM, three nodes on machines of their own, pool 30/200/1000.
/** @type {Record<string, {single: Original, bulk: Original}>}  by room: members x messages a second */
export const ORIGINALS = {
  '30x30': {
    single: {p50: 64, p95: 107, max: 340, tasks: 890, pool: 30},
    bulk: {p50: 60, p95: 105, max: 422, tasks: 360, pool: 30},
  },
  '90x30': {
    single: {p50: 42, p95: 81, max: 476, tasks: 2600, pool: 200},
    bulk: {p50: 73, p95: 111, max: 410, tasks: 950, pool: 30},
  },
  '150x30': {
    single: {p50: 118, p95: 167, max: 275, tasks: 4400, pool: 200},
    bulk: {p50: 45, p95: 80, max: 202, tasks: 1550, pool: 30},
  },
  '150x10': {
    single: {p50: 36, p95: 71, max: 219, tasks: 1500, pool: 170},
    bulk: {p50: 41, p95: 62, max: 208, tasks: 500, pool: 30},
  },
  '150x50': {
    single: {p50: 181, p95: 298, max: 662, tasks: 7300, pool: 200},
    bulk: {p50: 99, p95: 154, max: 205, tasks: 2300, pool: 30},
  },
};

export const ORIGINAL_LOG_LEVEL = {debug: 66, info: 36};     // p50, ms
export const ORIGINAL_QUEUE = {connecting: 398, sending: 179};  // peak

// The prototype's CPU of three nodes per delivery in µs: 8 messages in flight all the time, async
// calls and joined writes, nothing stored.
/** @type {Record<number, {single: number, bulk: number, stream: number}>}  by members */
export const PROTOTYPE_CPU = {
  30: {single: 45.9, bulk: 11.1, stream: 7.4},
  150: {single: 38.5, bulk: 5.1, stream: 4.5},
  900: {single: 49.7, bulk: 3.9, stream: 4.4},
};
// The same at a fixed 50 messages a second to 150 members.
export const PROTOTYPE_OPEN = {classicSingle: 113.8, classicBulk: 18.5, bulk: 17.8, stream: 14.7};
