// How the cluster does, at a glance.

import {Board} from './board.js';
import {graph, number} from './panels.js';
import {of, quantile, rate, sumRate} from './promql.js';

const SERVER_SIDE = 'reason=~"overloaded|unavailable|unknown|internal"';

export const overview = new Board({
  uid: 'minichat-overview',
  title: 'minichat: overview',
  description: 'Rates, latency by stage, sessions, what is not stored yet, refusals, CPU per node.',
})
    .row(
        'Now',
        number({
          title: 'Nodes',
          description: 'Nodes that answer Prometheus.',
          unit: 'short',
          width: 3,
          lines: [{expr: 'sum(up{job="minichat", node=~"$node"})', legend: 'nodes'}],
        }),
        number({
          title: 'Sessions',
          description: 'Open WebSocket sessions on all nodes.',
          unit: 'short',
          width: 3,
          lines: [{expr: `sum(${of('minichat_sessions')})`, legend: 'sessions'}],
        }),
        number({
          title: 'Messages',
          description: 'Messages a second that were acknowledged: stored, with their place in the room.',
          unit: 'ops',
          width: 3,
          decimals: 1,
          lines: [{expr: sumRate(of('minichat_messages_acked_total')), legend: 'acked'}],
        }),
        number({
          title: 'Deliveries',
          description: 'Messages handed to sessions, a second: one message to 50 members is 50.',
          unit: 'ops',
          width: 3,
          decimals: 0,
          lines: [{expr: sumRate(of('minichat_deliveries_total')), legend: 'delivered'}],
        }),
        number({
          title: 'Ack wait (p95)',
          description: 'From the arrival of a send to its ack; 95 of 100 wait no longer than this.',
          unit: 's',
          width: 3,
          badFrom: 0.5,
          lines: [{expr: quantile(0.95, of('minichat_end_to_end_seconds_bucket')), legend: 'p95'}],
        }),
        number({
          title: 'Refused',
          description: 'Requests a second refused for overload, an absent back end or a fault; ' +
              'clients\' own mistakes are not counted here.',
          unit: 'reqps',
          width: 3,
          decimals: 1,
          badFrom: 0.1,
          lines: [{expr: sumRate(of('minichat_refusals_total', SERVER_SIDE)), legend: 'refused'}],
        }),
        number({
          title: 'Not stored yet',
          description: 'Logged messages without a row in Postgres. Small and steady is well.',
          unit: 'short',
          width: 3,
          badFrom: 5000,
          lines: [{expr: `sum(${of('minichat_persist_lag_records')})`, legend: 'records'}],
        }),
        number({
          title: 'Back ends away',
          description: 'Back ends that nodes can\'t use, counted once for each node.',
          unit: 'short',
          width: 3,
          badFrom: 1,
          lines: [{expr: `sum(1 - ${of('minichat_dependency_up')})`, legend: 'away'}],
        }))
    .row(
        'Messages',
        graph({
          title: 'Messages',
          description: 'Sends that passed the edge, and sends that were acknowledged. A gap between ' +
              'the two is what is under way, or was refused later.',
          unit: 'ops',
          width: 8,
          lines: [
            {expr: sumRate(of('minichat_messages_received_total')), legend: 'received'},
            {expr: sumRate(of('minichat_messages_acked_total')), legend: 'acked'},
          ],
        }),
        graph({
          title: 'Deliveries by path',
          description: 'local: from the node that took the message; relay: brought by another node; ' +
              'pull: read by the node itself, for a session that joined, resumed or lacked something.',
          unit: 'ops',
          width: 8,
          stacked: true,
          lines: [{expr: sumRate(of('minichat_deliveries_total'), 'path'), legend: '{{path}}'}],
        }),
        graph({
          title: 'Repairs',
          description: 'What nodes pulled because no relay brought it (hole, sweep), and gaps that ' +
              'had to be told. In fair weather all of them are zero.',
          unit: 'ops',
          width: 8,
          lines: [
            {
              expr: sumRate(of('minichat_pulls_total', 'cause=~"hole|sweep"'), 'cause'),
              legend: 'pulled: {{cause}}',
            },
            {expr: sumRate(of('minichat_gaps_total')), legend: 'gaps told'},
          ],
        }))
    .row(
        'Latency',
        graph({
          title: 'Wait for the ack',
          description: 'From the arrival of a send to its ack: the log and the commit.',
          unit: 's',
          width: 8,
          lines: [0.5, 0.95, 0.99].map((q) => ({
            expr: quantile(q, of('minichat_end_to_end_seconds_bucket')),
            legend: `p${q * 100}`,
          })),
        }),
        graph({
          title: 'Latency by stage (p95)',
          description: 'log: Kafka has confirmed; commit: Redis has given the place; fanout: handed to ' +
              'own sessions and to the relay; relay: the other nodes have answered; deliver: one ' +
              'event to a node\'s own sessions.',
          unit: 's',
          width: 8,
          lines: [{expr: quantile(0.95, of('minichat_stage_seconds_bucket'), 'stage'), legend: '{{stage}}'}],
        }),
        graph({
          title: 'Refusals by reason',
          description: 'Requests that were refused, by error code. rate_limited and the like are ' +
              'clients that do too much; overloaded, unavailable, unknown and internal are the server\'s.',
          unit: 'reqps',
          width: 8,
          stacked: true,
          lines: [{expr: sumRate(of('minichat_refusals_total'), 'reason'), legend: '{{reason}}'}],
        }))
    .row(
        'Nodes and storage',
        graph({
          title: 'CPU per node',
          description: 'Share of one core: 100 % is one core in full, a node can use several.',
          unit: 'percentunit',
          width: 8,
          lines: [{expr: rate(of('process_cpu_seconds_total')), legend: '{{node}}'}],
        }),
        graph({
          title: 'Sessions per node',
          description: 'Open WebSocket sessions.',
          unit: 'short',
          width: 8,
          stacked: true,
          lines: [{expr: of('minichat_sessions'), legend: '{{node}}'}],
        }),
        graph({
          title: 'Not stored yet',
          description: 'Logged messages without a row, by the node whose persister has their ' +
              'partitions. It grows while Postgres is away or slow.',
          unit: 'short',
          width: 8,
          lines: [{expr: of('minichat_persist_lag_records'), legend: '{{node}}'}],
        }))
    .build();
