// SPDX-License-Identifier: MIT

// arena: the HTTP/1.1 endpoints of the benchmark HttpArena.
#include <config/program.h>

#include <chrono>
#include <cstddef>
#include <string>

#include "apps/arena/arena.h"

namespace {

struct Options {
  std::string dataset = "/data/dataset.json";
  std::string files = "/data/static";
  volt::Secret database;
  volt::Ranged<std::size_t, 1, 10'000> database_connections_max = 10u;

  static constexpr volt::Described descriptions[] = {
      {"dataset", "File of the JSON profiles"},
      {"files", "Folder of the static profile", "ARENA_STATIC"},
      {"database", "Connection string of PostgreSQL, for async-db and crud", "DATABASE_URL"},
      {"database_connections_max", "Maximum number of connections to PostgreSQL", "DATABASE_MAX_CONN"},
  };
};

arena::Options options_of(const Options& options) {
  return {.dataset = options.dataset,
          .files = options.files,
          .database = {.url = options.database.reveal(), .connections_max = options.database_connections_max}};
}

}  // namespace

int main(int argc, char** argv) {
  volt::config::Config defaults;
  defaults.server.limits.body_bytes_max = 64 << 20;  // uploads have up to 20 MB
  // The benchmark has thousands of clients that never pause, and counts refusals as errors.
  defaults.server.queue_delay_max = std::chrono::milliseconds(0);
  volt::Program program({.name = "arena", .description = "The benchmark HttpArena.", .defaults = defaults});
  const auto options = program.settings<Options>("arena");
  return program.run([&] { return arena::make_app(options_of(*options)); }, argc, argv);
}
