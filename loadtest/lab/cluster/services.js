// Redis, Postgres, Kafka and Prometheus of the lab, as ./dev lab started them.

import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {Prometheus} from '../measure/prometheus.js';
import {outputOf} from './processes.js';

/** @typedef {Record<string, number>} LogEnds  by partition */
/**
 * Written by ./dev lab. For an experiment without the lab's cluster it ends after
 * `kafka_lib`.
 * @typedef {object} ServicesFile
 * @property {string} root   the checkout
 * @property {string} preset of the build
 * @property {string} bin    the folder of the programs
 * @property {string} kafka_lib  Kafka's jars
 * @property {string} ledger
 * @property {string} secret_file
 * @property {string} psql
 * @property {string} redis
 * @property {string} kafka
 * @property {string} postgres
 * @property {string} prometheus
 * @property {string} prometheus_targets
 * @property {Record<string, number>} pids
 * @property {Record<string, string>} versions
 */

export class Services {
  /** @param {ServicesFile} file */
  constructor(file) {
    this.file = file;
    this.prometheus = new Prometheus(file.prometheus);
  }

  /** @param {string} path */
  static read(path) { return new Services(JSON.parse(readFileSync(path, 'utf8'))); }

  /** @param {string} name */
  program(name) { return join(this.file.bin, name); }

  /**
   * As after installation, but for the topic, whose partitions and offsets stay. No node may run,
   * and the log must have been stored. The nodes that come next find a Redis without memory: a new
   * generation, in which rooms that no row speaks of start as on the first day.
   */
  async reset() {
    await outputOf('redis-cli', ['-u', this.file.redis, 'flushall']);
    await this.sql('TRUNCATE messages, dead_letters, rooms, room_members, revocations');
    await this.sql('VACUUM ANALYZE messages');
  }

  /** Lines of fields. @param {string} statement */
  async sql(statement) {
    const text = await outputOf(this.file.psql, [this.file.postgres, '-X', '-q', '-At', '-v',
                                                 'ON_ERROR_STOP=1', '-c', statement]);
    return text.split('\n').filter((line) => line !== '').map((line) => line.split('|'));
  }

  /** Ids of the rows in rooms whose name begins so. @param {string} prefix */
  async storedIds(prefix) {
    // Labels have letters, digits and hyphens only.
    const rows = await this.sql(`SELECT id FROM messages WHERE room_id LIKE '${prefix}%'`);
    return rows.map(([id]) => id);
  }

  /** @param {string} prefix */
  async storedCount(prefix) {
    const [[count]] = await this.sql(
        `SELECT count(*) FROM messages WHERE room_id LIKE '${prefix}%'`);
    return Number(count);
  }

  async deadLetters() {
    const [[count]] = await this.sql('SELECT count(*) FROM dead_letters');
    return Number(count);
  }

  /** @returns {Promise<LogEnds>} */
  async logEnds() {
    return JSON.parse(await outputOf(this.program('minichat-inspect'),
                                     ['ends', '--kafka', this.file.kafka])).ends;
  }

  /**
   * Ids of all records since.
   * @param {LogEnds} since
   * @returns {Promise<{increase: number, ids: string[]}>}
   */
  async loggedSince(since) {
    return JSON.parse(await outputOf(
        this.program('minichat-inspect'),
        ['log', '--kafka', this.file.kafka, '--from', JSON.stringify(since)]));
  }

  /**
   * What Prometheus scrapes from now on.
   * @param {{name: string, admin: string}[]} nodes
   */
  setTargets(nodes) {
    const path = this.file.prometheus_targets;
    const groups = nodes.map(({name, admin}) => ({targets: [admin], labels: {node: name}}));
    writeFileSync(`${path}.new`, JSON.stringify(groups));
    renameSync(`${path}.new`, path);
  }
}
