// SPDX-License-Identifier: MIT

#include "config/process/heap.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "runtime/memory_use.h"
#include "tests/support/sanitizers.h"

namespace volt::config {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = 1024 * 1024;

// The environment in which the tests run may say what malloc keeps: that is dropped.
[[maybe_unused]] const bool kNothingSet = [] {
  for (const char* name : {"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_ARENA_MAX"}) {
    ::unsetenv(name);
  }
  return true;
}();

// A process whose memory and processor time the test decides.
class Process {
 public:
  // Looks at the time that the last look named. Since then, the process has taken this share of a processor.
  bool look(std::uint64_t bytes, double processor_share) {
    const HeapTrim::Clock::time_point now = trim_.next_look();
    const std::chrono::duration<double> taken = (now - last_look_) * processor_share;
    processor_time_ += std::chrono::duration_cast<std::chrono::nanoseconds>(taken);
    last_look_ = now;
    return trim_.is_due(now, {.bytes = bytes, .processor_time = processor_time_});
  }
  bool look_busy(std::uint64_t bytes) { return look(bytes, 0.5); }
  bool look_idle(std::uint64_t bytes) { return look(bytes, 0.001); }
  [[nodiscard]] std::chrono::nanoseconds until_next_look() const { return trim_.next_look() - last_look_; }

 private:
  HeapTrim::Clock::time_point last_look_{1h};
  std::chrono::nanoseconds processor_time_{0};
  HeapTrim trim_{last_look_};
};

}  // namespace

TEST_SUITE_BEGIN("config/process/heap");

TEST_CASE("a busy process gives memory back when it has grown") {
  Process process;
  CHECK_FALSE(process.look_busy(20 * kMiB));
  CHECK_FALSE(process.look_busy(20 * kMiB + kMiB / 4));
  CHECK(process.until_next_look() == 10s);
  CHECK(process.look_busy(21 * kMiB));
  CHECK(process.until_next_look() == 5min);
  // It needs most of the memory again. Its growth counts from here.
  CHECK_FALSE(process.look_busy(21 * kMiB + kMiB / 2));
  CHECK_FALSE(process.look_busy(21 * kMiB + kMiB / 2));
  CHECK(process.look_busy(23 * kMiB));
}

TEST_CASE("a large process gives memory back when it has grown by a share") {
  Process process;
  CHECK_FALSE(process.look_busy(1024 * kMiB));
  CHECK_FALSE(process.look_busy(1050 * kMiB));
  CHECK(process.look_busy(1056 * kMiB));
}

TEST_CASE("growth counts from the least memory") {
  Process process;
  CHECK_FALSE(process.look_busy(30 * kMiB));
  CHECK_FALSE(process.look_busy(20 * kMiB));
  CHECK(process.look_busy(21 * kMiB));
}

TEST_CASE("a process gives memory back once when it becomes idle") {
  Process process;
  CHECK_FALSE(process.look_busy(20 * kMiB));
  CHECK(process.look_idle(20 * kMiB));
  CHECK_FALSE(process.look_idle(20 * kMiB));
  CHECK(process.until_next_look() == 60s);
  CHECK_FALSE(process.look_busy(20 * kMiB));
  CHECK(process.until_next_look() == 10s);
  CHECK(process.look_idle(20 * kMiB));
}

TEST_CASE("an idle process that grows between two looks gives memory back") {
  Process process;
  CHECK(process.look_idle(20 * kMiB));
  CHECK_FALSE(process.look_idle(18 * kMiB));
  CHECK(process.look_idle(300 * kMiB));
}

TEST_CASE("memory between blocks in use goes back to the kernel") {
  if (volt::test::kSanitized) return;  // the allocator of a sanitizer is another
  constexpr std::size_t kBlocks = 1000;
  constexpr std::size_t kBlockBytes = 40'000;
  const MemoryUse memory = MemoryUse::of_process(0);
  std::vector<std::unique_ptr<char[]>> freed;
  std::vector<std::unique_ptr<char[]>> kept;
  for (std::size_t i = 0; i != kBlocks; ++i) {
    freed.push_back(std::make_unique<char[]>(kBlockBytes));
    kept.push_back(std::make_unique<char[]>(100));
  }
  freed.clear();
  const std::uint64_t before = memory.used_bytes();
  HeapTrim trim(HeapTrim::Clock::now() - std::chrono::years(1));  // so the process was idle
  trim.look();
  CHECK(memory.used_bytes() + kBlocks * kBlockBytes / 2 < before);
}

TEST_CASE("the environment may say what malloc keeps") {
  ::setenv("MALLOC_ARENA_MAX", "2", 1);
  const HeapTrim trim;
  ::unsetenv("MALLOC_ARENA_MAX");
  CHECK(trim.next_look() == HeapTrim::Clock::time_point::max());
}

TEST_SUITE_END();

}  // namespace volt::config
