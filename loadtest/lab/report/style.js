// How a report looks: on a light and on a dark ground, and on paper.

export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f6f7f9; --ink: #1c2330; --quiet: #5a6475; --line: #d5dae2;
  --shade: #8a94a633; --good: #1a7f4b; --bad: #c0262d; --told: #8a5a00;
  --series-1: #2463c4; --series-2: #c65a11; --series-3: #2b8a57; --series-4: #8b44ac;
  --series-5: #2463c4; --series-6: #c65a11; --series-7: #2b8a57; --series-8: #8b44ac;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171d; --panel: #1d222b; --ink: #e4e8ef; --quiet: #a0aabb; --line: #3a4352;
    --shade: #8a94a633; --good: #5ccb8f; --bad: #ff7b7b; --told: #e6b450;
    --series-1: #6ea8ff; --series-2: #ff9d5c; --series-3: #63cf97; --series-4: #cf94ee;
    --series-5: #6ea8ff; --series-6: #ff9d5c; --series-7: #63cf97; --series-8: #cf94ee;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 76rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, "DejaVu Sans", sans-serif;
}
h1 { margin: 0; font-size: 1.8rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 1.5rem 0 .4rem; font-size: 1rem; }
p, li { max-width: 52rem; }
.when { color: var(--quiet); margin: .25rem 0 1rem; }
.verdict {
  display: inline-block; padding: .15rem .7rem; border: 2px solid; border-radius: 1rem;
  font-weight: 600;
}
.summary { font-size: 1.1rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .told { color: var(--told); }
.void { border: 3px solid var(--bad); padding: .5rem 1rem; border-radius: .5rem; }
.wide { overflow-x: auto; margin-top: .75rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th { background: var(--panel); }
td.number, th.number { text-align: right; }
td.number, td.short { white-space: nowrap; }
.unit { color: var(--quiet); font-weight: 400; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 28rem), 1fr));
  gap: 1rem; margin-top: 1rem; }
figure { margin: 0; padding: .75rem; background: var(--panel); border-radius: .5rem;
  break-inside: avoid; }
figcaption { font-weight: 600; font-size: .95rem; margin-bottom: .25rem; }
p.legend { margin: 0; font-size: .8rem; }
.legend span { display: inline-block; margin-right: 1.2em; white-space: nowrap; }
.legend i { display: inline-block; width: 1.6em; margin-right: .4em; vertical-align: middle; }
svg { display: block; width: 100%; height: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .85rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
@media print {
  :root { color-scheme: light; font-size: 10.5px; }
  body { max-width: none; padding: 0; }
  .wide { overflow: visible; }
  h2, h3, caption { break-after: avoid; }
  tr { break-inside: avoid; }
  .plots { grid-template-columns: 1fr 1fr; }
}
@media print and (prefers-color-scheme: dark) {
  :root { --ground: #fff; --panel: #f6f7f9; --ink: #000; --quiet: #444; --line: #bbb;
    --good: #1a7f4b; --bad: #c0262d; --told: #8a5a00;
    --series-1: #2463c4; --series-2: #c65a11; --series-3: #2b8a57; --series-4: #8b44ac;
    --series-5: #2463c4; --series-6: #c65a11; --series-7: #2b8a57; --series-8: #8b44ac; }
}
`;
