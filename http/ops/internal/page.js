"use strict";
// Draws the snapshots that /events sends once a second. Counters only grow: the page shows their differences.

const kept = 120;  // snapshots to keep: two minutes
const recent = 10; // snapshots over which response times and steals are shown
const snapshots = [];
let findings = []; // what is wrong, in sentences
let tables = {errors: [], slow: [], pools: [], job_queues: [], phases: []};
let history = {interval_seconds: 10, points: []}; // the report of /history
let routes = [];   // the routes of /routes

const find = id => document.getElementById(id);
const last = (back = 0) => snapshots[Math.max(0, snapshots.length - 1 - back)];
const sum = numbers => numbers.reduce((total, number) => total + number, 0);

// ---- building elements: text is always set as text, never as markup ----

function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}
function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// ---- formatting numbers ----

function count(number) {
  if (number >= 1e6) return (number / 1e6).toFixed(1) + " M";
  if (number >= 1e4) return (number / 1e3).toFixed(0) + " k";
  return number >= 10 || Number.isInteger(number) ? number.toFixed(0) : number.toFixed(1);
}
function bytes(number) {
  const mebibytes = number / 2 ** 20;
  return mebibytes >= 1024 ? (mebibytes / 1024).toFixed(1) + " GiB" : mebibytes.toFixed(1) + " MiB";
}
function time(seconds) {
  if (seconds < 0.001) return (seconds * 1e6).toFixed(0) + "\u00a0us";
  if (seconds < 1) return (seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0) + "\u00a0ms";
  if (seconds < 120) return seconds.toFixed(seconds < 10 ? 1 : 0) + "\u00a0s";
  if (seconds < 7200) return (seconds / 60).toFixed(0) + "\u00a0min";
  return seconds < 172800 ? (seconds / 3600).toFixed(0) + "\u00a0h" : (seconds / 86400).toFixed(0) + " days";
}

// ---- differences ----

const byRoute = snapshot => new Map(snapshot.routes.map(route => [route.route, route]));
const responses = snapshot => sum(snapshot.routes.map(route => route.requests));
const elapsed = (from, to) => Math.max(to.at_seconds - from.at_seconds, 0.001);
const rate = (value, from, to) => Math.max(0, value(to) - value(from)) / elapsed(from, to);
const since = (before, now) => now.map((value, i) => value - (before ? before[i] : 0));
const buckets = snapshot =>
  snapshot.bounds.concat(0).map((_, i) => sum(snapshot.routes.map(route => route.buckets[i])));

// The response time that `part` of the requests did not exceed, to within a tenth: the middle of its bucket. Of the first
// bucket only the upper bound is known.
function quantile(part, counts, bounds) {
  const wanted = part * sum(counts);
  if (wanted === 0) return "";
  let before = 0;
  for (let i = 0; i < bounds.length; ++i) {
    if (before + counts[i] >= wanted) {
      if (i === 0) return "at most " + time(bounds[0]);
      return time(Math.sqrt(bounds[i - 1] * bounds[i]));
    }
    before += counts[i];
  }
  return "over " + time(bounds[bounds.length - 1]);
}

// The bound that `part` of the durations did not exceed, of buckets that are too wide for a better answer.
function under(part, counts, bounds) {
  const wanted = part * sum(counts);
  if (wanted === 0) return "";
  let before = 0;
  for (let i = 0; i < bounds.length; ++i) {
    before += counts[i];
    if (before >= wanted) return "under " + time(bounds[i]);
  }
  return "over " + time(bounds[bounds.length - 1]);
}
// A percentile that the server has computed; 0: there were no requests.
function atMost(seconds, least) {
  if (seconds === 0) return "";
  return seconds <= least ? "at most " + time(least) : time(seconds);
}
const percent = share => (100 * share).toFixed(0) + "\u00a0%";

// ---- drawing ----

// A line of values, oldest first; the newest value is at the right edge, and `capacity` values fill the width.
function curve(values, highest, width, height, capacity = kept) {
  const step = width / (capacity - 1);
  const x = i => (width - (values.length - 1 - i) * step).toFixed(1);
  const y = value => (height - 2 - (height - 6) * value / highest).toFixed(1);
  const points = values.map((value, i) => `${x(i)},${y(value)}`).join(" ");
  return [
    shape("polygon", {class: "area", points: `${x(0)},${height} ${points} ${width},${height}`}),
    shape("polyline", {class: "curve", points}),
  ];
}
const rates = value => snapshots.slice(1).map((snapshot, i) => rate(value, snapshots[i], snapshot));

