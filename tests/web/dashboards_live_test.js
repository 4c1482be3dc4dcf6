// The dashboards and alerts on a real Prometheus that scrapes a real cluster under load, in each
// relay mode: every query has an answer. Leaves a picture of each dashboard.

import assert from 'node:assert/strict';
import {rmSync, statSync} from 'node:fs';
import {after, before, describe, test} from 'node:test';

import {ChatLoad} from './support/chat_load.js';
import {Cluster} from './support/cluster.js';
import {takePictures} from './support/dashboard_picture.js';
import {
  expressionsOf,
  panelsOf,
  readAlerts,
  readDashboards,
  unknownMetrics,
} from './support/dashboards.js';
import {Prometheus} from './support/prometheus.js';
import {selectorsOf, seriesNames, withVariables} from './support/promql.js';
import {promtool} from './support/promtool.js';
import {waitFor} from './support/wait.js';

// Longer for the pictures of the documentation.
const SECONDS_PER_MODE = Number(process.env.MINICHAT_DASHBOARD_SECONDS ?? 5);
const MODES = ['bulk', 'single', 'stream'];
// So that there is an executor `fanout`. (Its dispatch, lab.dispatch: pool, knows no mode stream.)
const LAB = {'lab.enabled': true, 'lab.local': 'per_recipient'};
const LOAD = {rooms: 12, membersPerNode: 4, rate: 40};
const STEP = 1;
// As Grafana has it at a scrape interval of 1 s.
const VARIABLES = {node: 'n1|n2|n3', __rate_interval: '4s'};
const LIMIT_MS = 60_000;
// {{label}} in a legend.
const LABEL = /\{\{\s*(\w+)\s*\}\}/g;
// Pixels of a line from one side to the other are more.
const LEAST_INK = 50;

