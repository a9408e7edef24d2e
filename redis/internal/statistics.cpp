// SPDX-License-Identifier: MIT

#include "redis/internal/statistics.h"

#include "redis/pool.h"

namespace volt::redis::internal {

void Statistics::report(const database::PoolReport& to, const PoolState& state, std::string_view failures_help) const {
  to.gauge("commands", "Commands in progress; a batch counts as one.", state.commands);
  to.gauge("subscriptions", "Subscriptions, each of which has a connection of its own.", state.subscriptions);
  to.durations("command_seconds", "Time from sending a command or a batch to its last reply, in seconds.", commands_);
  failures_.report(to, failures_help, kFailures);
}

}  // namespace volt::redis::internal
