// SPDX-License-Identifier: MIT

#include "runtime/sched/spare_workers.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/spawn.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "runtime/work_class.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;

constexpr std::uint32_t kWorkers = 2;

RuntimeOptions options_with_spares() {
  RuntimeOptions options = test_options(kWorkers);
  options.spare_workers_max = RuntimeOptions().spare_workers_max;
  return options;
}

// Holds tasks, and with them their workers, until it is opened.
struct Gate {
  base::Atomic<bool> open{false};
  base::Atomic<std::uint32_t> inside{0};
  std::mutex mutex;

  // Each keeps its thread in another way.
  void compute() {
    inside.fetch_add(1, base::seq_cst);
    while (!open.load(base::seq_cst)) base::spin_pause();
  }
  void sleep() {
    inside.fetch_add(1, base::seq_cst);
    while (!open.load(base::seq_cst)) std::this_thread::sleep_for(10ms);
  }
  void lock() {
    inside.fetch_add(1, base::seq_cst);
    const std::scoped_lock held(mutex);
  }
};
using GateRef = std::shared_ptr<Gate>;

WorkClass light_class() {
  static const WorkClass light = WorkClass::make(WorkClass::Weight::light);
  return light;
}

// A connection that answers each byte with the index of the worker that read it. Its work counts as light: on a machine
// that loses its processors for a while, a turn may be found to be long, and a spare does not always take heavy tasks.
Task<> tell_workers(std::shared_ptr<test::Pair> pair) {
  if (begin_work(light_class())) co_await yield();
  TcpStream stream(pair->near.release());
  std::byte byte{};
  for (;;) {
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    if (!count || *count == 0) co_return;
    const auto worker = static_cast<std::byte>(this_worker());
    if (!co_await stream.write_all({&worker, 1})) co_return;
  }
}

// A served connection, seen from the client.
class Connection {
 public:
  explicit Connection(Runtime& runtime) : pair_(std::make_shared<test::Pair>(test::unix_pair())) {
    runtime.spawn(tell_workers, pair_).detach();
  }
  // Returns the index of the worker that answered.
  std::uint32_t ask() {
    REQUIRE(test::send_all(pair_->far.get(), "x"));
    const std::string answer = test::receive_exactly(pair_->far.get(), 1);
    REQUIRE(answer.size() == 1);
    return static_cast<unsigned char>(answer[0]);
  }

 private:
  std::shared_ptr<test::Pair> pair_;
};

Task<> stay(GateRef held, void (Gate::*in)(), WorkClass light) {
  if (begin_work(light)) co_await yield();
  (*held.*in)();
}

void require_inside(const GateRef& gate, std::uint32_t count) {
  REQUIRE(eventually([&] { return gate->inside.load(base::seq_cst) == count; }));
}

// Occupies all workers. The tasks are pinned: on a crowded machine a spare may otherwise take one of them.
void hold_workers(Runtime& runtime, const GateRef& gate, void (Gate::*how)()) {
  for (std::uint32_t i = 0; i != kWorkers; ++i) runtime.spawn_local_on(i, stay, gate, how, light_class()).detach();
  require_inside(gate, kWorkers);
}

// Occupies the thread that serves while the workers are occupied. The task counts as light, so that spares run it.
void hold_spare(Runtime& runtime, const GateRef& gate, void (Gate::*how)()) {
  const std::uint32_t before = gate->inside.load(base::seq_cst);
  runtime.spawn_on(0, stay, gate, how, light_class()).detach();
  require_inside(gate, before + 1);
}

// Notes that a task has run, and on which worker.
struct Note {
  base::Atomic<std::uint32_t> worker{kNone};
  static constexpr std::uint32_t kNone = ~0U;

  [[nodiscard]] bool made() const { return worker.load(base::seq_cst) != kNone; }
};
using NoteRef = std::shared_ptr<Note>;

Task<> make_note(NoteRef note) {
  note->worker.store(this_worker(), base::seq_cst);
  co_return;
}

// Returns how often threads of runtimes have woken up from a sleep.
std::uint64_t wakes() {
  std::uint64_t count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string line;
    std::getline(std::ifstream(thread.path() / "comm"), line);
    if (!line.starts_with("volt-")) continue;
    std::ifstream status(thread.path() / "status");
    constexpr std::string_view kField = "voluntary_ctxt_switches:";
    while (std::getline(status, line)) {
      if (line.starts_with(kField)) count += std::stoull(line.substr(kField.size()));
    }
  }
  return count;
}

