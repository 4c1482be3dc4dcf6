// The two kinds of panel that the dashboards are made of. Everything that a reader needs is
// mandatory: a title, a description in plain words, a unit, a name for each line.

import type {Builder} from '@grafana/grafana-foundation-sdk/cog';
import {
  BigValueColorMode,
  BigValueGraphMode,
  LegendDisplayMode,
  LegendPlacement,
  LineInterpolation,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  type Panel,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import {DataqueryBuilder} from '@grafana/grafana-foundation-sdk/prometheus';
import {PanelBuilder as StatBuilder} from '@grafana/grafana-foundation-sdk/stat';
import {PanelBuilder as TimeseriesBuilder} from '@grafana/grafana-foundation-sdk/timeseries';

// The data source is chosen at the top of the dashboard; ours comes first.
export const DATASOURCE = {type: 'prometheus', uid: '${datasource}'};

export interface Line {
  expr: string;
  legend: string;  // {{label}} is replaced
}

interface Common {
  title: string;
  description: string;
  unit: string;
  lines: Line[];
  width: number;  // of 24
  height?: number;
  decimals?: number;
}

export interface GraphOptions extends Common {
  // A value that the axis reaches to, so that panels with the same one can be compared; not shown.
  reach?: string;
  max?: number;
  stacked?: boolean;
  steps?: boolean;  // what jumps, like a state, has no slopes
}

export interface NumberOptions extends Common {
  // From this value on it is red; without it, it has no opinion.
  badFrom?: number;
}

// The line that is there for the axis only.
const REACH = 'same scale';
const GRAPH_HEIGHT = 8;
const NUMBER_HEIGHT = 4;

// A, B, C, …
const refId = (index: number) => String.fromCharCode('A'.charCodeAt(0) + index);

const targets = (lines: Line[]) => lines.map(
    (line, i) => new DataqueryBuilder()
                     .refId(refId(i))
                     .datasource(DATASOURCE)
                     .expr(line.expr)
                     .legendFormat(line.legend)
                     .range());

// Lines over time.
export function graph(options: GraphOptions): Builder<Panel> {
  const reach = options.reach === undefined ? [] : [{expr: options.reach, legend: REACH}];
  const panel = new TimeseriesBuilder()
      .title(options.title)
      .description(options.description)
      .datasource(DATASOURCE)
      .unit(options.unit)
      .min(0)
      .span(options.width)
      .height(options.height ?? GRAPH_HEIGHT)
      .targets(targets([...options.lines, ...reach]))
      .legend(new VizLegendOptionsBuilder()
                  .showLegend(true)
                  .displayMode(LegendDisplayMode.List)
                  .placement(LegendPlacement.Bottom))
      .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
      .showPoints(VisibilityMode.Never)
      .lineWidth(1)
      .fillOpacity(options.stacked ? 40 : 8);
  if (options.max !== undefined) panel.max(options.max);
  if (options.decimals !== undefined) panel.decimals(options.decimals);
  if (reach.length > 0) {
    panel.overrideByName(REACH, [
      {id: 'custom.lineWidth', value: 0},
      {id: 'custom.fillOpacity', value: 0},
      {id: 'custom.hideFrom', value: {legend: true, tooltip: true, viz: false}},
    ]);
  }
  if (options.steps) panel.lineInterpolation(LineInterpolation.StepAfter);
  if (options.stacked) panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
  return panel;
}

// The last value, large.
export function number(options: NumberOptions): Builder<Panel> {
  const steps = [{value: null, color: options.badFrom === undefined ? 'text' : 'green'}];
  const bad = options.badFrom === undefined ? [] : [{value: options.badFrom, color: 'red'}];
  const panel = new StatBuilder()
      .title(options.title)
      .description(options.description)
      .datasource(DATASOURCE)
      .unit(options.unit)
      .span(options.width)
      .height(options.height ?? NUMBER_HEIGHT)
      .targets(targets(options.lines))
      .thresholds(new ThresholdsConfigBuilder()
                      .mode(ThresholdsMode.Absolute)
                      .steps([...steps, ...bad]))
      .colorMode(BigValueColorMode.Value)
      .graphMode(BigValueGraphMode.Area)
      .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false));
  if (options.decimals !== undefined) panel.decimals(options.decimals);
  return panel;
}
