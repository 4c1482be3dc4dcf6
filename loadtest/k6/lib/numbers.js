// Numbers that should come one after the other: tells which are late, which come again, and what is
// still missing. Remembers only what is missing.

/** @typedef {[first: number, last: number]} Range */

export class Numbers {
  /** How many came, without repeats. */
  seen = 0;
  /** @type {Range[]} */
  #holes = [];

  /** @param {number} last where they begin: the next is one more */
  constructor(last) {
    this.last = last;
  }

  /** @param {number} n
   *  @returns {'next' | 'late' | 'repeated'} */
  take(n) {
    if (n > this.last) {
      if (n > this.last + 1) this.#holes.push([this.last + 1, n - 1]);
      this.last = n;
    } else if (!this.#fill(n)) {
      return 'repeated';
    } else {
      ++this.seen;
      return 'late';
    }
    ++this.seen;
    return 'next';
  }

  /** What is missing up to `end`.
   * @param {number} end
   * @returns {Range[]} */
  missing(end) {
    return end > this.last ? [...this.#holes, [this.last + 1, end]] : [...this.#holes];
  }

  /** @param {number} n
   *  @returns {boolean} whether it was missing */
  #fill(n) {
    const at = this.#holes.findIndex(([first, last]) => first <= n && n <= last);
    if (at < 0) return false;
    const [first, last] = this.#holes[at];
    /** @type {Range[]} */
    const parts = [[first, n - 1], [n + 1, last]];
    this.#holes.splice(at, 1, ...parts.filter(([from, to]) => from <= to));
    return true;
  }
}
