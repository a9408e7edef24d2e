// SPDX-License-Identifier: MIT

#include "config/read/internal/config_builder.h"

namespace volt::config {

void ConfigBuilder::assign(const Setting& setting, const RawValue& found, const std::string& place,
                           std::string origin) {
  if (ignores_own_ && setting.extra().is_own) return;
  const auto index = static_cast<std::size_t>(&setting - settings_.data());
  places_[index] = place;
  const std::string problem = setting.assign(values_, found);
  if (!problem.empty()) return add_problem(place + ": " + problem);
  origins_[index] = std::move(origin);
}

}  // namespace volt::config
