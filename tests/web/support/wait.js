// Waiting on conditions. The only place where these tests let time pass (checked by
// tests/checks/no_sleeps.sh).

const LIMIT_MS = 10_000;
const INTERVAL_MS = 20;

// Asks until `condition` answers something true, and returns that; throws when the limit is over.
export async function waitFor(condition, what, limitMs = LIMIT_MS) {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

// The promise's value; throws when it takes longer than the limit.
export function within(promise, what, limitMs = LIMIT_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${limitMs} ms: ${what}`)), limitMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// Yields 1, 2, 3, … so many times a second, until the loop over it ends.
export async function* ticks(perSecond) {
  const start = Date.now();
  for (let i = 1;; ++i) {
    const pause = start + i * 1000 / perSecond - Date.now();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    yield i;
  }
}
