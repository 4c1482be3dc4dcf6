// All experiments, in the order in which ./dev lab lists them.

import {capacity} from './capacity/index.js';
import {parseSlo} from './capacity/search.js';
import {live, profileOf} from './live.js';
import {nativeExperiment} from './native.js';
import {partsOf, relayModes} from './relay_modes/index.js';

/** @typedef {import('./measure_all.js').Lab} Lab */
/**
 * @typedef {object} Experiment
 * @property {string} text      one line
 * @property {boolean} cluster  does it need the lab's services?
 * @property {string[]} options
 * @property {(options: any) => unknown} [check]  throws what is wrong with them
 * @property {(lab: Lab, options: any) => Promise<any>} run  what becomes the report; nothing: none
 */

/** @type {Record<string, Experiment>} */
export const EXPERIMENTS = {
  'relay-modes': {
    text: 'one relay call per recipient against one per node: latency, threads, tasks, CPU',
    cluster: true,
    options: ['part', 'resume', 'plant'],
    check: partsOf,
    run: relayModes,
  },
  'slow-downstream': {
    text: 'a slow service behind two others: deadlines that travel, and threads that wait',
    cluster: false,
    options: [],
    run: nativeExperiment('slow-downstream'),
  },
  'transports': {
    text: 'the same work over HTTP and gRPC, and with threads or without',
    cluster: false,
    options: [],
    run: nativeExperiment('transports'),
  },
  'overload': {
    text: 'bounded and unbounded queues, the breaker, a cluster at twice its capacity',
    cluster: false,
    options: [],
    run: nativeExperiment('overload'),
  },
  'hot-spots': {
    text: 'look-ups, tokens, rows, history and rooms, before and after',
    cluster: false,
    options: [],
    run: nativeExperiment('hot-spots'),
  },
  'capacity': {
    text: 'the highest rate per mode that meets --slo p95=50ms without loss',
    cluster: true,
    options: ['slo'],
    check: ({slo}) => slo && parseSlo(slo),
    run: capacity,
  },
  'live': {
    text: 'a cluster and a page on which you steer the load and switch the mode, until Ctrl-C',
    cluster: true,
    options: ['profile'],
    check: profileOf,
    run: live,
  },
};
