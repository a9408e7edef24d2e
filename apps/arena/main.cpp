// SPDX-License-Identifier: MIT

// arena: the HTTP/1.1 endpoints of the benchmark HttpArena.
#include <config/run.h>

#include <chrono>
#include <cstdlib>

#include "apps/arena/arena.h"

namespace {

arena::Options options_from_environment() {
  arena::Options options;
  if (const char* dataset = std::getenv("ARENA_DATASET")) options.dataset = dataset;
  if (const char* files = std::getenv("ARENA_STATIC")) options.files = files;
  options.database = volt::pg::options_from_environment();
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  volt::config::Config defaults;
  defaults.server.limits.body_bytes_max = 64 << 20;  // uploads have up to 20 MB
  // The benchmark has thousands of clients that never pause, and counts refusals as errors.
  defaults.server.queue_delay_max = std::chrono::milliseconds(0);
  return volt::run([] { return arena::make_app(options_from_environment()); }, argc, argv, defaults);
}
