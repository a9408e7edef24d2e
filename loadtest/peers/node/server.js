// The Node peer: a cluster of WORKERS processes.
'use strict';

const cluster = require('cluster');
const fs = require('fs');
const http = require('http');
const https = require('https');
const { env } = process;
const SELECT_WORLD = 'select id, randomnumber from world where id = $1';

function send(response, type, body) {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

function parameter(url, name) {
  return new URLSearchParams(url.slice(url.indexOf('?'))).get(name);
}

function work(url, response) {
  const until = performance.now() + Number(parameter(url, 'us')) / 1000;
  while (performance.now() < until);
  send(response, 'text/plain', 'done');
}

function upload(request, response) {
  let count = 0;
  request.on('data', (piece) => { count += piece.length; });
  request.on('end', () => send(response, 'text/plain', String(count)));
}

// Returns a pool with this process's share of the connections; null if there is no database.
function openPool() {
  if (!env.DATABASE_URL) return null;
  env.PGPORT = parameter(env.DATABASE_URL, 'port'); // pg does not read the port from the URL's query
  const { Pool } = require('pg');
  return new Pool({ connectionString: env.DATABASE_URL, max: Math.ceil(env.DATABASE_MAX_CONN / env.WORKERS) });
}

const pool = cluster.isPrimary ? null : openPool();

async function selectWorld(client) {
  const values = [Math.floor(Math.random() * 10_000) + 1];
  const { rows } = await client.query({ name: 'world', text: SELECT_WORLD, values });
  return { id: rows[0].id, randomNumber: rows[0].randomnumber };
}

async function selectWorlds(count) {
  const client = await pool.connect();
  try {
    const rows = [];
    while (rows.length < count) rows.push(await selectWorld(client));
    return rows;
  } finally {
    client.release();
  }
}

async function sendSelected(selecting, response) {
  try {
    send(response, 'application/json', JSON.stringify(await selecting));
  } catch (error) {
    response.writeHead(503).end(String(error));
  }
}

function handle(request, response) {
  const { url } = request;
  if (url === '/plaintext') return send(response, 'text/plain', 'Hello, World!');
  if (url === '/json') return send(response, 'application/json', JSON.stringify({ message: 'Hello, World!' }));
  if (url === '/db') return sendSelected(selectWorld(pool), response);
  if (url.startsWith('/queries?')) return sendSelected(selectWorlds(Number(parameter(url, 'queries'))), response);
  if (url === '/upload') return upload(request, response);
  if (url.startsWith('/work?')) return work(url, response);
  response.writeHead(404).end();
}

function addWebSocket(server) {
  let WebSocketServer;
  try {
    ({ WebSocketServer } = require('ws'));
  } catch {
    return;
  }
  const options = { noServer: true, perMessageDeflate: false };
  const echo = new WebSocketServer(options).on('connection', (socket) => {
    socket.on('message', (data, binary) => socket.send(data, { binary }));
  });
  const topic = new WebSocketServer(options).on('connection', (socket) => {
    socket.on('message', (data, binary) => topic.clients.forEach((client) => client.send(data, { binary })));
  });
  server.on('upgrade', (request, socket, head) => {
    const sockets = request.url === '/topic' ? topic : echo;
    sockets.handleUpgrade(request, socket, head, (upgraded) => sockets.emit('connection', upgraded, request));
  });
}

function serve() {
  const options = { keepAliveTimeout: 75_000 };
  if (env.TLS) {
    options.cert = fs.readFileSync(env.CERTIFICATE);
    options.key = fs.readFileSync(env.KEY);
    options.ciphers = env.SUITES;
  }
  const server = (env.TLS ? https : http).createServer(options, handle);
  addWebSocket(server);
  server.listen({ port: Number(env.PORT), host: '127.0.0.1', backlog: 4096 });
}

if (cluster.isPrimary) {
  for (let worker = 0; worker < Number(env.WORKERS); worker += 1) cluster.fork();
} else {
  serve();
}
