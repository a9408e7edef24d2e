// SPDX-License-Identifier: MIT

// The grammar of Sec-WebSocket-Extensions, RFC 6455 section 9.1.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/headers.h"

namespace volt::http::websocket {

struct ExtensionParameter {
  std::string_view name;
  std::optional<std::string> value;  // Without quotes and escapes.

  bool operator==(const ExtensionParameter&) const = default;
};

struct Extension {
  std::string_view name;
  std::vector<ExtensionParameter> parameters;

  bool operator==(const Extension&) const = default;
};

// Appends the extensions that one field lists, in order. Returns false if the field is malformed. Names are views into
// `field`.
bool append_extensions(std::string_view field, std::vector<Extension>& list);

// Returns the extensions that all Sec-WebSocket-Extensions fields list together, in order; nullopt if one is malformed.
// Names are views into the fields.
std::optional<std::vector<Extension>> read_extensions(const Fields& fields);

}  // namespace volt::http::websocket
