// The k6 modules that a script can import here, for one virtual user.

import {webSocketClass} from './web_socket.js';

function timers(user) {
  const {loop} = user;
  return {
    setTimeout: (callback, ms, ...args) => loop.setTimer(callback, ms, false, args),
    setInterval: (callback, ms, ...args) => loop.setTimer(callback, ms, true, args),
    clearTimeout: (id) => loop.clearTimer(id),
    clearInterval: (id) => loop.clearTimer(id),
  };
}

function metricClass(user, type) {
  return class {
    constructor(name, isTime) {
      if (!user.initializing) throw new Error('metrics are made in the init context only');
      user.metrics.declare(name, type, isTime);
      this.name = name;
    }

    add(value, tags = {}) {
      if (user.initializing) throw new Error('metrics take nothing in the init context');
      const {scenario} = user;
      const own = scenario ? {scenario: scenario.name, ...scenario.tags} : {};
      user.metrics.add(this.name, value, {...own, ...tags});
    }
  };
}

function execution(user) {
  const running = () => {
    if (user.scenario === null) throw new Error('k6/execution: no scenario runs here');
    return user.scenario;
  };
  return {
    scenario: {
      get name() { return running().name; },
      get executor() { return running().executor; },
      get startTime() { return running().startTime; },
      get iterationInInstance() { return running().iteration; },
      get iterationInTest() { return running().iteration; },
    },
    vu: {
      get idInInstance() { return user.id; },
      get idInTest() { return user.id; },
      get iterationInInstance() { return user.iterations - 1; },
      get iterationInScenario() { return user.iterations - 1; },
    },
  };
}

export function modulesOf(user) {
  const mayConnect = () => {
    if (user.initializing) throw new Error('WebSockets are not for the init context');
  };
  return {
    'k6/execution': execution(user),
    'k6/metrics': {
      Counter: metricClass(user, 'counter'),
      Gauge: metricClass(user, 'gauge'),
      Rate: metricClass(user, 'rate'),
      Trend: metricClass(user, 'trend'),
    },
    'k6/timers': timers(user),
    'k6/websockets': {WebSocket: webSocketClass(user.loop, mayConnect)},
  };
}
