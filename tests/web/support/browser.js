// Chromium, and the page as its users meet it: by roles and labels.

import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {chromium} from 'playwright-core';

export const CHROMIUM = '/usr/bin/chromium';
export const BROWSER_ARGUMENTS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
export const PICTURES = process.env.MINICHAT_PICTURES ??
    fileURLToPath(new URL('../../../build/pictures', import.meta.url));
const LIMIT_MS = 20_000;

// One user's window: a browser with a profile of its own.
export class ChatWindow {
  #folder = mkdtempSync(join(tmpdir(), 'minichat-profile-'));
  #errors = [];
  #context;

  // At the page of a node, with `hash` behind its address.
  static async open(address, hash = '') {
    const window = new ChatWindow();
    window.#context = await chromium.launchPersistentContext(window.#folder, {
      executablePath: CHROMIUM,
      args: BROWSER_ARGUMENTS,
      headless: true,
      timeout: 60_000,
    });
    window.page = await window.#context.newPage();
    window.page.setDefaultTimeout(LIMIT_MS);
    window.page.on('pageerror', (error) => window.#errors.push(error.message));
    window.page.on('console', (message) => {
      if (message.type() === 'error') window.#errors.push(message.text());
    });
    await window.page.goto(`http://${address}/${hash}`);
    return window;
  }

  get #messages() { return this.page.getByRole('log', {name: 'Messages'}).getByRole('listitem'); }

  async enter(name, room) {
    await this.page.getByLabel('Name').fill(name);
    await this.page.getByLabel('Room').fill(room);
    await this.page.getByRole('button', {name: 'Join'}).click();
  }

  async say(text) {
    await this.page.getByLabel('Message', {exact: true}).fill(text);
    await this.page.getByRole('button', {name: 'Send'}).click();
  }

  // Waits until the line at the top says so.
  async seesState(text) {
    await this.page.getByRole('status', {name: 'Connection'}).filter({hasText: text}).waitFor();
  }

  // Key by key, without sending it.
  async types(text) {
    await this.page.getByLabel('Message', {exact: true}).pressSequentially(text);
  }

  async seesHere(text) {
    await this.page.getByLabel('Who is here').filter({hasText: text}).waitFor();
  }

  // What is empty is not visible.
  async seesTyping(text) {
    await this.page.getByLabel('Who is typing').filter({hasText: text}).waitFor({state: 'attached'});
  }

  async seesAlert(text) {
    await this.page.getByRole('alert').filter({hasText: text}).waitFor();
  }

  // Waits until the message is there, stored: with its number.
  async sees(text) {
    await this.#messages.filter({hasText: text}).filter({hasText: /#\d+/}).first().waitFor();
  }

  // What stands there: [{from, text, seq, node}], from top to bottom.
  async messages() {
    const lines = await this.#messages.allInnerTexts();
    return lines.map((line) => {
      const parts = line.match(/^(\S+)\s*([^]*?)\s*#(\d+) · [^·]* · (\S+)$/);
      assert.ok(parts, `not a message: "${line}"`);
      return {from: parts[1], text: parts[2], seq: Number(parts[3]), node: parts[4]};
    });
  }

  // Errors on the console that are not of this kind.
  errorsBesides(expected = /^$/) {
    return this.#errors.filter((error) => !expected.test(error));
  }

  async takePicture(name) {
    mkdirSync(PICTURES, {recursive: true});
    const path = join(PICTURES, `${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.png`);
    await this.page.screenshot({path});
    return path;
  }

  async close() {
    await this.#context.close();
    rmSync(this.#folder, {recursive: true, force: true, maxRetries: 5});
  }
}
