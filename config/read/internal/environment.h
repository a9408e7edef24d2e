// SPDX-License-Identifier: MIT

// Reads settings from environment variables, such as VOLT_SERVER_IDLE_TIMEOUT=30s, or SHOP_CURRENCY=EUR of a program's
// own table [shop]. The items of a list are separated by commas.
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
// unknown variable adds a warning if it begins like those of a table, such as VOLT_SERVER_ or SHOP_, or resembles a
// known one. It is not an error, because it may belong to another program. The variables that Kubernetes sets for a
// Service called shop, such as SHOP_SERVICE_HOST, are ignored, unless they are those of settings. SHOP_PORT with a
// value like tcp://10.0.0.1:80 is always ignored.
void read_environment(const char* const* environment, ConfigBuilder& config_builder);

}  // namespace volt::config
