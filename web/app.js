// A small client of minichat.v1.json (docs/protocol.md): one room, reconnects and resumes by
// itself, and sends again what was not acknowledged.
'use strict';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30000;
const PAGE = 50;
const WHO_PAGE = 200;
const TYPING_EVERY_MS = 2000;  // while somebody writes
const TYPING_SHOWN_MS = 4000;
// Close codes after which coming back would only meet the same refusal, or is not wanted.
const FINAL_CODES = new Set([1000, 1001, 1002, 1003, 1007, 1009, 4001, 4004, 4005, 4006]);

const $ = (id) => document.getElementById(id);

const chat = {
  socket: null,
  user: '',
  token: '',          // says who the user is, where names are not believed
  room: '',
  node: '',
  cursor: null,       // the last seq that was shown; null: never joined
  oldest: null,       // where the next older page ends; null: no more
  seen: new Set(),    // seqs on the page
  unsent: new Map(),  // cid -> {text, item, tried}
  failures: 0,
  timer: 0,
  bye: null,          // the node's hint of when to come back
  people: new Set(),  // who is in the room
  typing: new Map(),  // user -> the timer that ends it
  typedAt: 0,         // when this page last told that it types
  requests: new Map(),
  lastRid: 0,
};

function show(state, text) {
  $('state').dataset.state = state;
  $('state').textContent = text;
  const open = state === 'open';
  $('text').disabled = chat.room === '';
  $('send').disabled = chat.room === '';
  $('older').disabled = !open;
}

function notice(text) {
  $('notice').textContent = text;
  $('notice').hidden = text === '';
}

// Connection.

function connect() {
  clearTimeout(chat.timer);
  show('waiting', 'connecting …');
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(`${scheme}//${location.host}/ws`, 'minichat.v1.json');
  chat.socket = socket;
  chat.requests.clear();
  socket.onopen = () => {
    const hello = {op: 'hello', ...(chat.token ? {token: chat.token} : {user: chat.user})};
    if (chat.cursor !== null) hello.resume = {[chat.room]: chat.cursor};
    transmit(hello);
  };
  socket.onmessage = (event) => {
    if (socket === chat.socket) onFrame(JSON.parse(event.data));
  };
  socket.onclose = (event) => {
    if (socket === chat.socket) onClose(event);
  };
}

function onClose(event) {
  chat.socket = null;
  if (FINAL_CODES.has(event.code)) {
    show('refused', `closed (${event.code} ${event.reason})`);
    return;
  }
  const delay = reconnectDelay();
  show('waiting', `reconnecting in ${(delay / 1000).toFixed(1)} s …`);
  chat.timer = setTimeout(connect, delay);
}

// Full jitter: many clients that lost one node don't come back in one moment.
function reconnectDelay() {
  if (chat.bye) {
    const {after_ms: after, jitter_ms: jitter} = chat.bye;
    chat.bye = null;
    return after + Math.random() * jitter;
  }
  const most = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** chat.failures++);
  return Math.random() * most;
}

function disconnect() {
  clearTimeout(chat.timer);
  const socket = chat.socket;
  chat.socket = null;
  if (socket) socket.close(1000);
}

function isOpen() {
  return chat.socket !== null && chat.socket.readyState === WebSocket.OPEN;
}

function transmit(frame) {
  if (isOpen()) chat.socket.send(JSON.stringify(frame));
}

function request(frame, onReply) {
  const rid = ++chat.lastRid;
  chat.requests.set(rid, onReply);
  transmit({...frame, rid});
}

// Frames from the node.

function onFrame(frame) {
  switch (frame.op) {
    case 'welcome': return onWelcome(frame);
    case 'message': return onMessage(frame);
    case 'presence': return onPresence(frame);
    case 'typing': return onTyping(frame);
    case 'gap': return addNote(`messages ${frame.from} to ${frame.to} are missing`, frame.from);
    case 'bye': chat.bye = frame.reconnect; return;
  }
  const onReply = chat.requests.get(frame.rid);
  if (onReply) {
    chat.requests.delete(frame.rid);
    onReply(frame);
  } else if (frame.op === 'error') {
    notice(`${frame.code}: ${frame.message}`);
  }
}

function onWelcome(welcome) {
  chat.node = welcome.node;
  chat.user = welcome.user;
  const resumed = welcome.resumed[chat.room];
  if (resumed && !resumed.error) return onEntered(resumed.recovered, resumed.head);
  join();
}

