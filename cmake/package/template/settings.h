// The settings of the program: members are keys of the table [app], and their initializers are the defaults. The file
// (--config FILE), the environment (APP_GREETING) and flags (--app.greeting) set them.
#pragma once

#include <config/program.h>

#include <chrono>
#include <string>

struct Settings {
  std::string greeting = "Hello";
  volt::Ranged<int, 1, 1000> guests_max = 100;
  std::chrono::milliseconds request_timeout = std::chrono::seconds(10);

  static constexpr volt::Described descriptions[] = {
      {"greeting", "First word of each greeting"},
      {"guests_max", "Maximum number of guests of one invitation"},
      {"request_timeout", "Maximum time for the response to a request; 503 if exceeded"},
  };
};
