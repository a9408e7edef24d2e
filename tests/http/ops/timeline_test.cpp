// SPDX-License-Identifier: MIT

// Timelines, of runtimes that do what they show, and as the ops server serves them. They are read with http/json, so
// they are tested here and not with runtime/timeline.h.
#include "runtime/timeline.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/log.h"
#include "runtime/runtime.h"
#include "tests/http/ops/ops_fixture.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"
#include "tests/support/timeline_document.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using test::HttpClient;
using test::OpsFixture;
using test::Reply;
using test::TimelineDocument;
using namespace std::chrono_literals;

Task<> short_computation() {
  test::burn(200us);
  co_return;
}

// More tasks than their worker can run at once, so that the other worker steals some.
Task<> burst_of_tasks() {
  constexpr int kTasks = 32;
  std::vector<JoinHandle<void>> handles;
  for (int i = 0; i != kTasks; ++i) handles.push_back(spawn(short_computation));
  for (JoinHandle<void>& handle : handles) co_await std::move(handle);
}

struct Hold {
  base::Atomic<bool> runs{false};
  base::Atomic<bool> released{false};
};

Task<TaskId> hold_worker(std::shared_ptr<Hold> hold) {
  hold->runs.store(true, base::seq_cst);
  static_cast<void>(eventually([&] { return hold->released.load(base::seq_cst); }));
  co_return this_task_id();
}

