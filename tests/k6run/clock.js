// Node.js's timers: k6 scripts have theirs, and a run has its ends. Nothing else here lets time
// pass.

export function after(ms, callback) {
  return setTimeout(callback, Math.max(0, ms));
}

export function every(ms, callback) {
  return setInterval(callback, Math.max(0, ms));
}

// What after() or every() gave.
export function cancel(timer) {
  clearTimeout(timer);
}
