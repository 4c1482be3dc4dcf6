// report.json → report.html: one file that needs nothing else.

import {drawPlot, legendOf, sharedExtents} from './charts.js';
import {failedChecks, passed, withoutVoidFigures} from './document.js';
import {STYLE} from './style.js';

/** @typedef {import('./document.js').Report} Report */
/** @typedef {import('./document.js').Section} Section */
/** @typedef {import('./document.js').Table} Table */
/** @typedef {import('./document.js').Plot} Plot */
/** @typedef {import('./document.js').Check} Check */
/** @typedef {import('./document.js').Cell} Cell */
/** @typedef {Map<string, import('./charts.js').Extent>} Extents */

/**
 * @param {Report} document
 * @returns {string}
 */
export function renderReport(document) {
  const report = withoutVoidFigures(document);
  const extents = sharedExtents(report.sections.flatMap((section) => section.plots ?? []));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(report.title)}</title>
<style>${STYLE}</style>
</head>
<body>
${header(report)}
${checks(report.checks)}
${findings(report.findings)}
${report.sections.map((section) => renderSection(section, extents)).join('\n')}
${heldChecks(report.checks)}
${manifest(report.manifest)}
</body>
</html>
`;
}

/** @param {unknown} value */
function text(value) {
  return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;');
}

/** @param {Report} report */
function header(report) {
  const minutes = (Date.parse(report.ended_at) - Date.parse(report.started_at)) / 60_000;
  return `<header>
<h1>${text(report.title)}</h1>
<p class="when">${text(report.started_at.replace('T', ' ').slice(0, 16))} UTC, \
${minutes < 1.5 ? `${Math.round(minutes * 60)} s` : `${Math.round(minutes)} min`}\
${report.quick ? ', quick form: few seconds per condition, for trying things and for tests' : ''}</p>
<p>${verdict(report)}</p>
${report.void ? `<div class="void"><p><strong>This run is void:</strong> ${text(report.void)}. \
None of its figures is shown.</p></div>` : ''}
<p class="summary">${text(report.summary)}</p>
</header>`;
}

/** @param {Report} report */
function verdict(report) {
  const failed = failedChecks(report).length;
  const told = report.checks.filter((check) => !check.ok && check.finding_only).length;
  if (report.void) return '<span class="verdict bad">void</span>';
  if (!passed(report)) return `<span class="verdict bad">${failed} of ${report.checks.length} checks failed</span>`;
  return `<span class="verdict good">${told ? `no check failed, ${told} told` :
                                              `all ${report.checks.length} checks held`}</span>`;
}

/** What needs a look, and how many do not. @param {Check[]} list */
function checks(list) {
  const look = list.filter((check) => !check.ok).sort((a, b) => rank(a) - rank(b));
  const held = list.length - look.length;
  const rest = held ? `<p>${look.length ? `The other ${held}` : `All ${held}`} held; they are ` +
                          'listed at the end.</p>' : '';
  return `<section><h2>Checks</h2>${look.length ? checksTable(look) : ''}${rest}</section>`;
}

/** @param {Check[]} list */
function heldChecks(list) {
  const held = list.filter((check) => check.ok);
  return held.length ? `<section><h2>Checks that held</h2>${checksTable(held)}</section>` : '';
}

/** @param {Check[]} list */
const checksTable = (list) => `<div class="wide"><table>
<thead><tr><th></th><th>Check</th><th>Wanted</th><th>Seen</th></tr></thead>
<tbody>${list.map(checkRow).join('\n')}</tbody></table></div>`;

/** @param {Check} check */
const rank = (check) => check.ok ? 2 : check.finding_only ? 1 : 0;

/** @param {Check} check */
function checkRow(check) {
  const [style, word] = [['bad', 'failed'], ['told', 'finding'], ['good', 'ok']][rank(check)];
  return `<tr><td class="${style}"><strong>${word}</strong></td><td>${text(check.name)}</td>` +
      `<td>${text(check.wanted)}</td><td>${text(check.seen)}</td></tr>`;
}

/** @param {string[]} list */
function findings(list) {
  if (list.length === 0) return '';
  return `<section><h2>Findings</h2><ul>${list.map((f) => `<li>${text(f)}</li>`).join('\n')}</ul></section>`;
}

/** @param {Section} section @param {Extents} extents */
function renderSection(section, extents) {
  const plots = section.plots ?? [];
  return `<section><h2>${text(section.title)}</h2>
${section.text ? `<p>${text(section.text)}</p>` : ''}
${(section.tables ?? []).map(table).join('\n')}
${plots.length ? `<div class="plots">${plots.map((p) => figure(p, extents)).join('\n')}</div>` : ''}
</section>`;
}

// A text of so many characters is not broken into lines.
const SHORT = 24;

/** @param {Table} t */
function table(t) {
  const numeric = t.columns.map((_, i) => t.rows.some((row) => typeof row[i] === 'number'));
  const short = t.columns.map((_, i) => t.rows.every((row) => cellText(row[i]).length <= SHORT));
  const side = (/** @type {number} */ i) =>
      numeric[i] ? ' class="number"' : short[i] ? ' class="short"' : '';
  const head = t.columns.map((c, i) => `<th${side(i)} scope="col">${text(c.name)}` +
                             `${c.unit ? ` <span class="unit">${text(c.unit)}</span>` : ''}</th>`);
  const body = t.rows.map((row) => `<tr>${
      row.map((cell, i) => `<td${side(i)}>${text(cellText(cell))}</td>`).join('')}</tr>`);
  return `<div class="wide"><table><caption>${text(t.title)}</caption>
<thead><tr>${head.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

/**
 * Three digits say enough of what was measured; a count is shown whole.
 * @param {Cell} cell
 */
export function cellText(cell) {
  if (cell === null) return '–';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (typeof cell === 'string') return cell;
  if (Number.isInteger(cell)) return cell.toLocaleString('en-US');
  const size = Math.abs(cell);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  return cell.toLocaleString('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

/** @param {Plot} plot @param {Extents} extents */
function figure(plot, extents) {
  const names = plot.series.map((series) => series.name).join(', ');
  return `<figure role="img" aria-label="${text(`${plot.title}: ${names}`)}">\
<figcaption>${text(plot.title)}</figcaption>${legend(plot)}${drawPlot(plot, extents)}</figure>`;
}

/** @param {Plot} plot */
function legend(plot) {
  if (plot.series.length < 2) return '';
  const entries = legendOf(plot).map(({name, colour, dashed}) =>
      `<span><i style="border-top: 4px ${dashed ? 'dashed' : 'solid'} ${colour}"></i>` +
      `${text(name)}</span>`);
  return `<p class="legend">${entries.join(' ')}</p>`;
}

/** @param {Record<string, unknown>} values */
function manifest(values) {
  const rows = flat(values, '').map(
      ([key, value]) => `<dt>${text(key)}</dt><dd>${text(value)}</dd>`);
  return `<section><h2>What was run, and where</h2><dl>${rows.join('\n')}</dl></section>`;
}

/** @param {Record<string, unknown>} values @param {string} before @returns {[string, unknown][]} */
function flat(values, before) {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      return flat(/** @type {Record<string, unknown>} */ (value), `${before}${key}.`);
    }
    return [[before + key, Array.isArray(value) ? value.join(', ') : value]];
  });
}
