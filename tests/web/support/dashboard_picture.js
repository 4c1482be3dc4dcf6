// A picture of a dashboard: its JSON and the results of its queries, drawn in Chromium.

import {mkdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

import {chromium} from 'playwright-core';

import {BROWSER_ARGUMENTS, CHROMIUM, PICTURES} from './browser.js';

const require = createRequire(import.meta.url);
const WIDTH = 1400;
const STYLE = `
  body { margin: 12px 12px 4px; font: 12px 'DejaVu Sans', sans-serif; color: #222; background: #f4f5f5; }
  h1 { font-size: 17px; margin: 0 0 2px; }
  p { margin: 0 0 8px; color: #555; }
  main { position: relative; }
  section { position: absolute; background: #fff; border: 1px solid #dcdcdc; border-radius: 2px;
            box-sizing: border-box; padding: 4px 8px; display: flex; flex-direction: column; }
  section.row { background: none; border: none; padding: 4px 0 0; }
  section.row h2 { font-size: 13px; }
  h2 { font-size: 12px; margin: 0 0 2px; white-space: nowrap; overflow: hidden; }
  .plot { flex: 1; min-height: 0; overflow: hidden; }
  .legend { line-height: 15px; max-height: 45px; overflow: hidden; font-size: 11px; }
  .entry { display: inline-block; margin-right: 10px; white-space: nowrap; }
  .entry i { display: inline-block; width: 12px; height: 4px; margin: 0 4px 2px 0; }
  .numbers { flex: 1; display: flex; justify-content: space-around; align-items: center; }
  .number { text-align: center; }
  .number b { font-size: 23px; font-weight: 600; display: block; }
  .number small { color: #555; }
  .bad { color: #b3261e; }`;

const pageOf = (board) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><style>${
    readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')}${STYLE}</style></head><body><h1></h1>
<p>Drawn by minichat's own tool from the dashboard's file and a Prometheus that scraped a three-node
cluster under load. Not a screenshot of Grafana.</p><main></main>
<script>${readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8')}</script>
<script>const board = ${JSON.stringify(board).replaceAll('<', '\\u003c')};</script>
<script>${readFileSync(new URL('./dashboard_page.js', import.meta.url), 'utf8')}</script></body></html>`;

// Draws boards ({uid, title, from, to, times, panels}) and leaves a picture of each. Returns for each
// where it is and how many pixels its graphs have painted: [{path, ink: [number]}].
export async function takePictures(boards) {
  mkdirSync(PICTURES, {recursive: true});
  const browser = await chromium.launch({executablePath: CHROMIUM, args: BROWSER_ARGUMENTS});
  try {
    const pictures = [];
    for (const board of boards) pictures.push(await takePicture(browser, board));
    return pictures;
  } finally {
    await browser.close();
  }
}

async function takePicture(browser, board) {
  const page = await browser.newPage({viewport: {width: WIDTH, height: 800}});
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.setContent(pageOf(board));
  await page.waitForFunction(() => window.ink !== undefined).catch((error) => {
    throw new Error(`${board.uid}: ${errors.join('; ') || error.message}`);
  });
  const path = join(PICTURES, `${board.uid}.png`);
  await page.screenshot({path, fullPage: true});
  const ink = await page.evaluate(() => window.ink);
  await page.close();
  return {path, ink};
}
