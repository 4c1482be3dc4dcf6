// What k6 gives to scripts besides what @types/k6 declares.

declare const console: {
  log(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
};
