// SPDX-License-Identifier: MIT

#include "http/server/internal/overload.h"

#include <doctest/doctest.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/server/app.h"
#include "http/websocket/websocket.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"
#include "tests/support/sanitizers.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"
#include "tests/support/websocket_client.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::Reply;
using test::ServedApp;

constexpr const char* kWork = "GET /work HTTP/1.1\r\nHost: a\r\n\r\n";

// Otherwise the server's own trim would change the figure that a test has computed.
void give_back_what_is_free() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

// Allocates memory until `share` of the last eighth of `limit` is left.
class Ballast {
 public:
  Ballast(std::uint64_t limit, double share) {
    give_back_what_is_free();
    const std::uint64_t used = MemoryUse::of_process(0).used_bytes();
    bytes_ = limit - used - static_cast<std::uint64_t>(share * static_cast<double>(limit) / 8);
    at_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    REQUIRE(at_ != MAP_FAILED);
  }
  ~Ballast() { ::munmap(at_, bytes_); }
  Ballast(const Ballast&) = delete;
  Ballast& operator=(const Ballast&) = delete;

 private:
  std::size_t bytes_;
  void* at_;
};

// Asks for a second whether requests that are `apart` and have waited for `queued_for` are refused; returns the last
// answer.
Task<bool> last_is_refused(std::shared_ptr<Overload> overload, std::chrono::nanoseconds apart,
                           std::chrono::nanoseconds queued_for) {
  bool last = false;
  for (std::chrono::nanoseconds now = 1h; now < 1h + 1s; now += apart) {
    const Turn turn{.now = now, .queued_for = queued_for, .busy_for = 1h};
    last = overload->overload_reason(turn, false, [] { return 1h; }).has_value();
  }
  co_return last;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/overload");

TEST_CASE("a request has waited too long if the queue, too, has not been empty for long") {
  const ServerOptions on{.queue_delay_max = 1s, .queue_busy_min = 2s};
  const ServerOptions off{.queue_delay_max = 0s, .queue_busy_min = 2s};
  const struct {
    std::string why;
    ServerOptions options;
    Turn turn;
    bool too_long;
  } cases[] = {
      {"it came at once", on, {.queued_for = 0s, .busy_for = 0s}, false},
      {"it came at once, in a busy time", on, {.queued_for = 0s, .busy_for = 1h}, false},
      {"just in time", on, {.queued_for = 1s, .busy_for = 1h}, false},
      {"just too late", on, {.queued_for = 1s + 1ns, .busy_for = 1h}, true},
      {"late, in a burst", on, {.queued_for = 1500ms, .busy_for = 2s}, false},
      {"late, in what is no burst any more", on, {.queued_for = 1500ms, .busy_for = 2s + 1ns}, true},
      {"never", off, {.queued_for = 1h, .busy_for = 1h}, false},
  };
  for (const auto& [why, options, turn, too_long] : cases) {
    CAPTURE(why);
    CHECK(waited_too_long(turn, options) == too_long);
  }
}

TEST_CASE("a late request is refused only if an eighth of the delay is queued behind it") {
  const ServerOptions options{.queue_delay_max = 80ms};
  CHECK_FALSE(worth_refusing_for(0ms, options));
  CHECK_FALSE(worth_refusing_for(10ms - 1ns, options));
  CHECK(worth_refusing_for(10ms, options));
  CHECK(worth_refusing_for(std::chrono::nanoseconds::max(), options));
}

TEST_CASE("short requests are served late, and long ones are refused") {
  const struct {
    std::string why;
    std::chrono::nanoseconds apart;  // of the requests
    std::chrono::nanoseconds queued_for;
    bool refused;
  } cases[] = {
      {"short", 20us, 101ms, false},
      {"long", 10ms, 101ms, true},
      {"long, and not late", 10ms, 100ms, false},
  };
  Runtime runtime(test_options(1));
  const ServerOptions options{.queue_delay_max = 100ms, .queue_busy_min = 200ms};
  for (const auto& [why, apart, queued_for, refused] : cases) {
    CAPTURE(why);
    const auto overload = std::make_shared<Overload>(options, runtime.worker_slots());
    CHECK(runtime.block_on(last_is_refused, overload, apart, queued_for) == refused);
  }
}

TEST_CASE("the requests of other workers do not count") {
  Runtime runtime(test_options(2));
  const ServerOptions options{.queue_delay_max = 100ms, .queue_busy_min = 200ms};
  const auto overload = std::make_shared<Overload>(options, runtime.worker_slots());
  const auto refused_on = [&](std::uint32_t worker, std::chrono::nanoseconds apart) {
    return runtime.block_on([&]() -> Task<bool> {
      auto handle = runtime.spawn_local_on(worker, last_is_refused, overload, apart, 101ms);
      co_return co_await std::move(handle);
    });
  };
  CHECK_FALSE(refused_on(0, 10us));
  CHECK(refused_on(1, 10ms));
}

TEST_CASE("a request counts if it has waited for more than an eighth of the limit") {
  for (const auto& [waited, counts] : {std::pair(12ms, false), std::pair(13ms, true)}) {
    CAPTURE(waited.count());
    Runtime runtime(test_options(1));
    const ServerOptions options{.queue_delay_max = 100ms, .queue_busy_min = 200ms};
    Overload overload(options, runtime.worker_slots());
    runtime.block_on([&]() -> Task<> {
      const auto refused = [&](std::chrono::nanoseconds now, std::chrono::nanoseconds queued_for) {
        return overload
            .overload_reason({.now = now, .queued_for = queued_for, .busy_for = 1h}, false, [] { return 1h; })
            .has_value();
      };
      std::chrono::nanoseconds now = 1h;
      for (; now < 1h + 500ms; now += 20us) CHECK_FALSE(refused(now, waited));
      CHECK(refused(now, 101ms) != counts);  // those that counted were short
      co_return;
    });
  }
}

TEST_CASE("a request of a heavy route may wait for four turns, and longer than others while none is refused") {
  const ServerOptions usual{.queue_delay_max = 100ms, .heavy_delay_max = 5s};
  const struct {
    std::string why;
    ServerOptions options;
    std::chrono::nanoseconds longest_turn;
    bool refusing;
    std::chrono::nanoseconds limit;
  } cases[] = {
      {"nothing is known yet", usual, 0s, false, 100ms},
      {"short turns", usual, 2ms, false, 100ms},
      {"short turns, in an overload", usual, 2ms, true, 20ms},
      {"four of the turns last longer", usual, 50ms, false, 200ms},
      {"as long in an overload", usual, 50ms, true, 200ms},
      {"the upper limit", usual, 2s, false, 5s},
      {"an upper limit that is lower than what others may wait", {.heavy_delay_max = 50ms}, 2ms, false, 50ms},
      {"others are never refused", {.queue_delay_max = 0s, .heavy_delay_max = 5s}, 2ms, true, 5s},
      {"none is refused", {.heavy_delay_max = 0s}, 2ms, true, std::chrono::nanoseconds::max()},
  };
  for (const auto& [why, options, longest_turn, refusing, limit] : cases) {
    CAPTURE(why);
    CHECK(heavy_delay_limit(longest_turn, refusing, options) == limit);
  }
}

TEST_CASE("after a refusal the limit of heavy routes is lower, until none was refused for a second") {
  Runtime runtime(test_options(1));
  const ServerOptions options{.queue_delay_max = 100ms, .heavy_delay_max = 5s};
  Overload overload(options, runtime.worker_slots());
  runtime.block_on([&]() -> Task<> {
    CHECK(!overload.heavy_delay_too_long(100ms, 10s));
    CHECK(overload.heavy_delay_too_long(100ms + 1ns, 10s));
    CHECK(!overload.heavy_delay_too_long(20ms, 10'900ms));
    CHECK(overload.heavy_delay_too_long(20ms + 1ns, 10'900ms));
    CHECK(overload.heavy_delay_too_long(20ms + 1ns, 11'899ms));
    CHECK(!overload.heavy_delay_too_long(100ms, 12'899ms));
    co_return;
  });
}

TEST_CASE("the lower limit of heavy routes lasts for twenty seconds at most, however many are refused") {
  Runtime runtime(test_options(1));
  const ServerOptions options{.queue_delay_max = 100ms, .heavy_delay_max = 5s};
  Overload overload(options, runtime.worker_slots());
  runtime.block_on([&]() -> Task<> {
    CHECK(overload.heavy_delay_too_long(101ms, 10s));
    for (auto now = 10'500ms; now < 30s; now += 500ms) CHECK(overload.heavy_delay_too_long(21ms, now));
    CHECK(!overload.heavy_delay_too_long(21ms, 30s));
    CHECK(overload.heavy_delay_too_long(101ms, 30s));
    CHECK(overload.heavy_delay_too_long(21ms, 30'100ms));
    co_return;
  });
}

TEST_CASE("connections leave the open descriptors and a tenth of the limit to other uses") {
  const struct {
    std::string why;
    std::uint64_t descriptors;
    std::uint64_t open;
    std::size_t connections;
  } cases[] = {
      {"few", 64, 20, 28},
      {"as shells have it", 1024, 24, 898},
      {"many", 20'000, 30, 19'458},
      {"as containers have it", 1'048'576, 30, 1'048'034},
      {"none is left: it still serves", 40, 39, 1},
      {"no limit", RLIM_INFINITY, 30, 0},
  };
  for (const auto& [why, descriptors, open, connections] : cases) {
    CAPTURE(why);
    CHECK(connections_that_fit(descriptors, open) == connections);
  }
}

TEST_CASE("requests are refused by the memory that is left") {
  Runtime runtime(test_options(1));
  const std::uint64_t used = MemoryUse::of_process(0).used_bytes();
  const Turn calm{};
  const Turn late{.queued_for = 1h, .busy_for = 1h};
  const struct {
    std::string why;
    std::uint64_t limit;
    Turn turn;
    std::chrono::nanoseconds work;
    bool has_body;
    std::optional<OverloadReason> reason;
  } cases[] = {
      {"plenty", used * 100, calm, 1h, true, {}},
      {"plenty, but late", used * 100, late, 1h, true, OverloadReason::queue_delay},
      {"plenty, and late, but the last in the queue", used * 100, late, 0s, true, {}},
      {"exhausted", 1, calm, 0s, false, OverloadReason::memory},
      {"exhausted, whatever else", 1, late, 1h, true, OverloadReason::memory},
  };
  for (const auto& [why, limit, turn, work, has_body, reason] : cases) {
    CAPTURE(why);
    const ServerOptions options{.memory_bytes_max = limit};
    Overload overload(options, runtime.worker_slots());
    runtime.block_on([&]() -> Task<> {
      Turn at = turn;
      for (; at.now < 1s; at.now += 10ms) {  // until long requests have shown themselves
        static_cast<void>(overload.overload_reason(at, has_body, [&] { return work; }));
      }
      CHECK(overload.overload_reason(at, has_body, [&] { return work; }) == reason);
      co_return;
    });
  }
}

TEST_CASE("events are counted by reason") {
  Runtime runtime(test_options());
  const ServerOptions options;
  Overload overload(options, runtime.worker_slots());
  runtime.block_on([&]() -> Task<> {
    overload.note(OverloadReason::queue_delay, 1s);
    overload.note(OverloadReason::queue_delay, 1s);
    overload.note(OverloadReason::connections, 1s);
    co_return;
  });
  CHECK(overload.noted(OverloadReason::queue_delay) == 2);
  CHECK(overload.noted(OverloadReason::connections) == 1);
  CHECK(overload.noted(OverloadReason::memory) == 0);
  CHECK(overload.noted(OverloadReason::client_connections) == 0);
}

TEST_CASE("an IntervalGate lets one caller through, and the next after the interval") {
  IntervalGate interval_gate;
  CHECK(interval_gate.due(5s, 1s));
  CHECK_FALSE(interval_gate.due(5s, 1s));
  CHECK_FALSE(interval_gate.due(6s - 1ns, 1s));
  CHECK(interval_gate.due(6s, 1s));
  CHECK_FALSE(interval_gate.due(6s, 1s));
}

TEST_CASE("requests that wait too long in the queue get 503, and none after the overload") {
  App app;
  app.get("/work", [] {
    test::burn(20ms);
    return "done";
  });
  app.post("/work", [](const Request& request) { return std::string(request.body()); });
  ServedApp served(std::move(app), {.queue_delay_max = 40ms, .queue_busy_min = 80ms}, 1);
  base::Atomic<int> done{0};
  base::Atomic<int> refused{0};
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i != 12; ++i) {
      clients.emplace_back([&](const std::stop_token& stop) {
        HttpClient client(served.port());
        while (!stop.stop_requested()) {
          const Reply reply = client.ask(kWork);  // on the same connection, whatever the status
          if (reply.status == 503 && reply.field("Retry-After") == "1" && !reply.closes()) ++refused;
          if (reply.status == 200) ++done;
        }
      });
    }
    CHECK(test::eventually([&] { return refused >= 20 && done >= 20; }, 60s));
  }
  HttpClient client(served.port());
  CHECK(test::eventually([&] { return client.ask(kWork).status == 200; }));
  for (int i = 0; i != 10; ++i) CHECK(client.ask(kWork).status == 200);
}

TEST_CASE("clients that send large bodies slowly are held up, then refused, and memory stays within its limit") {
  if (test::kSanitized) return;  // sanitizers keep freed memory, so the process grows
  constexpr std::size_t kBodyBytes = 1024 * 1024;
  constexpr std::size_t kBoundBytes = 32 * 1024 * 1024;
  constexpr int kClients = 200;  // six times the limit
  App app;
  app.get("/", [] { return "hello"; });
  app.post("/whole", [](const Request& request) { return std::to_string(request.body().size()); });
  app.post("/later", [](const Request& request) -> Task<std::string> {
    co_await yield();
    co_return std::to_string(request.body().size());
  });
  const MemoryUse use = MemoryUse::of_process(0);
  const std::uint64_t bound = use.used_bytes() + kBoundBytes;
  ServedApp served(std::move(app), {.memory_bytes_max = bound});
  const std::string body(kBodyBytes, 'x');
  struct Upload {
    HttpClient client;
    std::string_view left;
  };
  std::vector<Upload> uploads;
  for (int i = 0; i != kClients; ++i) {
    auto& upload =
        uploads.emplace_back(HttpClient(served.port()), std::string_view(body).substr(1));  // without its last byte
    const char* const path = i % 2 == 0 ? "/whole" : "/later";
    upload.client.send("POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n");
  }
  const Overload& overload = served.server().overload();
  std::uint64_t most = 0;
  CHECK(test::eventually([&] {
    for (auto& [client, left] : uploads) left.remove_prefix(client.send_at_once(left.substr(0, 32 * 1024)));
    most = std::max(most, use.used_bytes());
    return overload.noted(OverloadReason::memory) != 0;
  }));
  CHECK(most < bound);
  // If the uploads have used the last memory as well, other requests are served when some of the uploads were refused.
  CHECK(test::eventually([&] {
    HttpClient probe(served.port());
    return probe.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200;
  }));
  uploads.clear();
  const std::string whole = "POST /whole HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n" + body;
  CHECK(test::eventually([&] {
    try {
      return HttpClient(served.port()).ask(whole).status == 200;
    } catch (const std::exception&) {  // refused before it was sent
      return false;
    }
  }));
}

TEST_CASE("bodies, then all requests are refused as memory runs out, and are served again afterwards") {
  App app;
  app.get("/", [] { return "hello"; });
  app.post("/", [](const Request& request) { return std::string(request.body()); });
  app.ws("/socket", [](WebSocket& socket) -> Task<> {
    for (;;) {
      const auto message = co_await socket.receive();
      if (!message) co_return;
      co_await socket.send_text(message->data);
    }
  });
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";
  const std::uint64_t limit =
      MemoryUse::of_process(0).used_bytes() + 512 * 1024 * 1024;  // more than the program's own pages vary
  ServedApp served(std::move(app), {.memory_bytes_max = limit});
  const MemoryBudget& memory = served.server().overload().memory;
  const auto becomes = [&](MemoryBudget::State state) {
    return test::eventually([&] {
      HttpClient(served.port()).send(get);  // requests trigger the samples
      std::this_thread::sleep_for(20ms);
      return memory.state() == state;
    });
  };
  HttpClient first(served.port());
  HttpClient second(served.port());
  HttpClient third(served.port());
  for (HttpClient* client : {&first, &second, &third}) CHECK(client->ask(get).status == 200);
  test::WebSocketClient socket(served.port(), "/socket");
  socket.send_text("small");
  CHECK(socket.next() == "text small");
  {
    const Ballast ballast(limit, 0.7);
    REQUIRE(becomes(MemoryBudget::State::low));
    CHECK(first.ask(get).status == 200);
    const Reply refused = second.ask(post);
    CHECK(refused.status == 503);
    CHECK(refused.field("Retry-After") == "1");
    CHECK(refused.closes());
    socket.send_text("perhaps large");
    CHECK(socket.next() == "close 1013");
  }
  REQUIRE(becomes(MemoryBudget::State::plenty));
  CHECK(first.ask(post).status == 200);
  HttpClient waiting = [&] {
    const Ballast ballast(limit, 0.25);
    REQUIRE(becomes(MemoryBudget::State::exhausted));
    const Reply refused = third.ask(get);
    CHECK(refused.status == 503);
    CHECK(refused.field("Retry-After") == "1");
    CHECK(refused.closes());
    CHECK(third.end() == HttpClient::End::closed);
    HttpClient late(served.port());
    late.send(get);
    return late;
  }();
  CHECK(waiting.read().status != 0);  // it was accepted in the end
  REQUIRE(becomes(MemoryBudget::State::plenty));
  CHECK(HttpClient(served.port()).ask(post).status == 200);
}

TEST_SUITE_END();
}  // namespace volt::http::server
