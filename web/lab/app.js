// Steers minichat-load through its control port, and draws what it and the nodes report.

import {Chart, format} from './charts.js';

const POLL_MS = 1000;
const KEPT = 300;  // seconds
const ADDRESS = /^(127\.0\.0\.1|localhost):\d{1,5}$/;
const BUSY = 0.7;  // of a core: above, the generator measures itself

const $ = (id) => document.getElementById(id);
const control = new URLSearchParams(location.search).get('control');

let seconds = [];
let editing = null;   // a knob that the user holds: it is not moved under their hand
let wantedMode = null;
let settings = null;

const nodesOf = (second, read) => second.nodes.map(read);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const names = (shown) => shown.at(-1).nodes.map(({name}) => name);
const perNode = (shown, read) => names(shown).map((name, i) => ({
  name,
  values: shown.map(({nodes}) => nodes[i]?.up ? read(nodes[i]) : null),
}));
const withDeliveries = (second, value) => (second.received > 0 ? value : null);

function makeCharts() {
  const parent = $('charts');
  const one = (name, read) => (shown) => [{name, values: shown.map(read)}];
  return [
    new Chart(parent, {
      title: 'Latency of deliveries', unit: 'ms',
      lines: (shown) => [
        {name: 'p50', values: shown.map((s) => withDeliveries(s, s.p50))},
        {name: 'p95', values: shown.map((s) => withDeliveries(s, s.p95))},
      ],
      compare: (s) => withDeliveries(s, s.p95), compared: 'p95',
    }),
    new Chart(parent, {
      title: 'Relay RPCs per message', unit: '', lines: one('all nodes', (s) => s.calls_per_message),
      compare: (s) => s.calls_per_message, compared: 'RPCs per message',
    }),
    new Chart(parent, {
      title: 'CPU of each node', unit: '%', lines: (shown) => perNode(shown, (n) => 100 * n.cpu_share),
      compare: (s) => 100 * sum(nodesOf(s, (n) => n.cpu_share)), compared: 'all nodes together',
    }),
    new Chart(parent, {
      title: 'Tasks per message', unit: '', lines: one('all nodes', (s) => s.tasks_per_message),
      compare: (s) => s.tasks_per_message, compared: 'tasks per message',
    }),
    new Chart(parent, {
      title: 'Executor threads of each node', unit: '', lines: (shown) => perNode(shown, (n) => n.threads),
      compare: (s) => sum(nodesOf(s, (n) => n.threads)), compared: 'all nodes together',
    }),
    new Chart(parent, {
      title: 'Deliveries a second', unit: '', lines: one('received', (s) => s.received),
      compare: (s) => s.received, compared: 'received a second',
    }),
  ];
}

function say(state, text) {
  $('state').dataset.state = state;
  $('state').textContent = text;
}

function complain(text) {
  $('notice').textContent = text;
  $('notice').hidden = text === '';
}

async function ask(path, options) {
  const answer = await fetch(`http://${control}${path}`, options);
  const body = await answer.json();
  if (!answer.ok) throw new RangeError(body.error);
  return body;
}

async function change(wish) {
  try {
    show(await ask('/v1/settings', {
      method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(wish),
    }));
    complain('');
  } catch (error) {
    complain(error instanceof RangeError ? error.message : 'the control port does not answer');
  }
}

function setKnob(name, value) {
  for (const input of [$(name), $(`${name}-range`)]) if (input !== editing) input.value = value;
}

function showFigures(state) {
  const last = seconds.at(-1);
  const wrong = ['lost', 'repeated', 'misordered'].filter((key) => state.counts[key] > 0);
  const refused = sum(Object.values(state.counts.errors));
  const entries = [
    ['p50', format(state.latency_ms.p50, 'ms')],
    ['p95', format(state.latency_ms.p95, 'ms')],
    ['deliveries', `${last?.received ?? 0}/s`],
    ['members here', `${state.joined} of ${state.settings.members}`],
    ['wrong', wrong.map((key) => `${state.counts[key]} ${key}`).join(', ') || 'nothing', wrong.length > 0],
    ['refused', `${refused}`, refused > 0],
    ['generator', `${Math.round(100 * (last?.generator_cpu_share ?? 0))} % of a core`,
     last?.generator_cpu_share > BUSY],
  ];
  $('figures').replaceChildren(...entries.map(([name, value, bad]) => {
    const group = document.createElement('div');
    const term = document.createElement('dt');
    const data = document.createElement('dd');
    term.textContent = name;
    data.textContent = value;
    data.classList.toggle('bad', Boolean(bad));
    group.append(term, data);
    return group;
  }));
}

function showMode(state) {
  const mode = seconds.at(-1)?.mode ?? '';
  if (mode === wantedMode || state.mode_error) wantedMode = null;
  if (state.mode_error) complain(state.mode_error);
  const marked = wantedMode ?? mode;
  for (const radio of document.getElementsByName('mode')) radio.checked = radio.value === marked;
  const doing = settings.running ? 'under load' : 'paused';
  say('open', wantedMode ? `switching to ${wantedMode}` : `${mode || 'no node answers'}, ${doing}`);
}

function show(state) {
  settings = state.settings;
  seconds = [...seconds, ...state.seconds].slice(-KEPT);
  $('members').max = state.max_members;
  for (const name of ['members', 'talkers', 'rate']) setKnob(name, settings[name]);
  $('talkers-range').max = Math.min(settings.members, 150);
  $('run').textContent = settings.running ? 'Pause' : 'Go on';
  showFigures(state);
  showMode(state);
}

async function poll(charts) {
  try {
    show(await ask(`/v1/state?since=${seconds.at(-1)?.at ?? 0}`));
    if (seconds.length > 0) charts.forEach((chart) => chart.draw(seconds));
  } catch (error) {
    say('waiting', `${control} does not answer`);
  }
  setTimeout(() => poll(charts), POLL_MS);
}

// More talkers than members can't be: the other one gives way.
function wishFor(name, value) {
  const wish = {[name]: value};
  if (name === 'members' && settings.talkers > value) wish.talkers = value;
  if (name === 'talkers' && settings.members < value) wish.members = value;
  return wish;
}

function listen() {
  for (const name of ['members', 'talkers', 'rate']) {
    for (const input of [$(name), $(`${name}-range`)]) {
      input.addEventListener('input', () => {
        editing = input;
        if (input.checkValidity()) setKnob(name, input.value);
      });
      input.addEventListener('change', async () => {
        editing = null;
        if (input.reportValidity()) await change(wishFor(name, input.valueAsNumber));
      });
      input.addEventListener('blur', () => { editing = null; });
    }
  }
  $('modes').addEventListener('change', (event) => {
    wantedMode = event.target.value;
    change({mode: wantedMode});
  });
  $('run').addEventListener('click', () => change({running: !settings.running}));
  $('controls').addEventListener('submit', (event) => {
    event.preventDefault();
    document.activeElement.blur();
  });
}

function start() {
  if (control === null || !ADDRESS.test(control)) {
    say('refused', 'no control port');
    if (control !== null) complain('the control port must be a loopback address, such as 127.0.0.1:9201');
    $('where').hidden = false;
    $('where').addEventListener('submit', (event) => {
      event.preventDefault();
      location.search = new URLSearchParams(new FormData(event.target));
    });
    $('controls').hidden = true;
    return;
  }
  listen();
  poll(makeCharts());
}

start();
