// SPDX-License-Identifier: MIT

// Reads and prints a configuration file in TOML 1.0.
//
// Threads: functions without shared state.
#pragma once

#include <string>
#include <string_view>

#include "config/read/internal/config_builder.h"

namespace volt::config {

// Assigns the settings in `text`. `name` is the name of the file in messages.
void read_toml(std::string_view text, const std::string& name, ConfigBuilder& config_builder);

// Assigns the settings in the file `path`. Adds a problem if the file cannot be read or is larger than 1 MiB.
void read_toml_file(const std::string& path, ConfigBuilder& config_builder);

// Returns all settings as TOML, each with its description, its valid values, its current value, and the source of the
// value unless that is the default. read_toml() of the result gives an equal configuration. The result for the default
// configuration is config/default.toml.
[[nodiscard]] std::string show_toml(const ConfigBuilder& config_builder);

}  // namespace volt::config
