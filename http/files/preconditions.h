// Conditional requests (RFC 9110 section 13): what the answer may be, given what exists now.
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

// What tells the states of a representation apart. Either may be missing.
struct Validators {
  std::optional<EntityTag> etag;
  std::optional<std::chrono::sys_seconds> last_modified;
};

enum class Verdict : std::uint8_t { proceed, not_modified, precondition_failed };

// If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since, in the order of section 13.2.2. `current`: of the
// selected representation; nothing if there is none. A malformed date is ignored, as the RFC has it. A malformed list
// of tags, of which it says nothing, holds no match, and lets no method but GET and HEAD pass.
Verdict evaluate_preconditions(Method method, const Fields& fields, const std::optional<Validators>& current,
                               std::chrono::sys_seconds now) noexcept;

// If-Range (section 13.1.5): false where Range is to be ignored. The client's validator must be strong and equal ours;
// a date is strong once its second is over (section 8.8.2.2).
bool range_applies(const Fields& fields, const Validators& current, std::chrono::sys_seconds now) noexcept;

}  // namespace volt::http::files
