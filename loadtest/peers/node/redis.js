// SPDX-License-Identifier: MIT

// The part of redis_client.py that uses node-redis: reads one key over and over, like redis_driver.cpp.
//
//   node redis.js SOCKET TASKS BATCH COMMANDS
//
// node-redis writes the commands of one turn of the event loop together, so BATCH commands that are sent at once are one
// piece, and so are commands of tasks that continue in the same turn.
'use strict';

const { createClient } = require('redis');

const KEY = 'key:__rand_int__'; // that of redis-benchmark without --random-key

async function readOne(client) {
  if ((await client.get(KEY)) === null) throw new Error('the key does not exist');
}

async function readOften(client, batch, rounds, tookNs) {
  for (let round = 0; round !== rounds; ++round) {
    const began = process.hrtime.bigint();
    if (batch === 1) {
      await readOne(client);
    } else {
      await Promise.all(Array.from({ length: batch }, () => readOne(client)));
    }
    tookNs.push(Number(process.hrtime.bigint() - began));
  }
}

// Returns the time of each round of all tasks.
async function readInTasks(client, tasks, batch, rounds) {
  const tookNs = [];
  await Promise.all(Array.from({ length: tasks }, () => readOften(client, batch, rounds, tookNs)));
  return tookNs;
}

async function main([socket, ...numbers]) {
  const [tasks, batch, commandsWanted] = numbers.map(Number);
  const client = createClient({ socket: { path: socket } });
  await client.connect();
  const rounds = Math.floor(commandsWanted / tasks / batch) + 1;
  await readInTasks(client, tasks, batch, Math.floor(rounds / 10) + 1); // warms up
  const cpu = process.cpuUsage();
  const began = process.hrtime.bigint();
  const tookNs = await readInTasks(client, tasks, batch, rounds);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  await client.quit();
  const commands = tasks * batch * rounds;
  const p99 = tookNs.sort((a, b) => a - b)[Math.floor(0.99 * (tookNs.length - 1))];
  console.log(JSON.stringify({
    commands_per_s: Math.round(commands / seconds), cpu_us: (user + system) / commands, p99_us: p99 / 1e3,
  }));
}

main(process.argv.slice(2));
