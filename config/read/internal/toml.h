// A configuration file, in TOML 1.0.
//
// Threads: functions.
#pragma once

#include <string>
#include <string_view>

#include "config/read/internal/config_builder.h"

namespace volt::config {

// `name` is what messages call it.
void read_toml(std::string_view text, const std::string& name, ConfigBuilder& config_builder);

// The same from a file. One that cannot be read is a problem, as is one of more than a MiB.
void read_toml_file(const std::string& path, ConfigBuilder& config_builder);

// All settings with their meanings, what they take and have, and where that comes from if it is no default: reads back as
// the same configuration. With nothing set it is config/default.toml.
[[nodiscard]] std::string show_toml(const ConfigBuilder& config_builder);

}  // namespace volt::config
