// SPDX-License-Identifier: MIT

// Conditional requests (RFC 9110 section 13): decides how to respond, given the current representation.
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "http/files/entity_tag.h"
#include "http/message/headers.h"
#include "http/message/method.h"

namespace volt::http::files {

// Identifies the state of a representation. Either member may be missing.
struct Validators {
  std::optional<EntityTag> etag;
  std::optional<std::chrono::sys_seconds> last_modified;
};

enum class Verdict : std::uint8_t { proceed, not_modified, precondition_failed };

// Evaluates If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since, in the order of section 13.2.2.
// `current` has the validators of the selected representation; nullopt if none exists. A malformed date is ignored, as
// the RFC requires. The RFC does not define a malformed list of tags. Here, If-Match fails if its list is malformed.
// If-None-Match with a malformed list is ignored for GET and HEAD, and fails for other methods.
Verdict evaluate_preconditions(Method method, const Fields& fields, const std::optional<Validators>& current,
                               std::chrono::sys_seconds now) noexcept;

// Evaluates If-Range (section 13.1.5). Returns false if Range must be ignored. The client's validator must be strong
// and equal to the current one. A date is strong if it is before `now` (section 8.8.2.2).
bool range_applies(const Fields& fields, const Validators& current, std::chrono::sys_seconds now) noexcept;

}  // namespace volt::http::files