std::size_t spare_threads() {
  std::size_t count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    if (name == "volt-spare") ++count;
  }
  return count;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/spare_workers");

TEST_CASE("when all workers are stuck, a spare serves connections, tasks and timers") {
  for (const auto how : {&Gate::compute, &Gate::sleep, &Gate::lock}) {
    Runtime runtime(options_with_spares());
    std::vector<Connection> connections;
    for (int i = 0; i != 8; ++i) connections.emplace_back(runtime);
    // On a busy machine, the workers may have seemed stuck already.
    for (Connection& connection : connections) CHECK(eventually([&] { return connection.ask() < kWorkers; }));
    const auto gate = std::make_shared<Gate>();
    {
      const std::scoped_lock held(gate->mutex);
      hold_workers(runtime, gate, how);
      for (int round = 0; round != 3; ++round) {
        for (Connection& connection : connections) CHECK(connection.ask() >= kWorkers);
      }
      Connection late(runtime);
      CHECK(late.ask() >= kWorkers);
      runtime.block_on([]() -> Task<> { co_await sleep_for(5ms); });
      gate->open.store(true, base::seq_cst);
    }
    CHECK(runtime.metrics().spare_activations > 0);
  }
}

TEST_CASE("a spare that gets stuck is relieved by the next one, up to the maximum") {
  constexpr std::uint32_t kSpares = 3;
  RuntimeOptions options = options_with_spares();
  options.spare_workers_max = kSpares;
  Runtime runtime(options);
  Connection connection(runtime);
  const auto gate = std::make_shared<Gate>();
  hold_workers(runtime, gate, &Gate::sleep);
  for (std::uint32_t spare = 0; spare != kSpares; ++spare) {
    CHECK(connection.ask() >= kWorkers);
    hold_spare(runtime, gate, &Gate::sleep);
  }
  CHECK(runtime.metrics().spares.size() == kSpares);
  const auto note = std::make_shared<Note>();
  runtime.spawn(make_note, note).detach();
  std::this_thread::sleep_for(50ms);
  CHECK(!note->made());  // no thread is left
  CHECK(spare_threads() == kSpares);
  gate->open.store(true, base::seq_cst);
  CHECK(eventually([&] { return note->made(); }));
  CHECK(connection.ask() < kWorkers + kSpares);
}

TEST_CASE("a connection that has left a stuck worker is closed at once, for its peer") {
  Runtime runtime(options_with_spares());
  const auto answer_until_q = [](std::shared_ptr<test::Pair> ends) -> Task<> {
    TcpStream stream(ends->near.release());
    for (std::byte byte{}; byte != std::byte{'q'};) {
      const Result<std::size_t> count = co_await stream.read({&byte, 1});
      if (!count || *count == 0 || !co_await stream.write_all({&byte, 1})) co_return;
    }
  };
  const auto pair = std::make_shared<test::Pair>(test::unix_pair());
  runtime.spawn(answer_until_q, pair).detach();
  const auto ask = [&](const std::string& byte) {
    REQUIRE(test::send_all(pair->far.get(), byte));
    REQUIRE(test::receive_exactly(pair->far.get(), 1) == byte);
  };
  ask("x");
  const auto gate = std::make_shared<Gate>();
  hold_workers(runtime, gate, &Gate::sleep);
  const auto has_moved = [&] {
    ask("x");
    return !runtime.metrics().spares.empty() && runtime.metrics().spares.front().descriptors == 1;
  };
  CHECK(eventually(has_moved));
  ask("q");
  CHECK(test::receive_some(pair->far.get()) == 0);  // closed, while the workers are still held
  gate->open.store(true, base::seq_cst);
}

TEST_CASE("an idle worker rescues the connections of a spare that is stuck") {
  RuntimeOptions options = options_with_spares();
  options.spare_workers_max = 1;
  Runtime runtime(options);
  std::vector<Connection> connections;
  for (int i = 0; i != 8; ++i) connections.emplace_back(runtime);
  const auto workers = std::make_shared<Gate>();
  hold_workers(runtime, workers, &Gate::sleep);
  for (Connection& connection : connections) CHECK(connection.ask() >= kWorkers);
  const auto spare = std::make_shared<Gate>();
  hold_spare(runtime, spare, &Gate::sleep);
  workers->open.store(true, base::seq_cst);
  for (Connection& connection : connections) CHECK(connection.ask() < kWorkers);
  spare->open.store(true, base::seq_cst);
}

