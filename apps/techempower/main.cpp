// SPDX-License-Identifier: MIT

// techempower: the TechEmpower benchmarks. DATABASE_URL names the database, DATABASE_MAX_CONN the size of the pool.
#include <config/program.h>
#include <pg/options.h>

#include <chrono>
#include <cstddef>

#include "apps/techempower/benchmarks.h"

namespace {

struct Options {
  volt::Secret database;
  volt::Ranged<std::size_t, 1, 10'000> database_connections_max = 10u;

  static constexpr volt::Described descriptions[] = {
      {"database", "Connection string of PostgreSQL", "DATABASE_URL"},
      {"database_connections_max", "Maximum number of connections to PostgreSQL", "DATABASE_MAX_CONN"},
  };
};

volt::http::App make_app(const Options& options) {
  return techempower::make_app(
      volt::pg::Pool({.url = options.database.reveal(), .connections_max = options.database_connections_max}));
}

}  // namespace

int main(int argc, char** argv) {
  volt::config::Config defaults;
  // The benchmark has thousands of clients that never pause, and counts refusals as errors.
  defaults.server.queue_delay_max = std::chrono::milliseconds(0);
  volt::Program program({.name = "techempower", .description = "The TechEmpower benchmarks.", .defaults = defaults});
  const auto options = program.settings<Options>("techempower");
  return program.run([&] { return make_app(*options); }, argc, argv);
}
