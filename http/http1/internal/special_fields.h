// SPDX-License-Identifier: MIT

// Collects, in one pass over a head, the fields that the decoders themselves must obey: Host, Content-Type,
// Authorization, Connection, Expect, and the fields that frame the body.
//
// Threads: functions without state of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/http1/internal/framing.h"
#include "http/http1/internal/host_check.h"
#include "http/http1/internal/parse_error.h"
#include "http/message/headers.h"
#include "http/message/version.h"

namespace volt::http::http1 {

struct SpecialFields {
  FramingFields framing;
  std::optional<std::string_view> host;  // the first Host
  bool host_repeated = false;
  std::optional<std::string_view> content_type;  // the last Content-Type
  bool content_types_differ = false;
  bool has_authorization = false;
  bool authorization_repeated = false;
  bool close = false;  // Connection options, RFC 9110 section 7.6.1: case-insensitive, in lists, over several fields
  bool keep_alive = false;
  bool expect_continue = false;      // Expect: 100-continue
  bool unknown_expectation = false;  // Expect: anything else
};

// Returns the special fields. The result contains views into the values of `fields`.
SpecialFields special_fields(const Fields& fields) noexcept;

// Returns whether the connection persists after the message, RFC 9112 section 9.3.
constexpr bool wants_keep_alive(const SpecialFields& fields, Version version) noexcept {
  if (fields.close) return false;
  return version == Version::http_1_1 || fields.keep_alive;
}

// Returns whether Host is acceptable, RFC 9112 section 3.2: exactly one valid Host field; only HTTP/1.0 may omit it.
// `check` judges the value.
bool host_acceptable(const SpecialFields& fields, Version version, HostCheck& check) noexcept;

}  // namespace volt::http::http1
