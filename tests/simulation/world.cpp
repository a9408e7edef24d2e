// SPDX-License-Identifier: MIT

#include "tests/simulation/world.h"

#include <chrono>
#include <memory>
#include <optional>

#include "http/server/server.h"
#include "runtime/log.h"
#include "runtime/runtime.h"
#include "runtime/work_class.h"
#include "tests/simulation/allocations.h"
#include "tests/simulation/client.h"
#include "tests/simulation/exchanges.h"
#include "tests/simulation/kernel.h"
#include "tests/simulation/service.h"

namespace volt::simulation {
namespace {

using namespace std::chrono_literals;

constexpr auto kEveryoneIsDone = 150s;  // longer than all timeouts of the server in sequence
constexpr auto kDrainMax = 300s;
constexpr auto kLatecomer = 100s;
constexpr std::int64_t kClientsMax = 14;
constexpr std::int64_t kWaitsOfAnIdleMinute = 20;

struct UnderWay {
  std::uint64_t seed = 0;
  SimulatedKernel* kernel = nullptr;
} under_way;

bool let_drain(SimulatedKernel& kernel, http::Server& server, const Runtime& runtime) {
  server.start_drain();
  for (Nanoseconds waited{0}; waited < kDrainMax; waited += 100ms) {
    if (server.drained() && runtime.metrics().live_tasks == 0) return true;
    server.nudge();
    kernel.run_for(100ms);
  }
  return false;
}

using Clients = std::vector<std::unique_ptr<Client>>;

void add_client(Clients& clients, SimulatedKernel& kernel, Habits habits) {
  const auto number = static_cast<std::uint32_t>(clients.size());
  clients.push_back(std::make_unique<Client>(kernel, number, std::move(habits)));
}

void add_any(Clients& clients, SimulatedKernel& kernel) {
  const std::int64_t count = kernel.chance().between(1, kClientsMax);
  for (std::int64_t i = 0; i != count; ++i) add_client(clients, kernel, some_habits(kernel.chance()));
}

// Adds clients of any kind, and some whose requests keep threads, so that all workers are stuck at times.
void add_storm(Clients& clients, SimulatedKernel& kernel) {
  Chance& chance = kernel.chance();
  add_any(clients, kernel);
  const std::int64_t count = chance.between(2, 8);
  for (std::int64_t i = 0; i != count; ++i) {
    Habits habits = some_habits(chance);
    habits.speaks = Habits::Speaks::http;
    habits.talks_nonsense = false;
    habits.questions.clear();
    const Nanoseconds most = chance.hits(0.2) ? Nanoseconds(400ms) : Nanoseconds(40ms);
    for (std::int64_t left = chance.between(1, 6); left != 0; --left) {
      habits.questions.push_back(chance.hits(0.7) ? keeping_request_case(chance, 100us, most)
                                                  : some_request_case(chance));
    }
    add_client(clients, kernel, std::move(habits));
  }
}

// Adds clients that send each request on a connection of its own, all requests on one connection, then events and a
// WebSocket; and finally a client that connects later.
void add_script(Clients& clients, SimulatedKernel& kernel) {
  const std::vector<RequestCase> questions = all_request_cases(kernel.chance());
  Nanoseconds starts_after{0};
  const auto add = [&](Habits habits) {
    habits.starts_after = starts_after += 5ms;
    add_client(clients, kernel, std::move(habits));
  };
  for (const RequestCase& question : questions) add({.piece_max = 900, .questions = {question}});
  add({.questions = questions});
  add({.pipelines = true, .questions = questions});
  add({.speaks = Habits::Speaks::events, .questions = {request_case_for_events()}});
  add({.speaks = Habits::Speaks::websocket, .questions = {request_case_for_websocket()}});
  starts_after = kLatecomer + 1s;
  add({.questions = {questions.front()}});
}

// Adds clients whose requests keep fewer threads at a time than there may be, and clients that must nevertheless be
// served soon.
void add_calm_storm(Clients& clients, SimulatedKernel& kernel, const Runtime& runtime) {
  Chance& chance = kernel.chance();
  for (std::int64_t left = chance.between(runtime.worker_count(), runtime.worker_slots() - 1); left != 0; --left) {
    Habits habits{.starts_after = Nanoseconds(chance.between(0, 300'000'000))};
    for (int i = 0; i != 4; ++i) habits.questions.push_back(keeping_request_case(chance, 50ms, 1500ms));
    add_client(clients, kernel, std::move(habits));
  }
  for (int left = 4; left != 0; --left) {
    Habits habits{.starts_after = Nanoseconds(chance.between(0, 1'000'000'000)), .pause_max = 300ms, .wait_max = 50ms};
    for (int i = 0; i != 10; ++i) habits.questions.push_back(plain_request_case());
    add_client(clients, kernel, std::move(habits));
  }
}

// Adds clients that request light work without a pause, more than all workers can do, and others that request heavy
// work. A heavy request waits for the requests that came before it, each of which waits until light tasks have had four
// fifths of a worker's time since the last heavy turn (heavy_queue.cpp).
void add_saturation(Clients& clients, SimulatedKernel& kernel, const Runtime& runtime) {
  constexpr Nanoseconds kHeavyMost = 4ms;
  constexpr std::int64_t kHeavyClientsMax = 6;
  constexpr Nanoseconds kLightMost = 900us;
  Chance& chance = kernel.chance();
  const std::int64_t workers = runtime.worker_count();
  const std::int64_t heavy_clients = chance.between(1, kHeavyClientsMax);
  const std::int64_t light_clients = 6 * workers;
  // Until its head is read, and so its route is known, a request waits like a light one: for a heavy turn that has
  // begun, for the light tasks before it, and for a heavy turn among those. The last term is for the way of the bytes.
  // Then it waits for its turn in the queue, and each turn waits for a light one that has begun.
  const Nanoseconds wait_for_route = 2 * kHeavyMost + light_clients * kLightMost + 5ms;
  const std::int64_t rounds = (heavy_clients + workers - 1) / workers;
  for (std::int64_t left = heavy_clients; left != 0; --left) {
    Habits habits{.starts_after = Nanoseconds(chance.between(0, 50'000'000)),
                  .wait_max = wait_for_route + rounds * (5 * kHeavyMost + 2 * kLightMost)};
    for (int i = 0; i != 4; ++i) habits.questions.push_back(heavy_request_case(chance, 1200us, kHeavyMost));
    add_client(clients, kernel, std::move(habits));
  }
  for (std::int64_t left = light_clients; left != 0; --left) {
    Habits habits{.starts_after = Nanoseconds(chance.between(0, 5'000'000))};
    for (int i = 0; i != 150; ++i) habits.questions.push_back(light_request_case(chance, 500us, kLightMost));
    add_client(clients, kernel, std::move(habits));
  }
}

void add_clients(Clients& clients, SimulatedKernel& kernel, RunKind kind, const Runtime& runtime) {
  switch (kind) {
    case RunKind::one_worker:
      return add_any(clients, kernel);
    case RunKind::storm:
      return add_storm(clients, kernel);
    case RunKind::calm_storm:
      return add_calm_storm(clients, kernel, runtime);
    case RunKind::saturation:
      return add_saturation(clients, kernel, runtime);
  }
}

std::shared_ptr<Log> silent_log() {
  static const auto silence = std::make_shared<Log>(LogOptions{.level = LogLevel::off});
  return silence;
}

// Without stuck workers there is one worker and no watchdog.
RuntimeOptions runtime_options(const RunOptions& options, Chance& chance) {
  const IoEngine engine = options.seed % 2 == 0 ? IoEngine::uring : IoEngine::epoll;
  RuntimeOptions made{.workers = 1, .io = engine, .spare_workers_max = 0, .log = silent_log()};
  if (options.script || kind_of(options.seed) == RunKind::one_worker) return made;
  constexpr std::chrono::milliseconds kIdleTimeouts[] = {0ms, 20ms, 300ms, 10s};
  const RunKind kind = kind_of(options.seed);
  made.workers = static_cast<std::uint32_t>(chance.between(1, 3));
  made.spare_workers_max = static_cast<std::uint32_t>(chance.between(kind == RunKind::calm_storm ? 2 : 0, 4));
  made.spare_idle_timeout = chance.one_of(kIdleTimeouts);
  if (chance.hits(0.2)) made.rescue_signal = 0;
  return made;
}

// ---- what is left when all is over ----

// Spares must have handed everything home, and their threads must have ended.
void check_rest(SimulatedKernel& kernel, const Runtime& runtime) {
  // Clients that never leave have timers, and a stream on which a handler only writes does not move. A listener that
  // could not be watched is tried at intervals.
  if (kernel.open_connections() != 0 || kernel.listener_faulted()) return;
  const RuntimeMetrics metrics = runtime.metrics();
  for (const WorkerMetrics& spare : metrics.spares) {
    if (spare.descriptors != 0) kernel.violation("a spare worker still has descriptors");
  }
  const std::size_t watchdogs = runtime.worker_slots() > 1 ? 1 : 0;
  const std::size_t expected = 1 + metrics.workers.size() + watchdogs + metrics.blocking_threads;
  if (kernel.threads().alive() != expected) kernel.violation("a thread of a spare worker is left");
  const std::int64_t waits = kernel.threads().waits();
  kernel.run_for(60s);
  const std::int64_t waited = kernel.threads().waits() - waits;
  if (waited > kWaitsOfAnIdleMinute) kernel.violation("threads of an idle server wake up: " + std::to_string(waited));
}

// Serves the clients. Returns when the drain began; none if the server is destroyed without a drain.
std::optional<Nanoseconds> serve(SimulatedKernel& kernel, const RunOptions& options, Runtime& runtime, Clients& clients,
                                 Exchanges& exchanges) {
  Chance& chance = kernel.chance();
  // A simulated machine may be so slow that any request has waited for long.
  http::Server server(runtime, make_service(options.file, is_observed(options.seed) ? &exchanges : nullptr),
                      {.queue_delay_max = 0ms, .heavy_delay_max = 0ms});
  if (!server.listen(*Address::parse("127.0.0.1:0"))) kernel.violation("the server does not listen");
  kernel.run_for(1ms);
  if (options.script) {
    add_script(clients, kernel);
    plan_failures(options.script->first_to_fail, options.script->failing);
    kernel.run_for(kLatecomer);
    const bool all_failed = allocations() >= options.script->first_to_fail + options.script->failing;
    kernel.run_for(kEveryoneIsDone - kLatecomer);
    if (all_failed && clients.back()->answered() == 0) kernel.violation("the late client is not served");
  } else {
    add_clients(clients, kernel, kind_of(options.seed), runtime);
    const bool in_the_middle = chance.hits(0.4);
    kernel.run_for(in_the_middle ? Nanoseconds(chance.between(0, 5'000'000'000)) : Nanoseconds(kEveryoneIsDone));
    if (!in_the_middle) check_rest(kernel, runtime);
    if (chance.hits(0.1)) return std::nullopt;
  }
  const Nanoseconds began = kernel.now();
  if (chance.hits(0.3)) {
    server.announce_drain();
    kernel.run_for(Nanoseconds(chance.between(0, 1'000'000'000)));
  }
  if (!let_drain(kernel, server, runtime)) kernel.violation("the drain does not end");
  return began;
}

// Resets the scores of all classes: otherwise what the scheduler learns in one run would change the next.
void forget_work_classes() {
  for (std::uint16_t index = 0; index != WorkClass::kClasses; ++index) {
    const WorkClass work_class = WorkClass::at(index);
    for (int left = WorkClass::kScoreMax; left != 0 && work_class.has_score(); --left) work_class.found_short();
  }
}

}  // namespace

RunReport run(const RunOptions& options) {
  forget_work_classes();
  const bool without_faults = options.script || is_free_of_faults(kind_of(options.seed));
  SimulatedKernel kernel(options.seed, without_faults ? FaultInjector::Kind::none : FaultInjector::Kind::any);
  under_way = {options.seed, &kernel};
  kernel.trace().print_to(options.print_trace);
  Clients clients;
  Exchanges exchanges(kernel);
  std::optional<Nanoseconds> drain_began;
  std::uint64_t spare_activations = 0;
  std::uint64_t rescues = 0;
  {
    const Installed installed(kernel);
    Runtime runtime(runtime_options(options, kernel.chance()));
    kernel.run_short();
    drain_began = serve(kernel, options, runtime, clients, exchanges);
    const RuntimeMetrics metrics = runtime.metrics();
    spare_activations = metrics.spare_activations;
    rescues = metrics.total().rescues;
  }
  exchanges.judge();
  if (!is_observed(options.seed) && kernel.polls() != 0) {
    kernel.violation("the server asks for the outcome of an exchange that has no observer");
  }
  if (kernel.threads().alive() != 1) kernel.violation("threads are left");
  if (kernel.open_descriptors() != 0) kernel.violation("descriptors were not closed");
  RunReport report{
      .trace_hash = kernel.trace().hash(), .calls = kernel.trace().size(), .faults = kernel.fault_injector().faults()};
  report.spare_activations = spare_activations;
  report.rescues = rescues;
  report.an_allocation_failed = an_allocation_failed();
  plan_no_failures();
  report.clients = clients.size();
  for (const auto& client : clients) {
    client->judge(options.script ? Nanoseconds(0) : drain_began.value_or(Nanoseconds(0)));
    report.clients_judged_strictly += client->judged_strictly() ? 1 : 0;
    report.asked += client->asked();
    report.answered += client->answered();
  }
  report.violations = kernel.violations();
  under_way = {};
  return report;
}

void print_last_calls(std::FILE* file) noexcept {
  if (under_way.kernel == nullptr) return;
  under_way.kernel->trace().print_tail(file);
  std::fprintf(file, "seed %llu\n", static_cast<unsigned long long>(under_way.seed));
}

}  // namespace volt::simulation
