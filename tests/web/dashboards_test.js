// The dashboards and alerts of deploy/, without a cluster: as generated, well-formed, on metrics that
// there are. Each check is shown a planted error too.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';

import {
  DASHBOARDS,
  GRAFANA,
  PROMETHEUS,
  expressionsOf,
  lint,
  lintAlert,
  readAlerts,
  readDashboards,
  readDatasources,
  readYaml,
  unknownMetrics,
} from './support/dashboards.js';
import {promtool} from './support/promtool.js';
import {ChatNode} from './support/node.js';

const VARIABLES = {node: '.*', __rate_interval: '4s'};
const UIDS = readDatasources().map((source) => source.uid);

let folder;
before(() => { folder = mkdtempSync(join(tmpdir(), 'minichat-dashboards-')); });
after(() => rmSync(folder, {recursive: true}));

// A copy of the dashboard with this uid, changed.
function planted(uid, change) {
  const copy = readDashboards().find((dashboard) => dashboard.uid === uid);
  change(copy.panels.filter((panel) => panel.type !== 'row'), copy);
  return copy;
}

// The metrics that a node serves: [name, type] each.
function goldenLines() {
  const golden = readFileSync(new URL('../golden/metrics.txt', import.meta.url), 'utf8');
  const lines = golden.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.split(' '));
}

// Their names, with the parts of histograms.
function goldenNames() {
  const names = new Set();
  for (const [name, type] of goldenLines()) {
    const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const suffix of suffixes) names.add(name + suffix);
  }
  return names;
}

