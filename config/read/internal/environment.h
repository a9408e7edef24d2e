// SPDX-License-Identifier: MIT

// Reads settings from environment variables, such as VOLT_SERVER_IDLE_TIMEOUT=30s. The items of a list are separated by
// commas.
//
// Threads: functions without shared state.
#pragma once

#include <string>

#include "config/read/internal/config_builder.h"

namespace volt::config {

inline constexpr const char* kFileVariable = "VOLT_CONFIG";  // names the configuration file, unless --config does

// Assigns the defaults of the platform, such as Kubernetes, that the environment reveals. Call it before all other
// sources.
void apply_platform_defaults(const char* const* environment, ConfigBuilder& config_builder);

// Assigns the settings in `environment`, which has the form of environ(7). An empty variable counts as absent. An
// unknown variable with the prefix VOLT_ that resembles a known one adds a warning and not a problem, since Kubernetes
// sets variables such as VOLT_PORT for a service called volt.
void read_environment(const char* const* environment, ConfigBuilder& config_builder);

}  // namespace volt::config
