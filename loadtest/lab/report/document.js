// The document of one experiment's run: what a program measured, in a shape that report.html is
// made from. C++ programs write the same (loadtest/report).

/** @typedef {string | number | boolean | null} Cell */
/** @typedef {{name: string, unit?: string}} Column */
/** @typedef {{title: string, columns: Column[], rows: Cell[][]}} Table */
/** @typedef {{label: string, unit?: string, log?: boolean}} Axis */
/** @typedef {{from: number, to: number, label: string}} Mark */
/** @typedef {{name: string, points: (number | null)[][]}} Series */
/**
 * A bar plot's points are [name, value]; those of the others [x, y].
 * @typedef {object} Plot
 * @property {string} title
 * @property {'line' | 'bar' | 'cdf'} kind
 * @property {Axis} x
 * @property {Axis} y
 * @property {string} [axes]  plots with the same one share equal axes
 * @property {Mark[]} [marks]
 * @property {{name: string, points: [number | string, number | null][]}[]} series
 */
/** @typedef {{title: string, text: string, tables?: Table[], plots?: Plot[]}} Section */
/**
 * `finding_only`: told when it does not hold, but no failure.
 * @typedef {{name: string, wanted: string, seen: string, ok: boolean, finding_only?: boolean}}
 *     Check
 */
/**
 * @typedef {object} Report
 * @property {string} experiment
 * @property {string} title
 * @property {string} summary
 * @property {string} started_at  ISO 8601
 * @property {string} ended_at
 * @property {boolean} quick
 * @property {Record<string, unknown>} manifest
 * @property {Section[]} sections
 * @property {Check[]} checks
 * @property {string[]} findings
 * @property {string} void  why nothing of it may be believed; empty: it may
 */

const TEXTS = ['experiment', 'title', 'summary', 'started_at', 'ended_at', 'void'];
const LISTS = ['sections', 'checks', 'findings'];
const KINDS = ['line', 'bar', 'cdf'];

/**
 * What is wrong with a document that came from elsewhere, in sentences; empty when nothing is.
 * @param {any} document
 * @returns {string[]}
 */
export function problemsOf(document) {
  if (document === null || typeof document !== 'object') return ['is no object'];
  return [
    ...TEXTS.filter((key) => typeof document[key] !== 'string').map((key) => `"${key}": no text`),
    ...LISTS.filter((key) => !Array.isArray(document[key])).map((key) => `"${key}": no list`),
    ...(document.sections ?? []).flatMap(problemsOfSection),
    ...(document.checks ?? []).flatMap(problemsOfCheck),
  ];
}

/** @param {any} section */
function problemsOfSection(section) {
  return [...(section.tables ?? []).flatMap(problemsOfTable),
          ...(section.plots ?? []).flatMap(problemsOfPlot)];
}

/** @param {any} table */
function problemsOfTable(table) {
  const width = table.columns?.length;
  return (table.rows ?? []).filter((/** @type {any} */ row) => row.length !== width)
      .map((/** @type {any} */ row) =>
               `table "${table.title}": a row of ${row.length} cells under ${width} columns`);
}

/** @param {any} plot */
function problemsOfPlot(plot) {
  const problems = [];
  if (!KINDS.includes(plot.kind)) problems.push(`plot "${plot.title}": kind "${plot.kind}"`);
  if (!plot.series?.length) problems.push(`plot "${plot.title}": no series`);
  return problems;
}

/** @param {any} check */
function problemsOfCheck(check) {
  return typeof check.name === 'string' && typeof check.ok === 'boolean' ?
      [] :
      [`a check without name or outcome: ${JSON.stringify(check)}`];
}

/**
 * Did the run hold what it had to hold?
 * @param {Report} report
 */
export function passed(report) {
  return report.void === '' && failedChecks(report).length === 0;
}

/** @param {Report} report */
export function failedChecks(report) {
  return report.checks.filter((check) => !check.ok && !check.finding_only);
}

/**
 * A run that is void keeps its reason, checks and manifest, and none of its figures.
 * @param {Report} report
 * @returns {Report}
 */
export function withoutVoidFigures(report) {
  return report.void === '' ? report : {...report, sections: [], findings: []};
}