function join() {
  const frame = {op: 'join', room: chat.room};
  if (chat.cursor !== null) frame.since = chat.cursor;
  request(frame, (reply) => {
    if (reply.op === 'joined') return onEntered(reply.recovered, reply.head);
    notice(`${reply.code}: ${reply.message}`);
    if (reply.retry_after_ms !== undefined) setTimeout(rejoin, reply.retry_after_ms);
  });
}

function rejoin() {
  if (isOpen()) join();
}

function onEntered(recovered, head) {
  chat.failures = 0;
  notice('');
  show('open', `${chat.user} in ${chat.room} on ${chat.node}`);
  const isNew = chat.cursor === null;
  if (isNew || !recovered) chat.cursor = head;
  if (!recovered) addNote('what was missed is in the older messages', head);
  if (isNew || !recovered) loadOlder(null);
  chat.people.clear();
  askWho(null);
  resendUnsent();
}

function onMessage(message) {
  if (message.room !== chat.room) return;
  chat.cursor = Math.max(chat.cursor ?? 0, message.seq);
  addMessage(message);
  endTyping(message.from);
}

// Who is here, and who types. `who` tells the state, presence what has changed since.

function askWho(after) {
  const frame = {op: 'who', room: chat.room, limit: WHO_PAGE};
  if (after !== null) frame.after = after;
  request(frame, (reply) => {
    if (reply.op !== 'who') {
      if (reply.retry_after_ms !== undefined) setTimeout(askWhoAgain, reply.retry_after_ms);
      return;
    }
    for (const {user} of reply.users) chat.people.add(user);
    showPeople();
    if (reply.next !== null) askWho(reply.next);
  });
}

function askWhoAgain() {
  if (isOpen() && chat.cursor !== null) askWho(null);
}

function onPresence(frame) {
  if (frame.room !== chat.room) return;
  if (frame.state === 'online') {
    chat.people.add(frame.user);
  } else {
    chat.people.delete(frame.user);
    endTyping(frame.user);
  }
  showPeople();
}

function showPeople() {
  const names = [...new Set(chat.people).add(chat.user)].sort();  // nobody is told of oneself
  $('people').textContent = chat.people.size === 0 ? '' : `here: ${names.join(', ')}`;
}

function onTyping(frame) {
  if (frame.room !== chat.room) return;
  clearTimeout(chat.typing.get(frame.user));
  chat.typing.set(frame.user, setTimeout(() => endTyping(frame.user), TYPING_SHOWN_MS));
  showTyping();
}

function endTyping(user) {
  clearTimeout(chat.typing.get(user));
  if (chat.typing.delete(user)) showTyping();
}

function showTyping() {
  const names = [...chat.typing.keys()];
  $('typing').textContent = names.length === 0 ? '' : `${names.join(', ')} typing …`;
}

function tellTyping() {
  if (!isOpen() || chat.cursor === null || $('text').value === '') return;
  if (Date.now() - chat.typedAt < TYPING_EVERY_MS) return;
  chat.typedAt = Date.now();
  transmit({op: 'typing', room: chat.room});
}

// History.

function loadOlder(before) {
  const frame = {op: 'history', room: chat.room, limit: PAGE};
  if (before !== null) frame.before = before;
  request(frame, (reply) => {
    if (reply.op !== 'history') return notice(`${reply.code}: ${reply.message}`);
    const list = $('messages');
    const fromEnd = list.scrollHeight - list.scrollTop;
    for (const message of reply.messages) addMessage(message);
    if (before !== null) list.scrollTop = list.scrollHeight - fromEnd;
    chat.oldest = reply.next;
    $('older').hidden = reply.next === null;
  });
}

function loadOlderIfAny() {
  if (chat.oldest === null || !isOpen()) return;
  const before = chat.oldest;
  chat.oldest = null;  // until the page is there
  loadOlder(before);
}

// Sending.

function send(text) {
  chat.typedAt = 0;
  const cid = `w-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`;
  const entry = {cid, text, item: addUnsent(text), tried: false};
  chat.unsent.set(cid, entry);
  trySend(entry);
}

function trySend(entry) {
  if (!isOpen() || chat.cursor === null) return;
  const frame = {op: 'send', room: chat.room, cid: entry.cid, text: entry.text};
  if (entry.tried) frame.resend = true;
  entry.tried = true;
  request(frame, (reply) => onSent(entry, reply));
}

