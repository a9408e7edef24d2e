// SPDX-License-Identifier: MIT

// Profiles, of runtimes and as the ops server serves them.
#include "runtime/profile.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/fork.h"
#include "runtime/runtime.h"
#include "tests/http/ops/ops_fixture.h"
#include "tests/support/engine.h"
#include "tests/support/processor_time.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using test::HttpClient;
using test::OpsFixture;
using namespace std::chrono_literals;

// Computes mostly here, and not in functions of libc, which have no frame pointers.
[[gnu::noinline]] std::uint64_t hash_numbers(std::chrono::milliseconds duration) {
  std::uint64_t hash = 1;
  const auto end = test::processor_time() + duration;
  while (test::processor_time() < end) {
    for (int i = 0; i != 200'000; ++i) hash = (hash ^ static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15;
  }
  return hash;
}

Task<std::uint64_t> compute_hashes() { co_return hash_numbers(1500ms) + 1; }

// The samples in the lines that contain both texts.
std::uint64_t samples(const std::string& profile, std::string_view one, std::string_view other = {}) {
  std::istringstream lines(profile);
  std::uint64_t sum = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.rfind(' ');
    REQUIRE(at != std::string::npos);
    if (line.contains(one) && line.contains(other)) sum += std::stoull(line.substr(at + 1));
  }
  return sum;
}

}  // namespace

TEST_SUITE_BEGIN("http/ops/profile");

TEST_CASE("a profile shows a task that computes, with its coroutine function and the functions that it calls") {
  Runtime runtime(test_options());
  auto recording = ProfileRecording::start(runtime, 60s);
  REQUIRE(recording);
  const auto second = ProfileRecording::start(runtime, 1s);
  CHECK(second.error() == std::errc::device_or_resource_busy);
  runtime.block_on(compute_hashes);
  const std::string profile = (*recording)->end();
  CAPTURE(profile);
  if (test::kSanitized) return;                    // a sanitizer delays signals until the stack is another one
  CHECK(samples(profile, "compute_hashes") >= 4);  // about 150; on a busy machine the thread that samples is late, too
  CHECK(samples(profile, "hash_numbers") >= 0.8 * static_cast<double>(samples(profile, "")));
  CHECK(profile.substr(0, profile.find('\n')).contains("compute_hashes"));
}

TEST_CASE("profiles may begin and end while the workers compute") {
  Runtime runtime(test_options());
  base::Atomic<bool> ended{false};
  std::thread load([&] {
    while (!ended.load(base::seq_cst)) {
      runtime.block_on([]() -> Task<std::uint64_t> {
        const auto [one, other] = fork([] { return hash_numbers(1ms); }, [] { return hash_numbers(1ms); });
        co_return one + other;
      });
    }
  });
  std::uint64_t taken = 0;
  int recordings = 0;
  const auto record = [&] {
    auto recording = ProfileRecording::start(runtime, 1s);
    REQUIRE(recording);
    std::this_thread::sleep_for(10ms * ++recordings);  // a busy machine gives the workers little time at once
    if (recordings % 3 != 0) taken += samples((*recording)->end(), "");  // every third is discarded
    return recordings >= 10 && (taken > 0 || test::kSanitized);
  };
  CHECK(eventually(record));
  ended.store(true, base::seq_cst);
  load.join();
}

TEST_CASE("a runtime without a rescue signal has no profiles") {
  RuntimeOptions options = test_options();
  options.rescue_signal = 0;
  Runtime runtime(options);
  CHECK(ProfileRecording::start(runtime, 1s).error() == std::errc::not_supported);
}

TEST_CASE("/debug/profile has the route that computes at its top, and refuses a second profile") {
  OpsFixture ops_fixture;
  base::Atomic<bool> ended{false};
  std::thread load([&] {
    while (!ended.load(base::seq_cst)) ops_fixture.use("GET /compute/7");
  });
  CHECK(eventually([&] {
    HttpClient first = ops_fixture.operator_client();
    first.send("GET /debug/profile?seconds=60 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return ops_fixture.ask("/debug/profile?seconds=0.001").status == 409 &&
           !first.readable();  // else it was the second
  }));
  // The client has hung up.
  CHECK(eventually([&] { return ops_fixture.ask("/debug/profile?seconds=0.001").status == 200; }));
  const test::Reply reply = ops_fixture.ask("/debug/profile?seconds=1");
  ended.store(true, base::seq_cst);
  load.join();
  CHECK(reply.status == 200);
  CHECK(reply.field("Content-Type") == "text/plain; charset=utf-8");
  CAPTURE(reply.body);
  CHECK(ops_fixture.ask("/debug/profile?seconds=61").status == 400);
  if (test::kSanitized) return;
  CHECK(reply.body.starts_with("GET /compute/{id};"));
  CHECK(samples(reply.body, "GET /compute/{id};", "compute_for") >= 1);
}

TEST_SUITE_END();

}  // namespace volt
