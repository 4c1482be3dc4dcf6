// From node to node: which mode, what it costs, whether it works.

import {Board} from './board.js';
import {graph, number} from './panels.js';
import {of, quantile, rate, sumRate, whileInMode} from './promql.js';

const MODES = ['single', 'bulk', 'stream'];

const calls = (...matchers: string[]) => of('minichat_relay_calls_total', ...matchers);
const recipients = (...matchers: string[]) => of('minichat_relay_recipients_total', ...matchers);

type Value = (labels: string[], ...matchers: string[]) => string;

const callsPerSecond: Value = (labels, ...matchers) => sumRate(calls(...matchers), ...labels);
const recipientsPerCall: Value = (labels, ...matchers) =>
    `${sumRate(recipients(...matchers), ...labels)} / ${
        sumRate(calls(...matchers, 'code="OK"'), ...labels)}`;

// One small graph for each mode, with equal axes, so that they can be compared.
const besides = (what: string, description: string, unit: string, value: Value) =>
    MODES.map((mode) => graph({
      title: `${what}: ${mode}`,
      description,
      unit,
      width: 8,
      height: 7,
      lines: [{expr: value(['node'], `mode="${mode}"`), legend: '{{node}}'}],
      reach: `max(${value(['node', 'mode'])})`,
    }));