// The least of 1, 2, 5, 10, 20 .. times a power of ten that is not below `value`.
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)) + 1e-9);
  return [1, 2, 5, 10].map(factor => factor * power).find(bound => bound >= value * (1 - 1e-9));
}

// A curve with a value axis: lines and numbers at a half and the whole of a round maximum.
function chart(svg, values, format, lowestScale, capacity = kept) {
  const highest = lowestScale * roundUp(Math.max(1, ...values.map(value => value / lowestScale)));
  const whole = svg.clientWidth || 480;  // not stretched by the viewBox, since it contains text
  const left = 56, height = 160, width = whole - left;
  const axis = [0, 0.5, 1].flatMap(part => {
    const y = height - 2 - (height - 6) * part;
    return [shape("line", {class: "grid", x1: left, x2: whole, y1: y, y2: y}),
      shape("text", {x: left - 4, y: Math.min(height - 3, Math.max(11, y + 4)), "text-anchor": "end"},
        part ? format(highest * part) : "0")];
  });
  svg.setAttribute("viewBox", `0 0 ${whole} ${height}`);
  svg.replaceChildren(...axis,
    shape("g", {transform: `translate(${left} 0)`}, ...curve(values, highest, width, height, capacity)));
}

function drawState() {
  const now = last();
  find("state").textContent = `${now.state}, up ${time(now.up_seconds)}`;
  find("state").className = {ready: "ready", "not ready": "lost"}[now.state] ?? "";
}

function drawFindings() {
  const none = {severity: "good", text: "Nothing is wrong as far as these figures show."};
  const shown = findings.length ? findings : [none];
  find("findings").replaceChildren(
    ...shown.map(finding => element("li", {class: finding.severity}, finding.text)));
}

function drawStatuses() {
  const now = last(), before = last(1);
  const names = {success: "2xx", redirection: "3xx", client_error: "4xx", server_error: "5xx", none: "no response"};
  find("statuses").textContent = "Responses per second by status: " + Object.entries(names).map(
    ([name, text]) => `${text} ${count(rate(snapshot => snapshot.statuses[name], before, now))}`).join(", ");
}

const refusals = snapshot => snapshot.refused.client_connections + snapshot.refused.queue_delay +
  snapshot.refused.heavy_delay + snapshot.refused.memory;

const waits = snapshot => sum(snapshot.workers.map(worker => worker.run_delay_seconds));

