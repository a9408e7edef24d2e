// SPDX-License-Identifier: MIT

#include "sessions/internal/planned_save.h"

#include <optional>
#include <utility>

#include "http/cookies/session_id.h"

namespace volt::sessions {

using http::cookies::Renewal;
using http::cookies::SaveError;

std::expected<PlannedSave, SaveError> plan_save(const std::string& cookie, const std::string& data, Renewal renewal,
                                                const StoreOptions& options) {
  if (data.size() > options.data_bytes_max) return std::unexpected(SaveError::too_long);
  std::optional<std::string> old_name = http::cookies::session_name(cookie);
  if (!cookie.empty() && !old_name) return std::unexpected(SaveError::gone);
  const bool keeps = old_name && renewal == Renewal::keep_cookie;
  PlannedSave plan{.cookie = keeps ? cookie : http::cookies::new_session_cookie(), .name = {}, .old_name = {}};
  plan.name = http::cookies::session_name(plan.cookie).value();
  if (old_name) plan.old_name = *std::move(old_name);
  return plan;
}

}  // namespace volt::sessions