describe('dashboards', () => {
  test('the committed files are what their sources make', () => {
    const run = (command, ...args) => {
      const {status, stdout, stderr} = spawnSync(command, args, {cwd: GRAFANA, encoding: 'utf8'});
      assert.equal(status, 0, stdout + stderr);
    };
    run('node_modules/.bin/tsc');
    run('node', 'build/generate.js', folder);

    const files = readdirSync(folder).sort();
    assert.deepEqual(files, readdirSync(DASHBOARDS).sort());
    for (const file of files) {
      assert.equal(readFileSync(join(DASHBOARDS, file), 'utf8'), readFileSync(join(folder, file), 'utf8'),
                   `${file} is stale: cd deploy/grafana && npm ci && npm run generate`);
    }
  });

  for (const dashboard of readDashboards()) {
    test(`${dashboard.uid} is well-formed`, () => {
      assert.deepEqual(lint(dashboard, UIDS), []);
    });
  }

  test('their uids and titles differ', () => {
    for (const key of ['uid', 'title']) {
      const values = readDashboards().map((dashboard) => dashboard[key]);
      assert.equal(new Set(values).size, values.length);
    }
  });

  test('they use no metric that a node doesn\'t serve', () => {
    assert.deepEqual(unknownMetrics(expressionsOf(readDashboards(), VARIABLES), goldenNames()), []);
  });

  test('docs/metrics.md has each metric and each alert, and no other', () => {
    const text = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
    const written = [...text.matchAll(/`((?:minichat|executor|process)_[a-z_]+)(?:\{[a-z,]+\})?`/g)];
    const alerts = [...text.matchAll(/`(Minichat\w+)`/g)].map(([, name]) => name);

    assert.deepEqual(written.map(([, name]) => name).sort(), goldenLines().map(([name]) => name).sort());
    assert.deepEqual(alerts.sort(), readAlerts().map(({alert}) => alert).sort());
  });

  const MISTAKES = [
    ['two panels with one id', ([a, b]) => { a.id = b.id; }, /panel id \d+ is there twice/],
    ['overlapping panels', ([a, b]) => { b.gridPos.x = a.gridPos.x + 1; }, /"Nodes" and "Sessions" overlap/],
    ['a panel outside', ([a]) => { a.gridPos.x = 22; }, /outside of 24 columns/],
    ['no unit', ([a]) => { delete a.fieldConfig.defaults.unit; }, /"Nodes": no unit/],
    ['no description', ([a]) => { a.description = ''; }, /"Nodes": no description/],
    ['no legend', (panels) => { panels.at(-1).options.legend.showLegend = false; }, /no legend/],
    ['no calculation', ([a]) => { a.options.reduceOptions.calcs = []; }, /no calculation/],
    ['one refId twice', (panels) => {
      panels.find((panel) => panel.targets.length > 1).targets[1].refId = 'A';
    }, /refId A is there twice/],
    ['an unknown variable', ([a]) => { a.targets[0].expr = 'up{node="$host"}'; }, /unknown variable \$host/],
    ['bad PromQL', ([a]) => { a.targets[0].expr = 'sum(up'; }, /can't be parsed/],
    ['another data source', ([a]) => { a.datasource.uid = 'elsewhere'; }, /no data source "elsewhere"/],
    ['a data source variable that is none', ([a]) => { a.datasource.uid = '${node}'; },
     /no variable \$node is a data source/],
    ['a default that isn\'t provisioned', (_, dashboard) => {
      dashboard.templating.list[0].current.value = 'gone';
    }, /there is no data source "gone"/],
  ];
  for (const [mistake, change, finding] of MISTAKES) {
    test(`the linter finds ${mistake}`, () => {
      const findings = lint(planted('minichat-overview', change), UIDS);
      assert.ok(findings.some((line) => finding.test(line)), findings.join('\n') || 'nothing found');
    });
  }

  test('a wrong metric name is found', () => {
    const wrong = planted('minichat-overview', ([a]) => { a.targets[0].expr = 'minichat_session'; });

    const unknown = unknownMetrics(expressionsOf([wrong], VARIABLES), goldenNames());

    assert.deepEqual(unknown, ['minichat_session']);
  });
});

describe('what Grafana is given', () => {
  test('the data source has a fixed uid and the scrape interval of ./dev up', () => {
    const [source] = readDatasources();
    const up = readFileSync(new URL('../../deploy/dev/lib/prometheus.sh', import.meta.url), 'utf8');

    assert.equal(source.uid, 'minichat-prometheus');
    assert.match(up, new RegExp(`scrape_interval: ${source.jsonData.timeInterval}\n`));
  });

  test('the compose file brings everything to where Grafana looks', () => {
    const {grafana} = readYaml(join(GRAFANA, 'compose.yml')).services;
    const mounts = new Map(grafana.volumes.map((volume) => volume.split(':')));
    const [provider] = readYaml(join(GRAFANA, 'provisioning/dashboards/minichat.yml')).providers;
    const [source] = readDatasources();

    assert.equal(mounts.get('./dashboards'), provider.options.path);
    assert.equal(mounts.get('./provisioning'), '/etc/grafana/provisioning');
    assert.ok(source.url.slice(1) in grafana.environment, `${source.url} is not set`);
    const home = grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH;
    assert.ok(readdirSync(DASHBOARDS).includes(home.replace(`${provider.options.path}/`, '')), home);
  });
});

describe('Prometheus', () => {
  test('promtool takes the configuration, the alerts and their tests', () => {
    for (const args of [
      ['check', 'config', join(PROMETHEUS, 'prometheus.yml')],
      ['check', 'rules', join(PROMETHEUS, 'alerts.yml')],
      ['test', 'rules', join(PROMETHEUS, 'alerts_test.yml')],
    ]) {
      const {ok, output} = promtool(args);
      assert.ok(ok, output);
    }
  });

  test('each alert says what it means and what to do', () => {
    assert.deepEqual(readAlerts().flatMap(lintAlert), []);
  });

  test('an alert without a runbook is found', () => {
    const [alert] = readAlerts();
    delete alert.annotations.runbook;

    assert.deepEqual(lintAlert(alert), [`alert ${alert.alert}: no runbook`]);
  });

  test('alerts use no metric that a node doesn\'t serve', () => {
    assert.deepEqual(unknownMetrics(readAlerts().map((rule) => rule.expr), goldenNames()), []);
  });

  test('an alert on an unknown metric is found', () => {
    const unknown = unknownMetrics(['rate(minichat_gap_total[1m]) > 0'], goldenNames());

    assert.deepEqual(unknown, ['minichat_gap_total']);
  });

  test('each alert has a test', () => {
    const tests = readFileSync(join(PROMETHEUS, 'alerts_test.yml'), 'utf8');
    const untested = readAlerts().filter((rule) => !tests.includes(rule.alert));

    assert.deepEqual(untested.map((rule) => rule.alert), []);
  });

  test('a threshold that is changed breaks a test of the alerts', () => {
    const alerts = readFileSync(join(PROMETHEUS, 'alerts.yml'), 'utf8');
    const changed = alerts.replace('up{job="minichat"} == 0', 'up{job="minichat"} == 1');
    assert.notEqual(changed, alerts);
    writeFileSync(join(folder, 'alerts.yml'), changed);
    writeFileSync(join(folder, 'alerts_test.yml'), readFileSync(join(PROMETHEUS, 'alerts_test.yml')));

    assert.equal(promtool(['test', 'rules', join(folder, 'alerts_test.yml')]).ok, false);
  });

  test('promtool finds nothing to say about the metrics of a node in memory', async () => {
    const node = await ChatNode.start();
    try {
      const metrics = await (await fetch(`http://${node.admin}/metrics`)).text();
      assert.deepEqual(promtool(['check', 'metrics'], metrics), {ok: true, output: ''});
    } finally {
      await node.remove();
    }
  });

  test('promtool names a metric that breaks the rules', () => {
    const {ok, output} = promtool(['check', 'metrics'], '# TYPE minichat_things counter\nminichat_things 1\n');

    assert.equal(ok, false);
    assert.match(output, /minichat_things/);
  });
});
