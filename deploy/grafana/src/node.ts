// One node, or each of several: its queues, evictions, memory, file descriptors.

import {Board} from './board.js';
import {graph, number} from './panels.js';
import {of, quantile, rate, sumRate} from './promql.js';

export const node = new Board({
  uid: 'minichat-node',
  title: 'minichat: node',
  description: 'Queues, evictions, memory, file descriptors. Choose nodes at the top.',
})
    .row(
        'How near the limits',
        number({
          title: 'Outbound memory',
          description: 'Bytes that wait for clients, of limits.node_queue_bytes. At the bound slow ' +
              'readers are closed.',
          unit: 'percentunit',
          width: 6,
          badFrom: 0.8,
          lines: [{
            expr: `max by (node) (${of('minichat_outbound_queue_bytes')} / ${
                of('minichat_outbound_queue_limit_bytes')})`,
            legend: '{{node}}',
          }],
        }),
        number({
          title: 'File descriptors',
          description: 'Open descriptors, of those that the process may have. Near the bound new ' +
              'clients are turned away.',
          unit: 'percentunit',
          width: 6,
          badFrom: 0.8,
          lines: [{
            expr: `max by (node) (${of('process_open_fds')} / ${of('process_max_fds')})`,
            legend: '{{node}}',
          }],
        }),
        number({
          title: 'Hot window',
          description: 'What the rooms\' windows weigh in Redis, of what they may; they hold what ' +
              'Postgres has not stored yet. At the bound sends are refused.',
          unit: 'percentunit',
          width: 6,
          badFrom: 0.8,
          lines: [{
            expr: `max(${of('minichat_hot_window_bytes')}) / min(${
                of('minichat_hot_window_limit_bytes')})`,
            legend: 'of all rooms',
          }],
        }),
        number({
          title: 'Version',
          description: 'The versions that run, and on how many nodes.',
          unit: 'short',
          width: 6,
          lines: [{expr: `count by (version) (${of('minichat_build_info')})`, legend: '{{version}}'}],
        }))
    .row(
        'Clients',
        graph({
          title: 'Connections and sessions',
          description: 'TCP connections of clients and operators, and WebSocket sessions among them.',
          unit: 'short',
          width: 8,
          lines: [
            {expr: of('minichat_connections'), legend: '{{node}}: connections'},
            {expr: of('minichat_sessions'), legend: '{{node}}: sessions'},
          ],
        }),
        graph({
          title: 'Evictions and other ends',
          description: 'Ended WebSocket connections by reason. slow_reader: the client did not read ' +
              'what was sent; overloaded: no room for more; silent: not even a pong came.',
          unit: 'ops',
          width: 8,
          stacked: true,
          lines: [{expr: sumRate(of('minichat_closes_total'), 'reason'), legend: '{{reason}}'}],
        }),
        graph({
          title: 'Turned away',
          description: 'Connections closed at once, by reason, and accepts that failed.',
          unit: 'ops',
          width: 8,
          lines: [
            {expr: sumRate(of('minichat_connections_refused_total'), 'reason'), legend: '{{reason}}'},
            {expr: sumRate(of('minichat_accept_errors_total')), legend: 'accept failed'},
          ],
        }))
    .row(
        'Queues',
        graph({
          title: 'Depth',
          description: 'Entries in bounded queues: sends and reads under way, commands to Redis, ' +
              'records to Kafka, calls from other nodes.',
          unit: 'short',
          width: 8,
          lines: [{expr: `sum by (queue) (${of('minichat_queue_depth')})`, legend: '{{queue}}'}],
        }),
        graph({
          title: 'Overflows',
          description: 'What full queues refused. outbound_latest: presence and typing that newer ones ' +
              'replaced, which harms nobody.',
          unit: 'ops',
          width: 8,
          lines: [{expr: sumRate(of('minichat_queue_overflows_total'), 'queue'), legend: '{{queue}}'}],
        }),
        graph({
          title: 'Waiting for clients',
          description: 'Bytes queued for sessions: what clients have not taken yet.',
          unit: 'bytes',
          width: 8,
          lines: [{expr: of('minichat_outbound_queue_bytes'), legend: '{{node}}'}],
        }))
    .row(
        'Process',
        graph({
          title: 'CPU',
          description: 'Share of one core: 100 % is one core in full, a node can use several.',
          unit: 'percentunit',
          width: 8,
          lines: [{expr: rate(of('process_cpu_seconds_total')), legend: '{{node}}'}],
        }),
        graph({
          title: 'Memory',
          description: 'Resident memory.',
          unit: 'bytes',
          width: 8,
          lines: [{expr: of('process_resident_memory_bytes'), legend: '{{node}}'}],
        }),
        graph({
          title: 'File descriptors',
          description: 'Open file descriptors: one for each connection, and a few dozen more.',
          unit: 'short',
          width: 8,
          lines: [{expr: of('process_open_fds'), legend: '{{node}}'}],
        }))
    .row(
        'Rooms and storage',
        graph({
          title: 'Rooms',
          description: 'Rooms with sessions on the node.',
          unit: 'short',
          width: 8,
          lines: [{expr: of('minichat_rooms'), legend: '{{node}}'}],
        }),
        graph({
          title: 'Rows',
          description: 'Rows written to Postgres, or found written, and records that could not be ' +
              'stored and went to the dead letters.',
          unit: 'ops',
          width: 8,
          lines: [
            {expr: rate(of('minichat_persisted_total')), legend: '{{node}}'},
            {expr: sumRate(of('minichat_dead_letters_total')), legend: 'dead letters'},
          ],
        }),
        graph({
          title: 'Rows per insert (p95)',
          description: 'Rows are written in batches: one statement for many messages, the more the ' +
              'higher the load.',
          unit: 'short',
          width: 8,
          lines: [{expr: quantile(0.95, of('minichat_persist_batch_rows_bucket'), 'node'), legend: '{{node}}'}],
        }),
        graph({
          title: 'Hot window',
          description: 'What the rooms\' windows in Redis weigh together.',
          unit: 'bytes',
          width: 8,
          lines: [{expr: of('minichat_hot_window_bytes'), legend: 'seen by {{node}}'}],
        }),
        graph({
          title: 'Back ends',
          description: '1: the node can use it; 0: it can\'t.',
          unit: 'short',
          width: 8,
          max: 1,
          steps: true,
          decimals: 0,
          lines: [{expr: of('minichat_dependency_up'), legend: '{{node}}: {{name}}'}],
        }),
        graph({
          title: 'Persister and presence',
          description: 'Logged messages that the persister had to give their place (their node died), ' +
              'writes refused as of an old generation of Redis, and users told as come or gone.',
          unit: 'ops',
          width: 8,
          lines: [
            {expr: sumRate(of('minichat_persister_placed_total')), legend: 'placed by the persister'},
            {expr: sumRate(of('minichat_fenced_total')), legend: 'old generation'},
            {expr: sumRate(of('minichat_refused_twins_total')), legend: 'refused twins'},
            {expr: sumRate(of('minichat_presence_changes_total')), legend: 'came or went'},
          ],
        }))
    .build();
