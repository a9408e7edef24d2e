// SPDX-License-Identifier: MIT

#include "config/read/internal/config_builder.h"

namespace volt::config {

void ConfigBuilder::assign(const Setting& setting, const RawValue& found, const std::string& place,
                           std::string origin) {
  if (!setting.assign(config_, found)) {
    return add_problem(place + ": found " + found.to_string() + ", expected " + setting.expected());
  }
  origins_[static_cast<std::size_t>(&setting - settings_.data())] = std::move(origin);
}

}  // namespace volt::config
