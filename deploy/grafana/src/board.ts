// A dashboard as rows of panels, laid out from left to right; ids and places are given here.

import type {Builder} from '@grafana/grafana-foundation-sdk/cog';
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type Panel,
  QueryVariableBuilder,
  type RowPanel,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';

import {DATASOURCE} from './panels.js';

// As in provisioning/datasources/prometheus.yml.
const DATASOURCE_NAME = 'minichat Prometheus';
const DATASOURCE_UID = 'minichat-prometheus';
const COLUMNS = 24;
// Of Grafana 10; later ones raise it by themselves.
const SCHEMA_VERSION = 38;

export interface BoardOptions {
  uid: string;
  title: string;
  description: string;
}

export class Board {
  readonly #options: BoardOptions;
  readonly #panels: (Panel | RowPanel)[] = [];
  #lastId = 0;
  #y = 0;

  constructor(options: BoardOptions) {
    this.#options = options;
  }

  // A heading, and what stands under it.
  row(title: string, ...panels: Builder<Panel>[]): this {
    const heading = new RowBuilder(title).build();
    this.#panels.push(this.#placed(heading, {x: 0, y: this.#y, w: COLUMNS, h: 1}));
    this.#y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const builder of panels) {
      const panel = builder.build();
      const {w, h} = panel.gridPos!;
      if (x + w > COLUMNS) {
        x = 0;
        this.#y += lineHeight;
        lineHeight = 0;
      }
      this.#panels.push(this.#placed(panel, {x, y: this.#y, w, h}));
      x += w;
      lineHeight = Math.max(lineHeight, h);
    }
    this.#y += lineHeight;
    return this;
  }

  build(): Dashboard {
    const dashboard = new DashboardBuilder(this.#options.title)
        .uid(this.#options.uid)
        .description(this.#options.description)
        .tags(['minichat'])
        .timezone('browser')
        .time({from: 'now-15m', to: 'now'})
        .refresh('5s')
        .tooltip(DashboardCursorSync.Crosshair)
        .variables([dataSourceVariable(), nodeVariable()])
        .link(new DashboardLinkBuilder('minichat')
                  .type(DashboardLinkType.Dashboards)
                  .tags(['minichat']))
        .build();
    return {...dashboard, schemaVersion: SCHEMA_VERSION, panels: this.#panels};
  }

  #placed<P extends Panel | RowPanel>(panel: P, gridPos: NonNullable<P['gridPos']>): P {
    return {...panel, id: ++this.#lastId, gridPos};
  }
}

const dataSourceVariable = () => new DatasourceVariableBuilder('datasource')
    .label('Data source')
    .type('prometheus')
    .current({text: DATASOURCE_NAME, value: DATASOURCE_UID});

const nodeVariable = () => new QueryVariableBuilder('node')
    .label('Node')
    .datasource(DATASOURCE)
    .query('label_values(minichat_build_info, node)')
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc)
    .multi(true)
    .includeAll(true)
    .current({text: 'All', value: '$__all'});
