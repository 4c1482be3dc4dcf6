// Why a run ends early, with the exit codes that k6 documents for it.

export const EXIT = {
  ok: 0,
  interrupted: 1,  // k6 has none for it: there such a run is fine
  thresholds: 99,
  setupTimeout: 100,
  teardownTimeout: 101,
  config: 104,
  exception: 107,
};

// The options can't be meant.
export class ConfigError extends Error {
  code = EXIT.config;
}

// The script threw where nothing can go on.
export class ScriptError extends Error {
  code = EXIT.exception;
}

export class TimeoutError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}
