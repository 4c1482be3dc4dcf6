// The dashboards and alerts of deploy/, and what can be said against them without running anything.

import {readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {parse} from 'yaml';

import {selectorsOf, withVariables} from './promql.js';

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url));
export const GRAFANA = join(DEPLOY, 'grafana');
export const PROMETHEUS = join(DEPLOY, 'prometheus');
export const DASHBOARDS = join(GRAFANA, 'dashboards');
const COLUMNS = 24;
// What Grafana itself puts in.
const BUILT_IN = ['__rate_interval', '__interval', '__range'];
// Prometheus' own, about what it scrapes.
const NOT_OURS = ['up'];

export const readYaml = (path) => parse(readFileSync(path, 'utf8'));

export const readDashboards = () => readdirSync(DASHBOARDS).sort().map(
    (file) => JSON.parse(readFileSync(join(DASHBOARDS, file))));

// [{alert, expr, labels, annotations}]
export const readAlerts = () =>
    readYaml(join(PROMETHEUS, 'alerts.yml')).groups.flatMap((group) => group.rules);

export const readDatasources = () =>
    readYaml(join(GRAFANA, 'provisioning/datasources/prometheus.yml')).datasources;

// Without the headings of rows.
export const panelsOf = (dashboard) => dashboard.panels.filter((panel) => panel.type !== 'row');

// Everything that is wrong with a dashboard, one line each. `uids` are the data sources that there are.
export function lint(dashboard, uids) {
  const variables = dashboard.templating.list ?? [];
  const found = [
    ...repeated(dashboard.panels.map((panel) => panel.id)).map((id) => `panel id ${id} is there twice`),
    ...overlaps(dashboard.panels),
    ...variables.filter((each) => each.type === 'datasource' && !uids.includes(each.current?.value))
        .map((each) => `variable ${each.name}: there is no data source "${each.current?.value}"`),
  ];
  for (const panel of panelsOf(dashboard)) {
    found.push(...lintPanel(panel, variables, uids).map((what) => `panel "${panel.title}": ${what}`));
  }
  return found;
}

function lintPanel(panel, variables, uids) {
  const found = [];
  const {gridPos, targets = []} = panel;
  if (!panel.title) found.push('no title');
  if (!panel.description) found.push('no description');
  if (!panel.fieldConfig?.defaults?.unit) found.push('no unit');
  if (gridPos.x < 0 || gridPos.x + gridPos.w > COLUMNS) found.push(`outside of ${COLUMNS} columns`);
  if (targets.length === 0) found.push('no query');
  if (panel.type === 'timeseries' && panel.options.legend?.showLegend !== true) found.push('no legend');
  if (panel.type === 'stat' && panel.options.reduceOptions?.calcs?.length !== 1) {
    found.push('no calculation');
  }
  found.push(...repeated(targets.map((target) => target.refId)).map((id) => `refId ${id} is there twice`));
  for (const {datasource} of [panel, ...targets]) {
    found.push(...lintDatasource(datasource, variables, uids));
  }
  for (const target of targets) found.push(...lintTarget(target, variables));
  return found;
}

function lintDatasource(datasource, variables, uids) {
  const uid = datasource?.uid;
  if (uid === undefined) return ['no data source'];
  const variable = uid.match(/^\$\{(\w+)\}$/)?.[1];
  if (variable === undefined) return uids.includes(uid) ? [] : [`there is no data source "${uid}"`];
  return variables.some((each) => each.name === variable && each.type === 'datasource')
             ? []
             : [`no variable $${variable} is a data source`];
}

function lintTarget(target, variables) {
  const found = [];
  if (!target.legendFormat) found.push(`query ${target.refId} has no legend`);
  try {
    const names = [...variables.map((each) => each.name), ...BUILT_IN];
    selectorsOf(withVariables(target.expr, Object.fromEntries(names.map((name) => [name, '1s']))));
  } catch (error) {
    found.push(error.message);
  }
  return found;
}

const repeated = (values) => [...new Set(values.filter((value, i) => values.indexOf(value) !== i))];

function overlaps(panels) {
  const found = [];
  for (const [i, a] of panels.entries()) {
    for (const b of panels.slice(i + 1)) {
      if (overlap(a.gridPos, b.gridPos)) found.push(`panels "${a.title}" and "${b.title}" overlap`);
    }
  }
  return found;
}

const overlap = (a, b) =>
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

// Which of these expressions use a metric that is not among `names` (a Set).
export function unknownMetrics(expressions, names) {
  const used = expressions.flatMap(
      (expr) => selectorsOf(expr).map((selector) => selector.metric));
  return [...new Set(used)].filter((name) => !names.has(name) && !NOT_OURS.includes(name));
}

// All queries of dashboards, with their variables filled in.
export const expressionsOf = (dashboards, values) => dashboards.flatMap(
    (dashboard) => panelsOf(dashboard).flatMap(
        (panel) => panel.targets.map((target) => withVariables(target.expr, values))));

// What is wrong with an alert, one line each.
export function lintAlert(rule) {
  const found = [];
  if (!['critical', 'warning'].includes(rule.labels?.severity)) found.push('no severity');
  for (const key of ['summary', 'description', 'runbook']) {
    if (!rule.annotations?.[key]) found.push(`no ${key}`);
  }
  return found.map((what) => `alert ${rule.alert}: ${what}`);
}