describe('dashboards on a cluster under load', {timeout: 240_000}, () => {
  let cluster;
  let prometheus;
  let period;

  const nodes = () => Object.values(cluster.nodes);

  async function setMode(mode) {
    const [node] = nodes();
    const answer = await fetch(`http://${node.admin}/admin/v1/relay`,
                               {method: 'PUT', body: JSON.stringify({mode})});
    assert.ok(answer.ok, await answer.text());
  }

  // Until each node was scraped so many times in this mode since `start`, a time in ms.
  async function scrapedInMode(mode, start) {
    const wanted = SECONDS_PER_MODE;
    await waitFor(async () => {
      const past = Math.ceil((Date.now() - start) / 1000);
      const scrapes = `sum_over_time(minichat_relay_mode{mode="${mode}"}[${past}s])`;
      const seen = await prometheus.now(scrapes);
      return seen.length === nodes().length && seen.every(({value}) => value >= wanted);
    }, `scraped in mode ${mode}`, LIMIT_MS + 1000 * wanted);
  }

  before(async () => {
    cluster = await Cluster.start(LAB);
    prometheus = await Prometheus.start(
        Object.fromEntries(nodes().map(({name, admin}) => [name, admin])));
    const load = await ChatLoad.open(nodes().map((node) => node.client), LOAD);
    await waitFor(async () => {
      const up = await prometheus.now('up == 1');
      return up.length === nodes().length;
    }, 'Prometheus scrapes all nodes', LIMIT_MS);
    const from = Math.floor(Date.now() / 1000);
    load.start();
    for (const mode of MODES) {
      const start = Date.now();
      await setMode(mode);
      await scrapedInMode(mode, start);
    }
    period = {from, to: Math.floor(Date.now() / 1000), step: STEP};
    await load.stop();
    assert.ok(load.acked > 0);
  });
  after(async () => {
    await prometheus?.stop();
    await cluster?.stop();
  });

  // What is wrong with the answer to one query of a panel; '' if nothing.
  async function faultOf(target) {
    let series;
    try {
      series = await prometheus.range(withVariables(target.expr, VARIABLES), period);
    } catch (error) {
      return error.message;
    }
    const real = series.filter(({values}) => values.some(([, value]) => Number.isFinite(value)));
    if (real.length === 0) return series.length === 0 ? 'empty' : 'only NaN';
    const labels = [...target.legendFormat.matchAll(LABEL)].map(([, name]) => name);
    const lacking = labels.filter((name) => real.some(({metric}) => metric[name] === undefined));
    if (lacking.length > 0) return `the legend's label ${lacking.join(', ')} is missing`;
    const names = real.map(({metric}) => legendOf(target, metric));
    const repeated = names.find((name, i) => names.indexOf(name) !== i);
    return repeated === undefined ? '' : `two lines are called "${repeated}"`;
  }

  for (const dashboard of readDashboards()) {
    test(`each query of ${dashboard.uid} has an answer`, async () => {
      const faults = [];
      for (const panel of panelsOf(dashboard)) {
        for (const target of panel.targets) {
          const fault = await faultOf(target);
          if (fault) faults.push(`${panel.title}, query ${target.refId}: ${fault}`);
        }
      }
      assert.deepEqual(faults, []);
    });
  }

  const MISTAKES = [
    ['a wrong name', 'sum(minichat_session)', 'x', /^empty$/],
    ['a label value that never comes', 'minichat_pulls_total{cause="swept"}', 'x', /^empty$/],
    ['what is not a number', 'minichat_gaps_total / minichat_gaps_total', '{{node}}', /^only NaN$/],
    ['bad PromQL', 'sum(minichat_sessions', 'x', /parse error/],
    ['a label that was summed away', 'sum(minichat_sessions)', '{{node}}', /label node is missing/],
    ['lines that can\'t be told apart', 'minichat_sessions', 'sessions',
     /two lines are called "sessions"/],
  ];
  for (const [mistake, expr, legendFormat, finding] of MISTAKES) {
    test(`a query with ${mistake} is found`, async () => {
      assert.match(await faultOf({expr, legendFormat}), finding);
    });
  }

  test('dashboards and alerts use only names that a node serves', async () => {
    const [node] = nodes();
    const names = seriesNames(await (await fetch(`http://${node.admin}/metrics`)).text());
    const expressions =
        [...expressionsOf(readDashboards(), VARIABLES), ...readAlerts().map(({expr}) => expr)];

    assert.deepEqual(unknownMetrics(expressions, names), []);
    assert.deepEqual(unknownMetrics(['minichat_no_such_thing'], names), ['minichat_no_such_thing']);
  });

  test('promtool finds nothing to say about the metrics of each node', async () => {
    for (const node of nodes()) {
      const metrics = await (await fetch(`http://${node.admin}/metrics`)).text();
      assert.deepEqual(promtool(['check', 'metrics'], metrics), {ok: true, output: ''}, node.name);
    }
  });

  test('each selector of the alerts has series, before anything went wrong', async () => {
    const selectors = readAlerts().flatMap(({expr}) => selectorsOf(expr).map(({text}) => text));
    for (const selector of new Set(selectors)) {
      assert.notEqual((await prometheus.now(selector)).length, 0, selector);
    }
  });

  // A machine that is short of CPU makes messages late, which is worth a warning.
  test('the alerts are evaluated, and no critical one fires in fair weather', async () => {
    const evaluated = await waitFor(async () => {
      const rules = await prometheus.rules();
      return rules.every(({health}) => health === 'ok') && rules;
    }, 'the alerts are evaluated');

    assert.deepEqual(evaluated.map(({name}) => name).sort(),
                     readAlerts().map(({alert}) => alert).sort());
    const critical = evaluated.filter(({labels}) => labels.severity === 'critical');
    assert.notEqual(critical.length, 0);
    assert.deepEqual(critical.filter(({state}) => state === 'firing').map(({name}) => name), []);
  });

  test('pictures show something in each graph', async () => {
    const boards = [];
    for (const dashboard of readDashboards()) boards.push(await boardOf(dashboard));

    const pictures = await takePictures(boards);

    for (const [i, {path, ink}] of pictures.entries()) {
      assert.deepEqual(blankGraphs(boards[i], ink), [], path);
      assert.ok(statSync(path).size > 20_000, path);
    }
  });

  test('a graph without a line is found in a picture', async () => {
    const board = await boardOf(readDashboards()[0]);
    const graph = board.panels.find(({kind}) => kind === 'timeseries');
    for (const line of graph.lines) line.values.fill(null);
    const planted = {...board, uid: 'planted', panels: [graph]};

    const [{path, ink}] = await takePictures([planted]);
    rmSync(path);

    assert.deepEqual(blankGraphs(planted, ink), [graph.title]);
  });

  function blankGraphs(board, ink) {
    const graphs = board.panels.filter(({kind}) => kind === 'timeseries');
    assert.equal(ink.length, graphs.length);
    return graphs.filter((_, at) => ink[at] < LEAST_INK).map(({title}) => title);
  }

  // What the page that draws it needs; times are seconds since the load began.
  async function boardOf(dashboard) {
    const times = [];
    for (let time = 0; time <= period.to - period.from; time += STEP) times.push(time);
    const panels = [];
    for (const panel of dashboard.panels) panels.push(await panelOf(panel, times));
    return {uid: dashboard.uid, title: dashboard.title, times, panels};
  }

  async function panelOf(panel, times) {
    const lines = [];
    const hidden = (panel.fieldConfig?.overrides ?? [])
        .filter((each) => each.properties.some(({id}) => id === 'custom.hideFrom'))
        .map((each) => each.matcher.options);
    for (const target of panel.targets ?? []) {
      const series = await prometheus.range(withVariables(target.expr, VARIABLES), period);
      const found = series.map(({metric, values}) => {
        const at = new Map(values.filter(([, value]) => Number.isFinite(value)));
        const name = legendOf(target, metric);
        return {
          name,
          hidden: hidden.includes(name),
          values: times.map((time) => at.get(period.from + time) ?? null),
        };
      });
      lines.push(...found.sort((a, b) => a.name.localeCompare(b.name, 'en', {numeric: true})));
    }
    const defaults = panel.fieldConfig?.defaults ?? {};
    return {
      kind: panel.type,
      title: panel.title,
      place: panel.gridPos,
      unit: defaults.unit,
      max: defaults.max,
      badFrom: defaults.thresholds?.steps?.[1]?.value ?? null,
      stacked: defaults.custom?.stacking?.mode === 'normal',
      steps: defaults.custom?.lineInterpolation === 'stepAfter',
      named: panel.targets?.some(({legendFormat}) => legendFormat.includes('{{')),
      lines,
    };
  }
});

const legendOf = (target, metric) =>
    target.legendFormat.replaceAll(LABEL, (_, name) => metric[name]);
