// SPDX-License-Identifier: MIT

// techempower: the TechEmpower benchmarks. DATABASE_URL names the database, DATABASE_MAX_CONN the size of the pool.
#include <config/run.h>
#include <pg/options.h>

#include <exception>
#include <iostream>

#include "apps/techempower/benchmarks.h"

int main(int argc, char** argv) {
  volt::pg::PoolOptions options;
  try {
    options = volt::pg::options_from_environment();
  } catch (const std::exception& error) {
    std::cerr << "techempower: " << error.what() << '\n';
    return 2;
  }
  volt::http::App app = techempower::make_app(volt::pg::Pool(options));
  return volt::run(app, argc, argv);
}
