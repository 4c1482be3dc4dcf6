// Users who talk in several rooms of a cluster, at a steady rate.

import {randomUUID} from 'node:crypto';

import {ChatClient} from './chat_client.js';
import {ticks} from './wait.js';

export class ChatLoad {
  #talkers = [];  // {client, room}
  #members = [];
  #rate;
  #running = null;
  #stopped = false;
  #failures = [];
  acked = 0;

  // `rooms` rooms, each with `membersPerNode` members on each of the nodes (their client addresses);
  // one member per room talks; `rate` messages a second in all.
  static async open(addresses, {rooms, membersPerNode, rate}) {
    const load = new ChatLoad();
    load.#rate = rate;
    const seats = [];
    for (let i = 0; i < rooms; ++i) {
      const room = `room-${i}-${randomUUID().slice(0, 8)}`;
      for (const [at, address] of addresses.entries()) {
        for (let j = 0; j < membersPerNode; ++j) {
          seats.push({address, room, user: `user-${i}-${at}-${j}`,
                      talks: j === 0 && at === i % addresses.length});
        }
      }
    }
    await Promise.all(seats.map(async ({address, room, user, talks}) => {
      const client = await ChatClient.openIn(address, {user}, room);
      load.#members.push(client);
      if (talks) load.#talkers.push({client, room});
    }));
    return load;
  }

  start() {
    this.#running = this.#run();
  }

  // Waits until what was sent is acknowledged; throws when anything was not.
  async stop() {
    this.#stopped = true;
    await this.#running;
    for (const client of this.#members) await client.cut();
    if (this.#failures.length > 0) throw new Error(`not sent: ${this.#failures.slice(0, 3).join('; ')}`);
  }

  async #run() {
    const waiting = new Set();
    for await (const i of ticks(this.#rate)) {
      if (this.#stopped) break;
      const {client, room} = this.#talkers[i % this.#talkers.length];
      const sent = client.say(room, `message ${i} of some length, as people write them`)
          .then(() => ++this.acked, (error) => this.#failures.push(error.message))
          .finally(() => waiting.delete(sent));
      waiting.add(sent);
    }
    await Promise.all(waiting);
  }
}
