// SPDX-License-Identifier: MIT

#include "tests/simulation/world.h"

#include <chrono>
#include <memory>
#include <optional>

#include "http/server/server.h"
#include "runtime/log.h"
#include "runtime/runtime.h"
#include "tests/simulation/allocations.h"
#include "tests/simulation/client.h"
#include "tests/simulation/kernel.h"
#include "tests/simulation/service.h"

namespace volt::simulation {
namespace {

using namespace std::chrono_literals;

constexpr auto kEveryoneIsDone = 150s;  // longer than all timeouts of the server in sequence
constexpr auto kDrainMax = 300s;
constexpr auto kLatecomer = 100s;
constexpr std::int64_t kClientsMax = 14;

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

// Runs the server from start to stop. Returns when its drain began; none if the server was destroyed without a drain.
std::optional<Nanoseconds> live(SimulatedKernel& kernel, const RunOptions& options, Clients& clients) {
  static const auto silence = std::make_shared<Log>(LogOptions{.level = LogLevel::off});
  Chance& chance = kernel.chance();
  const IoEngine engine = options.seed % 2 == 0 ? IoEngine::uring : IoEngine::epoll;
  // Without spares there is no watchdog, whose thread the simulated kernel would have to schedule.
  Runtime runtime({.workers = 1, .io = engine, .spare_workers_max = 0, .log = silence});
  kernel.await_worker();
  // A simulated machine may be so slow that any request has waited for long.
  http::Server server(runtime, make_service(options.file), {.queue_delay_max = std::chrono::milliseconds(0)});
  if (!server.listen(*Address::parse("127.0.0.1:0"))) kernel.violation("the server does not listen");
  kernel.run_for(1ms);
  options.script ? add_script(clients, kernel) : add_any(clients, kernel);
  if (options.script) plan_failures(options.script->first_to_fail, options.script->failing);
  if (options.script) {
    kernel.run_for(kLatecomer);
    const bool all_failed = allocations() >= options.script->first_to_fail + options.script->failing;
    kernel.run_for(kEveryoneIsDone - kLatecomer);
    if (all_failed && clients.back()->answered() == 0) kernel.violation("the late client is not served");
  } else {
    const bool in_the_middle = chance.hits(0.4);
    kernel.run_for(in_the_middle ? Nanoseconds(chance.between(0, 5'000'000'000)) : Nanoseconds(kEveryoneIsDone));
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

}  // namespace

RunReport run(const RunOptions& options) {
  SimulatedKernel kernel(options.seed, options.script ? FaultInjector::Kind::none : FaultInjector::Kind::any);
  under_way = {options.seed, &kernel};
  kernel.trace().print_to(options.print_trace);
  Clients clients;
  std::optional<Nanoseconds> drain_began;
  {
    const Installed installed(kernel);
    drain_began = live(kernel, options, clients);
  }
  if (kernel.open_descriptors() != 0) kernel.violation("descriptors were not closed");
  RunReport report{
      .trace_hash = kernel.trace().hash(), .calls = kernel.trace().size(), .faults = kernel.fault_injector().faults()};
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
