// SPDX-License-Identifier: MIT

#include "http/jwks/internal/freshness.h"

#include <algorithm>
#include <string_view>

#include "http/message/cache_control.h"

namespace volt::http::jwks {

std::optional<std::chrono::seconds> freshness_of(const Fields& fields) {
  constexpr std::chrono::seconds kNone{0};
  message::CacheControl control;
  for (const std::string_view line : fields.all("cache-control")) control.add(line);
  if (control.no_store || control.no_cache) return kNone;
  if (!control.max_age) return std::nullopt;
  const std::chrono::seconds age = message::parse_delta_seconds(fields.find("age").value_or("0")).value_or(kNone);
  return std::max(kNone, *control.max_age - age);
}

}  // namespace volt::http::jwks
