// SPDX-License-Identifier: MIT

// The signals that control a server. config/run.h documents the effect of each.
#pragma once

#include <signal.h>

#include <initializer_list>

namespace volt::config {

inline constexpr std::initializer_list<int> kHandledSignals = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR2};

[[nodiscard]] constexpr bool ends_server(int number) noexcept {
  return number == SIGTERM || number == SIGINT || number == SIGQUIT;
}

}  // namespace volt::config
