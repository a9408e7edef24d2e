// SPDX-License-Identifier: MIT

#include "http/ops/internal/process_facts.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>

namespace volt::http::ops {

TEST_SUITE_BEGIN("http/ops/internal/process_facts");

TEST_CASE("the process has memory, threads and a start in the past") {
  const ProcessFacts facts = process_facts();
  CHECK(facts.resident_bytes > 100'000);
  CHECK(facts.virtual_bytes >= facts.resident_bytes);
  CHECK(facts.threads >= 1);
  CHECK(facts.descriptors_max >= facts.open_descriptors);
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  CHECK(facts.start_seconds < now + 1);  // the kernel reports it in clock ticks
  CHECK(facts.start_seconds > now - 24 * 3600);
}

TEST_CASE("open descriptors are counted") {
  const std::uint64_t before = process_facts().open_descriptors;
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  CHECK(process_facts().open_descriptors == before + 1);
  ::close(fd);
  CHECK(process_facts().open_descriptors == before);
}

TEST_CASE("computation increases the CPU time") {
  const double before = process_facts().cpu_seconds;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (process_facts().cpu_seconds <= before && std::chrono::steady_clock::now() < until) {
  }
  CHECK(process_facts().cpu_seconds > before);
}

}  // namespace volt::http::ops
