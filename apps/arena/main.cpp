// SPDX-License-Identifier: MIT

// arena: the HTTP/1.1 endpoints of the benchmark HttpArena.
#include <config/run.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "apps/arena/arena.h"

int main(int argc, char** argv) {
  arena::Options options;
  if (const char* dataset = std::getenv("ARENA_DATASET")) options.dataset = dataset;
  if (const char* files = std::getenv("ARENA_STATIC")) options.files = files;
  try {
    options.database = volt::pg::options_from_environment();
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  volt::http::App app = arena::make_app(options);
  volt::config::Config defaults;
  defaults.server.limits.body_bytes_max = 64 << 20;  // uploads have up to 20 MB
  return volt::run(app, argc, argv, defaults);
}
