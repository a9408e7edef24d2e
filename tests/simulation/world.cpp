#include "tests/simulation/world.h"

#include <chrono>
#include <memory>
#include <optional>

#include "http/server.h"
#include "runtime/log.h"
#include "runtime/runtime.h"
#include "tests/simulation/client.h"
#include "tests/simulation/kernel.h"
#include "tests/simulation/service.h"

namespace volt::simulation {
namespace {

using namespace std::chrono_literals;

constexpr auto kEveryoneIsDone = 150s;  // all time-outs of the server's, one after the other
constexpr auto kDrainMax = 300s;
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

// The server's whole life. When its drain began; none if it was torn down in the middle.
std::optional<Nanoseconds> live(SimulatedKernel& kernel, const RunOptions& options,
                                std::vector<std::unique_ptr<Client>>& clients) {
  static const auto silence = std::make_shared<Log>(LogOptions{.level = LogLevel::off});
  Chance& chance = kernel.chance();
  Runtime runtime({.workers = 1, .io = IoEngine::epoll, .log = silence});
  kernel.await_worker();
  http::Server server(runtime, make_service(options.file));
  if (!server.listen(*Address::parse("127.0.0.1:0"))) kernel.violation("the server does not listen");
  const std::int64_t count = chance.between(1, kClientsMax);
  for (std::int64_t i = 0; i != count; ++i) {
    clients.push_back(std::make_unique<Client>(kernel, static_cast<std::uint32_t>(i)));
  }
  const bool in_the_middle = chance.hits(0.4);
  kernel.run_for(in_the_middle ? Nanoseconds(chance.between(0, 5'000'000'000)) : Nanoseconds(kEveryoneIsDone));
  if (chance.hits(0.1)) return std::nullopt;
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
  SimulatedKernel kernel(options.seed);
  under_way = {options.seed, &kernel};
  kernel.trace().print_to(options.print_trace);
  std::vector<std::unique_ptr<Client>> clients;
  std::optional<Nanoseconds> drain_began;
  {
    const Installed installed(kernel);
    drain_began = live(kernel, options, clients);
  }
  if (kernel.open_descriptors() != 0) kernel.violation("descriptors that nobody closed");
  RunReport report{.trace_hash = kernel.trace().hash(),
                   .calls = kernel.trace().size(),
                   .faults = kernel.weather().faults()};
  report.clients = clients.size();
  for (const auto& client : clients) {
    client->judge(drain_began.value_or(Nanoseconds(0)));
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