function drawFigures() {
  const now = last(), before = last(1);
  const figures = [
    ["Responses/s", count(rate(responses, before, now))],
    ["In progress", count(now.active)],
    ["Refused/s", count(rate(refusals, before, now))],
    ["Connections", count(now.connections)],
    ["Tasks", count(now.tasks)],
    ["Global queue", count(now.global_queue)],
    ["Blocking threads", `${now.blocking_threads}` + (now.blocking_queue ? ` (${now.blocking_queue} queued)` : "")],
    ["Processors", `${rate(snapshot => snapshot.cpu_seconds, before, now).toFixed(2)} of ${now.workers.length}`],
    ["Waiting for a CPU", percent(rate(waits, before, now) / now.workers.length)],
    ...(now.throttled_seconds === null ? [] :
      [["Throttled by quota", percent(rate(snapshot => snapshot.throttled_seconds, before, now))]]),
    ["Memory", bytes(now.resident_bytes)],
    ["Descriptors", count(now.open_descriptors)],
  ];
  find("figures").replaceChildren(
    ...figures.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function drawWorkers() {
  const now = last(), before = last(1);
  const all = now.workers.map((_, i) => rates(snapshot => snapshot.workers[i].polls));
  const highest = Math.max(1, ...all.flat());
  find("workers").replaceChildren(...now.workers.map((worker, i) => {
    const speed = rate(snapshot => snapshot.workers[i].polls, before, now);
    const state = worker.parked ? "parked" : "running";
    const facts = `${count(speed)} polls/s, queue ${worker.queue}, ${worker.descriptors} sockets`;
    const label = `Worker ${i} ${state}: ${facts}, at most ${count(highest)} polls/s in the last two minutes`;
    const waiting = percent(rate(snapshot => snapshot.workers[i].run_delay_seconds, before, now));
    const delay = under(0.99, since(last(recent).workers[i].queue_delay, worker.queue_delay), now.queue_delay_bounds);
    const queue = 300 * Math.min(1, worker.queue / 256);
    return element("li", {class: worker.parked ? "" : "busy"},
      element("h3", {}, `Worker ${i}`, element("span", {}, state)),
      shape("svg", {role: "img", "aria-label": label, viewBox: "0 0 300 60", preserveAspectRatio: "none"},
        ...curve(all[i], highest, 300, 54),
        shape("rect", {class: "empty", x: 0, y: 56, width: 300, height: 4}),
        shape("rect", {class: "queue", x: 0, y: 56, width: queue, height: 4})),
      element("p", {}, facts),
      element("p", {}, `waiting for a CPU ${waiting}` + (delay ? `, queue delay p99 ${delay}` : "")),
      element("p", {class: worker.stalls ? "stalled" : ""},
        `since the start: stole ${count(worker.stolen)} tasks, ${count(worker.stalls)} stalls, ${count(worker.rescues)} rescues`));
  }));
}

function drawSteals() {
  const now = last(), before = last(recent), size = now.workers.length;
  const figure = find("steals");
  figure.hidden = size < 2 || size > 32;
  if (figure.hidden) return;
  const stolen = now.workers.map((worker, i) => since(before.workers[i].stolen_from, worker.stolen_from));
  const svg = figure.querySelector("svg");
  const side = 28, edge = 24, total = edge + size * side;
  const most = Math.max(1, ...stolen.flat());
  svg.setAttribute("viewBox", `0 0 ${Math.max(total, 240)} ${total}`);
  svg.setAttribute("aria-label", `${sum(stolen.flat())} tasks stolen among ${size} workers in the last ten seconds`);
  const cells = [];
  for (let i = 0; i < size; ++i) {
    const middle = edge + i * side + side / 2;
    cells.push(shape("text", {x: middle, y: 15, "text-anchor": "middle"}, `${i}`));
    cells.push(shape("text", {x: 8, y: middle + 4}, `${i}`));
    for (let j = 0; j < size; ++j) {
      const place = {x: edge + j * side + 1, y: edge + i * side + 1, width: side - 2, height: side - 2, rx: 3};
      cells.push(shape("rect", {...place, class: "empty"}));
      if (!stolen[i][j]) continue;
      const title = shape("title", {}, `worker ${i} stole ${stolen[i][j]} from worker ${j}`);
      cells.push(shape("rect", {...place, class: "cell", opacity: 0.2 + 0.8 * stolen[i][j] / most}, title));
    }
  }
  svg.replaceChildren(...cells);
}

function drawRate() {
  const values = rates(responses);
  const now = values.length ? values[values.length - 1] : 0;
  find("rate").setAttribute("aria-label",
    `${count(now)} responses per second, at most ${count(Math.max(0, ...values))} in the last two minutes`);
  chart(find("rate"), values, count, 1);
}

// The buckets whose bounds are 1, 2.5 or 5 times a power of ten. Each is the last of those that share a row.
function lastOfRows(bounds) {
  const digits = bound => Math.round(100 * bound / 10 ** Math.floor(Math.log10(bound) + 1e-9));
  return bounds.map((bound, i) => [100, 250, 500].includes(digits(bound)) ? i : -1).filter(i => i >= 0);
}

// One column per second; the shortest response times are at the bottom.
function drawLatency() {
  const bounds = last().bounds, ends = lastOfRows(bounds), rows = ends.length + 1;
  const merge = counts => ends.concat(counts.length - 1).map(
    (end, row) => sum(counts.slice(row === 0 ? 0 : ends[row - 1] + 1, end + 1)));
  const columns = snapshots.slice(1).map((snapshot, i) => merge(since(buckets(snapshots[i]), buckets(snapshot))));
  const svg = find("latency"), whole = svg.clientWidth || 480;  // not stretched by the viewBox, since it contains text
  const left = 48, width = (whole - left) / (kept - 1), height = 160 / rows;
  const y = row => 160 - (row + 1) * height;
  const cells = [shape("rect", {class: "empty", x: left, y: 0, width: whole - left, height: 160})];
  for (let row = 0; row < rows; row += 3) {
    const label = row === ends.length ? "more" : time(bounds[ends[row]]);
    cells.push(shape("text", {x: left - 4, y: Math.max(11, y(row) + height - 2), "text-anchor": "end"}, label));
  }
  columns.forEach((column, i) => {
    const most = Math.max(...column);
    const x = whole - (columns.length - i) * width;
    column.forEach((value, row) => {
      if (value <= 0) return;
      const opacity = 0.15 + 0.85 * Math.log1p(value) / Math.log1p(most);
      cells.push(shape("rect", {class: "cell", x, y: y(row), width: width + 0.2, height, opacity}));
    });
  });
  const counts = since(buckets(last(recent)), buckets(last()));
  const half = quantile(0.5, counts, bounds), most = quantile(0.99, counts, bounds);
  svg.setAttribute("viewBox", `0 0 ${whole} 160`);
  svg.setAttribute("aria-label",
    half ? `Response times of the last ten seconds: p50 ${half}, p99 ${most}` : "No requests");
  svg.replaceChildren(...cells);
}

function drawRoutes() {
  const now = last(), before = byRoute(last(1)), earlier = byRoute(last(recent));
  const rows = now.routes.map(route => {
    const known = routes[route.route];
    const name = known ? `${known.method || "any"} ${known.host}${known.pattern}` : "no route";
    const counts = since(earlier.get(route.route)?.buckets, route.buckets);
    const speed = (route.requests - (before.get(route.route)?.requests ?? 0)) / elapsed(last(1), now);
    const percentiles = [0.5, 0.9, 0.99, 0.999].map(part => quantile(part, counts, now.bounds));
    const phase = tables.phases.find(line => line.route === route.route);
    const phases = ["queue", "handler", "send"].map(name => phase ? atMost(phase[name], now.bounds[0]) : "");
    const cells = [count(snapshots.length > 1 ? speed : 0), ...percentiles, ...phases, count(route.requests)].map(
      text => element("td", {}, text));
    const counters = [route.failed, route.stalls].map(
      value => element("td", {class: value ? "bad" : ""}, count(value)));
    return element("tr", {}, element("th", {scope: "row"}, name), ...cells, ...counters);
  });
  const none = element("tr", {}, element("td", {colspan: 12}, "none yet"));
  find("routes").replaceChildren(...(rows.length ? rows : [none]));
}

function table(heads, rows, caption = "") {
  const head = element("tr", {}, ...heads.map(text => element("th", {scope: "col"}, text)));
  const body = rows.map(row => element("tr", {}, ...row.map(text => element("td", {}, text))));
  const parts = [element("thead", {}, head), element("tbody", {}, ...body)];
  return element("table", {class: "words"}, ...(caption ? [element("caption", {}, caption)] : []), ...parts);
}
const routeName = route => route === null ? "" : route || "no route";
const clock = unixSeconds => new Date(unixSeconds * 1000).toLocaleTimeString();

// Draws a table, or hides its place if it has no rows.
function drawList(id, heads, rows, caption) {
  find(id).hidden = rows.length === 0;
  find(id).replaceChildren(table(heads, rows, caption));
}

function drawSlow() {
  const rows = tables.slow.map(it => [clock(it.ended_seconds), `${it.method} ${it.route || "no route"}`,
    it.status ? `${it.status} ${it.outcome === "complete" ? "" : it.outcome}` : it.outcome,
    ...[it.queue + it.receive + it.handler + it.send, it.queue, it.receive, it.handler, it.send].map(
      value => value ? time(value) : ""),
    it.request_id, it.trace_id]);
  drawList("slow", ["Ended", "Route", "Response", "Whole time", "Queue", "Receive", "Handler", "Send", "Request id",
    "Trace id"], rows, "The slowest requests of the last five minutes");
}

function drawErrors() {
  const rows = tables.errors.map(it => [clock(it.unix_seconds), it.module, it.route, it.request_id, it.text]);
  drawList("errors", ["Time", "Module", "Route", "Request id", "Line"], rows, "The last error lines of the log");
}

function drawPools() {
  const known = value => value === null ? "" : count(value);
  const rows = tables.pools.map(it => [it.kind, it.name, known(it.in_use) + (it.max ? ` of ${count(it.max)}` : ""),
    known(it.idle), known(it.waiting), known(it.errors)]);
  drawList("pools", ["Kind", "Name", "In use", "Idle", "Waiting", "Errors"], rows);
}

function drawJobQueues() {
  const known = (value, format = count) => value === null ? "" : format(value);
  const rows = tables.job_queues.map(it => [it.kind, it.name, known(it.queued), known(it.scheduled), count(it.running),
    count(it.failed), known(it.dead), known(it.oldest_seconds, time)]);
  drawList("job-queues", ["Kind", "Name", "Queued", "Scheduled", "Running here", "Failed here", "Dead", "Oldest queued"],
    rows, "Queues of durable jobs");
}

const charts = [
  ["Responses per second", point => point.responses_per_second, count, 1],
  ["Response time, p99", point => point.p99_seconds, time, 1e-4],
  ["Failed (5xx) and refused per second", point => point.failed_per_second + point.refused_per_second, count, 1],
  ["Processors in use", point => point.processors, value => value.toFixed(1), 1],
  ["Memory", point => point.resident_bytes, bytes, 2 ** 20],
  ["Connections", point => point.connections, count, 10],
];

function drawHistory() {
  const points = history.points, full = 3600 / history.interval_seconds;
  find("history").hidden = points.length === 0;
  if (points.length === 0) {
    find("history-note").textContent = "The first point is drawn when the server has been observed for ten seconds.";
    return;
  }
  find("history-note").textContent = "Each point is the mean, or the percentile, of ten seconds.";
  const start = new Date((points[0].end_seconds - history.interval_seconds) * 1000).toLocaleTimeString();
  if (find("history").children.length === 0) {
    find("history").append(...charts.map(([name]) => element("figure", {}, element("figcaption", {}, name),
      shape("svg", {role: "img"}), element("p", {class: "scale"}, element("span"), element("span", {}, "now")))));
  }
  const capacity = Math.max(2, Math.min(full, points.length));
  charts.forEach(([name, value, format, lowestScale], i) => {
    const figure = find("history").children[i], values = points.map(value);
    figure.querySelector("svg").setAttribute("aria-label",
      `${name} since ${start}: now ${format(values[values.length - 1])}, at most ${format(Math.max(...values))}`);
    figure.querySelector("span").textContent = start;
    chart(figure.querySelector("svg"), values, format, lowestScale, capacity);
  });
}

function draw() {
  for (const part of [drawState, drawFindings, drawFigures, drawWorkers, drawSteals, drawRate, drawLatency, drawStatuses,
    drawRoutes, drawSlow, drawErrors, drawPools, drawJobQueues]) part();
}

// ---- lists that are loaded while they are open ----


const lists = {
  tasks: async () => {
    const report = await (await fetch("/tasks")).json();
    const longest = report.tasks.sort((a, b) => b.seconds - a.seconds);
    const rows = longest.map(task => [task.waits_for ?? task.phase, time(task.seconds),
      task.connection ? "connection" : "", routeName(task.route)]);
    return table(["Waits for", "Since", "Serves", "Current route"], rows);
  },
  connections: async () => {
    const report = await (await fetch("/connections")).json();
    const rows = report.connections.map(connection => [connection.client || "unknown", connection.state,
      routeName(connection.route), count(connection.requests), time(connection.age_seconds)]);
    return table(["Client", "State", "Current route", "Requests", "Age"], rows);
  },
};
async function refresh(id) {
  if (!find(id).open) return;
  find(id).querySelector("div").replaceChildren(await lists[id]());
}
for (const id of Object.keys(lists)) {
  const again = () => refresh(id).catch(() => {});  // the state line reports the lost connection
  find(id).addEventListener("toggle", again);
  setInterval(again, 2000);
}

// ---- the stream ----

addEventListener("resize", () => { if (snapshots.length) { draw(); drawHistory(); } });

async function refreshHistory() {
  history = await (await fetch("/history")).json();
  drawHistory();
}

function drawIdentity(identity) {
  find("service").textContent = identity.service + (identity.version ? " " + identity.version : "");
  find("identity").textContent = `process ${identity.pid} on ${identity.host || "an unnamed host"}, Volt ${identity.volt}`;
  document.title = `${identity.service}: operations`;
}

async function start() {
  drawIdentity(await (await fetch("/identity")).json());
  routes = (await (await fetch("/routes")).json()).routes;
  await refreshHistory();
  setInterval(() => refreshHistory().catch(() => {}), 10_000);
  const source = new EventSource("/events");
  source.addEventListener("message", event => {
    const update = JSON.parse(event.data), snapshot = update.snapshot;
    findings = update.findings;
    tables = update.tables;
    const restarted = snapshots.length && snapshot.workers[0].polls < last().workers[0].polls;
    if (restarted) snapshots.length = 0;
    snapshots.push(snapshot);
    if (snapshots.length > kept) snapshots.shift();
    draw();
  });
  source.addEventListener("error", () => {
    find("state").textContent = "no connection to the server";
    find("state").className = "lost";
  });
}
start().catch(() => { find("state").textContent = "no connection to the server"; });