export const relay = new Board({
  uid: 'minichat-relay',
  title: 'minichat: relay',
  description:
      'Mode, calls, recipients, tasks, executor threads and queue, breakers, what is under way; ' +
      'single and bulk side by side.',
})
    .row(
        'Mode',
        graph({
          title: 'Nodes in each mode',
          description:
              'How many nodes relay in which mode. A switch through the admin route reaches all ' +
              'of them within 2 s.',
          unit: 'short',
          width: 8,
          stacked: true,
          steps: true,
          decimals: 0,
          lines: [{expr: `sum by (mode) (${of('minichat_relay_mode')})`, legend: '{{mode}}'}],
        }),
        graph({
          title: 'Calls per message, by the mode in force',
          description:
              'Relay calls for each message. With n nodes: n-1 in bulk, the recipients on other ' +
              'nodes in single. In stream: items, several of which go in one write.',
          unit: 'short',
          width: 8,
          lines: [{
            expr: whileInMode(
                `${sumRate(calls())} / ${sumRate(of('minichat_messages_acked_total'))}`),
            legend: '{{mode}}',
          }],
        }),
        graph({
          title: 'CPU per delivery, by the mode in force',
          description:
              'CPU time of all nodes divided by the deliveries to sessions: what a mode costs. ' +
              'Compare at the same load, and not in the seconds after a switch.',
          unit: 's',
          width: 8,
          lines: [{
            expr: whileInMode(`${sumRate(of('process_cpu_seconds_total'))} / ${
                sumRate(of('minichat_deliveries_total'))}`),
            legend: '{{mode}}',
          }],
        }))
    .row(
        'Single against bulk (and stream)',
        ...besides(
            'Calls',
            'Calls a second to all other nodes in this mode; in stream: items. Zero while ' +
                'another mode is in force. The three axes are equal.',
            'reqps', callsPerSecond),
        ...besides(
            'Recipients per call',
            'How many sessions one call serves: 1 in single, all of a node\'s members in bulk. ' +
                'No line while the mode is not in force. The three axes are equal.',
            'short', recipientsPerCall))
    .row(
        'Does it work?',
        number({
          title: 'Open breakers',
          description: 'Pairs of nodes between which relays are held back (2: open, 1: probing).',
          unit: 'short',
          width: 4,
          height: 8,
          badFrom: 1,
          lines: [{expr: `sum(${of('minichat_breaker_state')} > bool 0)`, legend: 'breakers'}],
        }),
        graph({
          title: 'Breaker state',
          description:
              '0 closed (all is well), 1 half-open (probing), 2 open (no relays; the peer\'s ' +
              'members get messages from the head sweep).',
          unit: 'short',
          width: 8,
          max: 2,
          steps: true,
          decimals: 0,
          lines: [{expr: of('minichat_breaker_state'), legend: '{{node}} to {{peer}}'}],
        }),
        graph({
          title: 'Calls by outcome',
          description:
              'How calls to other nodes end. Anything but OK is repaired by the head sweep of ' +
              'the target, up to 1.5 s later.',
          unit: 'reqps',
          width: 12,
          stacked: true,
          lines: [{expr: sumRate(calls(), 'code'), legend: '{{code}}'}],
        }),
        graph({
          title: 'Recipients by result',
          description:
              'queued: handed over; not_here: the session has moved, the relay asks once more ' +
              'where; queue_full and failed are left to the head sweep.',
          unit: 'ops',
          width: 8,
          stacked: true,
          lines: [{expr: sumRate(recipients(), 'result'), legend: '{{result}}'}],
        }),
        graph({
          title: 'Under way',
          description:
              'Calls and items that wait for their answer, by pair of nodes. They are bounded.',
          unit: 'short',
          width: 8,
          lines: [{expr: of('minichat_relay_inflight'), legend: '{{node}} to {{peer}}'}],
        }),
        graph({
          title: 'Relay latency',
          description:
              'From the hand-over to the relay until all nodes have answered for all recipients ' +
              'of a message.',
          unit: 's',
          width: 8,
          lines: [0.5, 0.95, 0.99].map((q) => ({
            expr: quantile(q, of('minichat_stage_seconds_bucket', 'stage="relay"')),
            legend: `p${q * 100}`,
          })),
        }))
    .row(
        'Executors',
        graph({
          title: 'Tasks',
          description:
              'Tasks that pool threads have run, by executor: `postgres` reads and writes rows; ' +
              '`fanout` is the lab\'s pool, there only with lab.dispatch: pool or lab.local: ' +
              'per_recipient.',
          unit: 'ops',
          width: 6,
          lines: [{
            expr: sumRate(of('executor_completed_tasks_total'), 'name'),
            legend: '{{name}}',
          }],
        }),
        graph({
          title: 'Tasks per message',
          description:
              'Tasks given to each executor for one message, over all nodes. In the lab\'s ' +
              'profile classic, `fanout` has M in single and M/n + (n-1) in bulk, for M members ' +
              'on n nodes.',
          unit: 'short',
          width: 6,
          lines: [{
            expr: `(${sumRate(of('executor_completed_tasks_total'), 'name')} + ${
                sumRate(of('executor_rejected_tasks_total'), 'name')}) / on () group_left () ${
                sumRate(of('minichat_messages_acked_total'))}`,
            legend: '{{name}}',
          }],
        }),
        graph({
          title: 'Threads',
          description:
              'Threads of the pools, and those that run a task, over all nodes. When all are ' +
              'busy and the queue is full, a pool grows.',
          unit: 'short',
          width: 6,
          decimals: 0,
          lines: [
            {
              expr: `sum by (name) (${of('executor_pool_size_threads')})`,
              legend: '{{name}}: threads',
            },
            {expr: `sum by (name) (${of('executor_active_threads')})`, legend: '{{name}}: busy'},
          ],
        }),
        graph({
          title: 'Queue and refusals',
          description:
              'Tasks that wait for a thread, and tasks a second that a pool did not take because ' +
              'its queue was full and it had all its threads.',
          unit: 'short',
          width: 6,
          lines: [
            {expr: `sum by (name) (${of('executor_queued_tasks')})`, legend: '{{name}}: waiting'},
            {
              expr: sumRate(of('executor_rejected_tasks_total'), 'name'),
              legend: '{{name}}: refused per second',
            },
          ],
        }))
    .row(
        'On the wire',
        graph({
          title: 'Stream writes',
          description:
              'Writes to streams between nodes: everything that is pending for a peer goes in ' +
              'one. Zero in the other modes.',
          unit: 'ops',
          width: 8,
          lines: [{
            expr: sumRate(of('minichat_relay_stream_writes_total'), 'node'),
            legend: '{{node}}',
          }],
        }),
        graph({
          title: 'Calls received',
          description:
              'Calls that other nodes made, by their end. wrong_secret: cluster.secret differs; ' +
              'late and abandoned: the caller had given up.',
          unit: 'reqps',
          width: 8,
          stacked: true,
          lines: [{
            expr: sumRate(of('minichat_relay_inbound_total'), 'outcome'),
            legend: '{{outcome}}',
          }],
        }),
        graph({
          title: 'Without a message',
          description:
              'Calls that carry no message: presence, typing, kicks; and recipients that were ' +
              'relayed again because they had moved.',
          unit: 'reqps',
          width: 8,
          lines: [
            {
              expr: sumRate(of('minichat_control_calls_total'), 'outcome'),
              legend: 'control: {{outcome}}',
            },
            {expr: sumRate(of('minichat_rerouted_total')), legend: 'relayed again'},
            {
              expr: rate(of('minichat_relay_stream_opens_total')),
              legend: 'streams opened: {{node}} to {{peer}}',
            },
          ],
        }))
    .build();