// Ends the recording, and checks that it is well-formed.
TimelineDocument document_of(TimelineRecording& recording) {
  recording.end();
  TimelineDocument document(test::text_of(recording));
  CHECK(document.problem() == "");
  return document;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_SUITE_BEGIN("http/ops/timeline");

TEST_CASE("a burst of spawned tasks shows tasks by name, wakes, and a theft") {
  Runtime runtime(test_options());
  std::optional<TimelineDocument> shown;
  REQUIRE(eventually([&] {
    const auto recording = TimelineRecording::start(runtime);
    REQUIRE(recording);
    runtime.block_on(burst_of_tasks);
    shown.emplace(document_of(*recording));
    return shown->arrows("steal") != 0;
  }));
  const TimelineDocument& document = *shown;
  CHECK(document.tracks() == 2);
  CHECK(document.slices("short_computation") >= 32);
  CHECK(document.slices("burst_of_tasks") >= 2);  // it waits for the others
  CHECK(document.slices("parked") >= 1);
  CHECK(document.slices("searching") >= 1);
  CHECK(document.arrows("wake") >= 32);
  CHECK(document.slices("steal") >= 1);
  CHECK(document.arrows("steal") >= 1);
  CHECK(document.totals().seconds > 0);
}

TEST_CASE("a busy worker shows when it collected events from the kernel") {
  Runtime runtime(test_options());
  const auto recording = TimelineRecording::start(runtime);
  REQUIRE(recording);
  runtime.block_on([]() -> Task<> {
    for (int i = 0; i != 1'000; ++i) co_await yield();
  });
  CHECK(document_of(*recording).slices("kernel") >= 1);
}

TEST_CASE("a handler that blocks one of two workers shows its route, the rescue of its connections, and their move") {
  base::Atomic<bool> released{false};
  Runtime runtime(test_options());
  http::Server server(runtime, test::app_with_many_routes(released));
  const auto address = server.listen(*Address::parse("127.0.0.1:0"));
  REQUIRE(address);
  constexpr std::string_view kItem = "GET /items/1 HTTP/1.1\r\nHost: a\r\n\r\n";
  std::vector<HttpClient> clients;
  for (int i = 0; i != 6; ++i) {
    clients.emplace_back(*address);
    CHECK(clients.back().ask(kItem).status == 200);
  }
  const auto recording = TimelineRecording::start(runtime);
  REQUIRE(recording);
  HttpClient holder(*address);
  holder.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  const bool rescued = eventually([&] {
    for (HttpClient& client : clients) CHECK(client.ask(kItem).status == 200);
    return runtime.metrics().total().rescues != 0 && runtime.metrics().total().migrated != 0;
  });
  released.store(true, base::seq_cst);
  CHECK(holder.read().body == "done");
  REQUIRE(rescued);
  const TimelineDocument document = document_of(*recording);
  CHECK(document.slices("GET /hold") == 1);
  CHECK(document.slices("GET /items/{id}") >= 6);
  CHECK(document.arrows("rescue") >= 1);
  CHECK(document.slices("rescue") == document.arrows("rescue"));
  CHECK(document.count("i", "move stream") >= 1);
  CHECK(document.arrows("move stream") >= 1);
}

TEST_CASE("a task that runs during the whole recording is shown, and so is a worker that is parked") {
  const auto hold = std::make_shared<Hold>();
  Runtime runtime(test_options());
  auto handle = runtime.spawn(hold_worker, hold);
  REQUIRE(eventually([&] { return hold->runs.load(base::seq_cst); }));
  const auto recording = TimelineRecording::start(runtime);
  REQUIRE(recording);
  const TimelineDocument document = document_of(*recording);
  hold->released.store(true, base::seq_cst);
  const TaskId task = runtime.block_on([&handle]() -> Task<TaskId> { co_return co_await std::move(handle); });
  CHECK(document.slices("task " + std::to_string(task)) == 1);
  CHECK(document.tracks() == 2);
}

TEST_CASE("events that newer ones have overwritten are counted") {
  Runtime runtime(test_options());
  const auto recording = TimelineRecording::start(runtime, 64);
  REQUIRE(recording);
  for (int i = 0; i != 4; ++i) runtime.block_on(burst_of_tasks);
  const TimelineDocument document = document_of(*recording);
  CHECK(document.totals().lost > 0);
  CHECK(document.count("i", "earlier events are lost") >= 1);
  CHECK(document.lines().size() < 1000);
}

TEST_CASE("recordings may begin and end while all workers work, one at a time") {
  base::Atomic<bool> ended{false};
  Runtime runtime(test_options());
  std::thread load([&] {
    while (!ended.load(base::seq_cst)) runtime.block_on(burst_of_tasks);
  });
  std::size_t slices = 0;
  for (int i = 0; i != 20; ++i) {
    const auto recording = TimelineRecording::start(runtime, i % 2 == 0 ? 128 : TimelineRecording::kEvents);
    REQUIRE(recording);
    CHECK(TimelineRecording::start(runtime) == nullptr);
    std::this_thread::sleep_for(5ms);
    slices += i % 5 == 0 ? 0 : document_of(*recording).slices("");  // every fifth is discarded
  }
  ended.store(true, base::seq_cst);
  load.join();
  CHECK(slices > 0);
}

TEST_CASE("VOLT_TRACE names the file for a whole run") {
  const test::Directory directory;
  const std::string path = directory.path() / "trace-%p.json";
  const std::string written = directory.path() / ("trace-" + std::to_string(::getpid()) + ".json");
  REQUIRE(::setenv("VOLT_TRACE", path.c_str(), 1) == 0);
  {
    RuntimeOptions options = test_options();
    options.log = std::make_shared<Log>(LogOptions{.level = LogLevel::off});
    Runtime one(options);
    Runtime other(options);
    CHECK(TimelineRecording::start(one) == nullptr);
    one.block_on(burst_of_tasks);
  }
  REQUIRE(::unsetenv("VOLT_TRACE") == 0);
  const TimelineDocument first(content_of(written));
  CHECK(first.problem() == "");
  CHECK(first.slices("burst_of_tasks") >= 1);
  const TimelineDocument second(content_of(written + ".2"));
  CHECK(second.problem() == "");
  CHECK(second.tracks() == 2);
}

TEST_CASE("/debug/trace responds with a timeline as a file to download") {
  OpsFixture ops_fixture;
  ops_fixture.use("GET /items/1");
  HttpClient client = ops_fixture.operator_client();
  client.send("GET /debug/trace?seconds=0.3 HTTP/1.0\r\nHost: localhost\r\n\r\n");
  for (int i = 0; i != 3; ++i) {
    std::this_thread::sleep_for(50ms);
    ops_fixture.use("GET /items/1");
  }
  Reply reply = client.read();
  CHECK(reply.status == 200);
  CHECK(reply.field("Content-Type") == "application/json");
  CHECK(reply.field("Content-Disposition") == "attachment; filename=\"trace.json\"");
  for (std::string more = client.read_some(); !more.empty(); more = client.read_some()) reply.body += more;
  const TimelineDocument document(reply.body);
  CHECK(document.problem() == "");
  CHECK(document.tracks() == 2);
  CHECK(document.totals().seconds >= 0.3);
}

TEST_CASE("/debug/trace refuses a second recording until the first ends, and times outside its bounds") {
  OpsFixture ops_fixture;
  CHECK(eventually([&] {
    HttpClient first = ops_fixture.operator_client();
    first.send("GET /debug/trace?seconds=60 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return ops_fixture.ask("/debug/trace?seconds=0.001").status == 409 && !first.readable();  // else it was the second
  }));
  // The client has hung up.
  CHECK(eventually([&] { return ops_fixture.ask("/debug/trace?seconds=0.001").status == 200; }));
  for (const char* seconds : {"0", "-1", "60.5", "nan", "x"}) {
    CAPTURE(std::string(seconds));
    CHECK(ops_fixture.ask("/debug/trace?seconds=" + std::string(seconds)).status == 400);
  }
}

TEST_SUITE_END();

}  // namespace volt