function onSent(entry, reply) {
  if (reply.op === 'ack') {
    addMessage({seq: reply.seq, id: reply.id, from: chat.user, ts: reply.ts, text: entry.text});
    return dropUnsent(entry);
  }
  notice(`${reply.code}: ${reply.message}`);
  if (reply.retry_after_ms !== undefined) {
    setTimeout(() => chat.unsent.has(entry.cid) && trySend(entry), reply.retry_after_ms);
  } else {
    entry.item.querySelector('.meta').textContent = `refused: ${reply.code}`;
    chat.unsent.delete(entry.cid);
  }
}

function resendUnsent() {
  for (const entry of chat.unsent.values()) trySend(entry);
}

function dropUnsent(entry) {
  chat.unsent.delete(entry.cid);
  entry.item.remove();
}

// The list. Everything from the network goes in as text, never as HTML.

function span(className, text) {
  const element = document.createElement('span');
  element.className = className;
  element.textContent = text;
  return element;
}

function bodyOf(message) {
  return message.text !== undefined ? message.text : JSON.stringify(message.data);
}

function addMessage(message) {
  if (chat.seen.has(message.seq)) return;
  chat.seen.add(message.seq);
  const item = document.createElement('li');
  item.dataset.seq = message.seq;
  if (message.from === chat.user) item.className = 'own';
  const time = new Date(message.ts).toLocaleTimeString();
  item.append(span('from', message.from), ' ', span('body', bodyOf(message)), ' ',
              span('meta', `#${message.seq} · ${time} · ${chat.node}`));
  insertInOrder(item, message.seq);
}

function addNote(text, seq) {
  const item = document.createElement('li');
  item.className = 'note';
  item.dataset.seq = seq;
  item.textContent = text;
  insertInOrder(item, seq);
}

function addUnsent(text) {
  const item = document.createElement('li');
  item.className = 'own unsent';
  item.append(span('from', chat.user), ' ', span('body', text), ' ', span('meta', 'sending …'));
  $('messages').append(item);
  item.scrollIntoView({block: 'end'});
  return item;
}

// Unsent ones stay last; the rest is in the order of the room.
function insertInOrder(item, seq) {
  const list = $('messages');
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  let next = null;
  let before = list.lastElementChild;
  while (before && (before.dataset.seq === undefined || Number(before.dataset.seq) > seq)) {
    next = before;
    before = before.previousElementSibling;
  }
  list.insertBefore(item, next);
  if (atEnd) list.scrollTop = list.scrollHeight;
}

// The forms.

function enter(user, token, room) {
  disconnect();
  Object.assign(chat, {user, token, room, cursor: null, oldest: null, failures: 0, bye: null});
  chat.seen.clear();
  chat.unsent.clear();
  chat.people.clear();
  for (const user of [...chat.typing.keys()]) endTyping(user);
  showPeople();
  $('messages').replaceChildren();
  $('older').hidden = true;
  notice('');
  history.replaceState(null, '', `#${new URLSearchParams({name: user, room})}`);
  connect();
}

$('enter').addEventListener('submit', (event) => {
  event.preventDefault();
  enter($('name').value, $('token').value.trim(), $('room').value);
  $('text').focus();
});

$('compose').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = $('text').value;
  if (text === '') return;
  if (new TextEncoder().encode(text).length > 4096) return notice('a message is at most 4096 bytes');
  $('text').value = '';
  send(text);
});

$('text').addEventListener('input', tellTyping);
$('older').addEventListener('click', loadOlderIfAny);
$('messages').addEventListener('scroll', () => {
  if ($('messages').scrollTop < 20) loadOlderIfAny();
});

// A token has its user's name in it.
function askForNameOrToken() {
  $('name').required = $('token').value === '';
}
$('token').addEventListener('input', askForNameOrToken);

const given = new URLSearchParams(location.hash.slice(1));
if (given.get('name')) $('name').value = given.get('name');
if (given.get('room')) $('room').value = given.get('room');
if (given.get('token')) {
  $('token').value = given.get('token');
  // It must not stay in the address bar, from where it would get into bookmarks and screenshots.
  given.delete('token');
  history.replaceState(null, '', `#${given}`);
}
askForNameOrToken();
show('closed', 'not connected');
