// The environment as a source: VOLT_SERVER_IDLE_TIMEOUT=30s. A list has commas between.
//
// Threads: functions.
#pragma once

#include <string>

#include "config/read/internal/config_builder.h"

namespace volt::config {

inline constexpr const char* kFileVariable = "VOLT_CONFIG";  // the file to read, unless a flag names one

// What the place that we run in asks for; goes before all sources.
void apply_platform_defaults(const char* const* environment, ConfigBuilder& config_builder);

// `environment` is as environ(7) has it. A variable that is empty counts as absent. One that begins as ours do, and
// nearly is one, is a warning, not a problem: Kubernetes sets VOLT_PORT and the like for a service called volt.
void read_environment(const char* const* environment, ConfigBuilder& config_builder);

}  // namespace volt::config
