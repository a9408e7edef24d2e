// SPDX-License-Identifier: MIT

// techempower: the TechEmpower benchmarks. DATABASE_URL names the database, DATABASE_MAX_CONN the size of the pool.
#include <config/run.h>
#include <pg/options.h>

#include <chrono>

#include "apps/techempower/benchmarks.h"

int main(int argc, char** argv) {
  const auto make_app = [] { return techempower::make_app(volt::pg::Pool(volt::pg::options_from_environment())); };
  volt::config::Config defaults;
  // The benchmark has thousands of clients that never pause, and counts refusals as errors.
  defaults.server.queue_delay_max = std::chrono::milliseconds(0);
  return volt::run(make_app, argc, argv, defaults);
}
