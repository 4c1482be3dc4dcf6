// The account that each k6 member keeps: what it says of losses, repeats and disorder.

import assert from 'node:assert/strict';
import {describe, test} from 'node:test';

import {doneText, Ledger, talkText} from '../../loadtest/k6/lib/ledger.js';

const CURSOR = 100;

// The ledger of bob; ann and bob talk.
function ledgerFrom(cursor = CURSOR, whole = true) {
  return new Ledger('bob', ['ann', 'bob'], cursor, whole);
}

const talk = (seq, from, n) => ({seq, id: `id-${from}-${n}`, from, text: talkText(n, 5, 40)});
const done = (seq, from, acked) => ({seq, id: `id-${from}-done`, from, text: doneText(acked)});

function counts({received, repeated, misordered, wrong, lost, expected}) {
  return {received, repeated, misordered, wrong, lost, expected};
}

const CLEAN = {received: 0, repeated: 0, misordered: 0, wrong: 0, lost: 0, expected: 0};

describe('a ledger', () => {
  test('of all messages is clean', () => {
    const ledger = ledgerFrom();
    for (const message of [talk(101, 'ann', 1), talk(102, 'bob', 1), talk(103, 'ann', 2),
                           done(104, 'bob', 1), done(105, 'ann', 2)]) {
      assert.notEqual(ledger.take(message), null);
    }
    ledger.acked(1, 'id-bob-1');

    assert.deepEqual(counts(ledger), {...CLEAN, received: 3, expected: 3});
    assert.deepEqual(ledger.missing(105), []);
    assert.equal(ledger.settled, true);
  });

  test('tells when a message was due', () => {
    assert.deepEqual(ledgerFrom().take(talk(101, 'ann', 1)), {op: 'talk', n: 1, at: 5});
  });

  test('sees a loss by the talker\'s own count', () => {
    const ledger = ledgerFrom();
    ledger.take(talk(101, 'ann', 1));
    ledger.take(talk(102, 'ann', 3));
    ledger.take(done(103, 'ann', 3));

    assert.deepEqual(counts(ledger), {...CLEAN, received: 2, lost: 1, expected: 3});
    assert.equal(ledger.settled, false);
  });

  test('names the numbers that are missing, in between and at the end', () => {
    const ledger = ledgerFrom();
    ledger.take(talk(103, 'ann', 1));
    ledger.take(talk(105, 'ann', 2));

    assert.deepEqual(ledger.missing(107), [[101, 102], [104, 104], [106, 107]]);
  });

  test('counts a missing number as lost only when the history has it', () => {
    const ledger = ledgerFrom(CURSOR, false);
    ledger.take(talk(103, 'ann', 8));
    assert.equal(ledger.lost, 0);

    ledger.found(2);
    assert.equal(ledger.lost, 2);
  });

  test('counts one loss once, however it was seen', () => {
    const ledger = ledgerFrom();
    ledger.acked(1, 'id-bob-1');
    ledger.take(done(102, 'bob', 1));
    ledger.found(1);

    assert.equal(ledger.lost, 1);
  });

  test('counts a message that came later than its follower, once', () => {
    const ledger = ledgerFrom();
    for (const message of [talk(101, 'ann', 1), talk(103, 'ann', 3), talk(102, 'ann', 2)]) {
      ledger.take(message);
    }

    assert.deepEqual(counts(ledger), {...CLEAN, received: 3, misordered: 1});
    assert.deepEqual(ledger.missing(103), []);
  });

  test('counts messages of one talker whose numbers of the room are the wrong way round', () => {
    const ledger = ledgerFrom();
    ledger.take(talk(101, 'ann', 2));
    ledger.take(talk(102, 'ann', 1));

    assert.deepEqual(counts(ledger), {...CLEAN, received: 2, misordered: 1});
  });

  test('counts a message that comes again, also under another number', () => {
    const ledger = ledgerFrom();
    ledger.take(talk(101, 'ann', 1));
    assert.equal(ledger.take(talk(101, 'ann', 1)), null);
    assert.equal(ledger.take(talk(102, 'ann', 1)), null);

    assert.deepEqual(counts(ledger), {...CLEAN, received: 1, repeated: 2});
  });

  test('counts what nobody of the run has sent, and another id than the ack\'s', () => {
    const ledger = ledgerFrom();
    ledger.take(talk(101, 'eve', 1));
    ledger.take({seq: 102, id: 'x', from: 'ann', text: 'hi'});
    ledger.take(talk(103, 'bob', 1));
    ledger.acked(1, 'another');

    assert.deepEqual(counts(ledger), {...CLEAN, received: 1, wrong: 3});
  });

  test('of one who came later begins with the first message that it saw', () => {
    const ledger = ledgerFrom(CURSOR, false);
    ledger.take(talk(101, 'ann', 7));
    ledger.take(done(102, 'ann', 7));

    assert.deepEqual(counts(ledger), {...CLEAN, received: 1});
  });

  test('stands a leap of the room\'s numbers', () => {
    const ledger = ledgerFrom();
    ledger.take(talk(101, 'ann', 1));
    ledger.take(talk(2 ** 32 + 1, 'ann', 2));

    assert.deepEqual(ledger.missing(2 ** 32 + 1), [[102, 2 ** 32]]);
    assert.equal(ledger.lost, 0);
  });
});