TEST_CASE("connections return to the workers, and the threads of spares end") {
  RuntimeOptions options = options_with_spares();
  options.spare_idle_timeout = 50ms;
  Runtime runtime(options);
  std::vector<Connection> connections;
  for (int i = 0; i != 50; ++i) connections.emplace_back(runtime);
  for (int storm = 0; storm != 3; ++storm) {
    const auto gate = std::make_shared<Gate>();
    hold_workers(runtime, gate, &Gate::compute);
    for (Connection& connection : connections) CHECK(connection.ask() >= kWorkers);
    CHECK(spare_threads() >= 1);
    gate->open.store(true, base::seq_cst);
    CHECK(eventually([&] { return spare_threads() == 0; }));
    for (Connection& connection : connections) CHECK(connection.ask() < kWorkers);
  }
  std::uint32_t at_spares = 0;
  for (const WorkerMetrics& spare : runtime.metrics().spares) at_spares += spare.descriptors;
  CHECK(at_spares == 0);
}

// Reads from a stream that no data comes on, beside a task that keeps the thread.
Task<> wait_for_data(std::shared_ptr<test::Pair> ends, NoteRef waits) {
  TcpStream stream(ends->near.release());
  std::byte byte{};
  waits->worker.store(this_worker(), base::seq_cst);
  static_cast<void>(co_await stream.read({&byte, 1}));
}
Task<> wait_for_data_and_stay(std::shared_ptr<test::Pair> ends, GateRef gate, NoteRef waits) {
  if (begin_work(light_class())) co_await yield();
  spawn(wait_for_data, std::move(ends), waits).detach();
  while (!waits->made()) co_await yield();
  gate->sleep();
}

TEST_CASE("a spare that had work at each moment until it had to leave sends its streams home, and its thread ends") {
  RuntimeOptions options = options_with_spares();
  options.spare_workers_max = 1;
  options.spare_idle_timeout = 10ms;
  Runtime runtime(options);
  const auto workers = std::make_shared<Gate>();
  const auto spare = std::make_shared<Gate>();
  const auto waits = std::make_shared<Note>();
  const auto pair = std::make_shared<test::Pair>(test::unix_pair());
  hold_workers(runtime, workers, &Gate::compute);
  runtime.spawn(wait_for_data_and_stay, pair, spare, waits).detach();
  require_inside(spare, 1);
  REQUIRE(waits->worker.load(base::seq_cst) >= kWorkers);
  workers->open.store(true, base::seq_cst);
  std::this_thread::sleep_for(300ms);  // the watchdog tells the spare to leave
  spare->open.store(true, base::seq_cst);
  CHECK(eventually([] { return spare_threads() == 0; }));
}

TEST_CASE("when no worker is stuck any more, neither the watchdog nor a spare that is kept wakes up") {
  RuntimeOptions options = options_with_spares();
  options.spare_idle_timeout = 1h;
  Runtime runtime(options);
  Connection connection(runtime);
  for (int storm = 0; storm != 3; ++storm) {
    const auto gate = std::make_shared<Gate>();
    hold_workers(runtime, gate, &Gate::sleep);
    CHECK(connection.ask() >= kWorkers);
    gate->open.store(true, base::seq_cst);
    CHECK(eventually([&] { return connection.ask() < kWorkers; }));
    const auto quiet_for = [](std::chrono::milliseconds time) {
      const std::uint64_t before = wakes();
      std::this_thread::sleep_for(time);
      return wakes() == before;
    };
    CHECK(eventually([&] { return quiet_for(100ms); }));
    CHECK(quiet_for(300ms));
    CHECK(spare_threads() >= 1);
  }
}

TEST_CASE("a spare that still has a stream or a timer sleeps until they are gone, and then ends") {
  RuntimeOptions options = options_with_spares();
  options.spare_idle_timeout = 10ms;
  Runtime runtime(options);
  const auto gate = std::make_shared<Gate>();
  const auto pair = std::make_shared<test::Pair>(test::unix_pair());
  const auto note = std::make_shared<Note>();
  const auto read_and_sleep = [](std::shared_ptr<test::Pair> ends, NoteRef slept) -> Task<> {
    TcpStream stream(ends->near.release());
    std::byte byte{};
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    slept->worker.store(this_worker(), base::seq_cst);
    if (count) co_await sleep_for(500ms);
  };
  hold_workers(runtime, gate, &Gate::compute);
  runtime.spawn(read_and_sleep, pair, note).detach();
  std::this_thread::sleep_for(5ms);
  REQUIRE(test::send_all(pair->far.get(), "x"));
  REQUIRE(eventually([&] { return note->made(); }));
  REQUIRE(note->worker.load(base::seq_cst) >= kWorkers);
  gate->open.store(true, base::seq_cst);
  std::this_thread::sleep_for(200ms);
  const std::uint64_t parks = runtime.metrics().spares.front().parks;
  std::this_thread::sleep_for(100ms);
  CHECK(runtime.metrics().spares.front().parks - parks < 20);
  CHECK(eventually([] { return spare_threads() == 0; }));
}

