// SPDX-License-Identifier: MIT

#include "tests/support/engine.h"

#include <cstdlib>
#include <string_view>

#include "runtime/base/check.h"

namespace volt {

io::Engine test_engine() {
  const char* text = std::getenv("VOLT_TEST_IO");
  const std::string_view engine = text == nullptr ? "uring" : text;
  VOLT_CHECK(engine == "uring" || engine == "epoll");
  return engine == "uring" ? io::Engine::uring : io::Engine::epoll;
}

RuntimeOptions test_options(std::uint32_t workers) {
  return {.workers = workers, .io = test_engine() == io::Engine::uring ? IoEngine::uring : IoEngine::epoll};
}

}  // namespace volt
