// SPDX-License-Identifier: MIT

// Runs the wrong program that the argument names; without an argument, prints the names of all.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/misuse/run/programs.h"

namespace volt::misuse {

RuntimeOptions options(std::uint32_t workers) {
  const char* io = std::getenv("VOLT_TEST_IO");
  RuntimeOptions result{.workers = workers};
  result.io = io != nullptr && std::string_view(io) == "epoll" ? IoEngine::epoll : IoEngine::uring;
  return result;
}

void say(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

}  // namespace volt::misuse

int main(int argc, char** argv) {
  for (const auto programs :
       {volt::misuse::task_programs(), volt::misuse::wait_programs(), volt::misuse::end_programs()}) {
    for (const auto& [name, run] : programs) {
      if (argc < 2) std::puts(name);
      if (argc < 2 || std::string_view(argv[1]) != name) continue;
      run();
      return 0;
    }
  }
  return argc < 2 ? 0 : 2;
}