TEST_CASE("a stream that the reactor of a spare cannot watch is closed, also after the spare has left") {
  RuntimeOptions options = options_with_spares();
  options.spare_idle_timeout = 10ms;
  Runtime runtime(options);
  const auto gate = std::make_shared<Gate>();
  const int file = ::memfd_create("unwatchable", MFD_CLOEXEC);  // epoll refuses regular files
  REQUIRE(file >= 0);
  const auto stream = std::make_shared<std::optional<TcpStream>>(file);
  const auto note = std::make_shared<Note>();
  const auto watch = [](std::shared_ptr<std::optional<TcpStream>> watched, NoteRef on) -> Task<> {
    on->worker.store(this_worker(), base::seq_cst);
    const net::HangupWatch hangup = (*watched)->cancel_on_hangup();
    co_return;
  };
  hold_workers(runtime, gate, &Gate::sleep);
  runtime.spawn(watch, stream, note).detach();
  REQUIRE(eventually([&] { return note->made(); }));
  REQUIRE(note->worker.load(base::seq_cst) >= kWorkers);
  gate->open.store(true, base::seq_cst);
  std::this_thread::sleep_for(300ms);  // longer than the spare serves, and its thread is kept
  stream->reset();
  CHECK(eventually([&] { return ::fcntl(file, F_GETFD) < 0; }));
  CHECK(eventually([] { return spare_threads() == 0; }));
}

TEST_CASE("a pinned task of a spare's task runs on a worker") {
  Runtime runtime(options_with_spares());
  const auto gate = std::make_shared<Gate>();
  hold_workers(runtime, gate, &Gate::sleep);
  const auto parent = std::make_shared<Note>();
  const auto child = std::make_shared<Note>();
  const auto start = [](NoteRef own, NoteRef other) -> Task<> {
    own->worker.store(this_worker(), base::seq_cst);
    spawn_local(make_note, other).detach();
    co_return;
  };
  runtime.spawn(start, parent, child).detach();
  CHECK(eventually([&] { return parent->made(); }));
  gate->open.store(true, base::seq_cst);
  CHECK(eventually([&] { return child->made(); }));
  CHECK(parent->worker.load(base::seq_cst) >= kWorkers);
  CHECK(child->worker.load(base::seq_cst) < kWorkers);
}

TEST_CASE("a runtime that ends while spares serve leaves nothing behind") {
  for (int round = 0; round != 10; ++round) {
    const auto gate = std::make_shared<Gate>();
    std::vector<Connection> connections;
    std::thread opens;
    {
      Runtime runtime(options_with_spares());
      for (int i = 0; i != 20; ++i) connections.emplace_back(runtime);
      hold_workers(runtime, gate, &Gate::sleep);
      for (Connection& connection : connections) CHECK(connection.ask() >= kWorkers);
      opens = std::thread([gate] {
        std::this_thread::sleep_for(5ms);
        gate->open.store(true, base::seq_cst);
      });
    }
    opens.join();
    // The kernel may list a thread for a moment after it was joined.
    CHECK(eventually([] { return spare_threads() == 0; }));
  }
}

TEST_CASE("without spares, and without rescue, stuck workers delay what waits") {
  for (const bool rescue : {true, false}) {
    RuntimeOptions options = test_options(kWorkers);
    options.spare_workers_max = rescue ? 0 : 16;
    options.enable_rescue = rescue;
    Runtime runtime(options);
    const auto gate = std::make_shared<Gate>();
    hold_workers(runtime, gate, &Gate::sleep);
    const auto note = std::make_shared<Note>();
    runtime.spawn(make_note, note).detach();
    std::this_thread::sleep_for(50ms);
    CHECK(!note->made());
    gate->open.store(true, base::seq_cst);
    CHECK(eventually([&] { return note->made(); }));
    CHECK(runtime.metrics().spare_activations == 0);
  }
}

TEST_SUITE_END();

}  // namespace volt
