// What the service responses with, beside values.
#pragma once

#include <http/http.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "apps/crud/item.h"

namespace crud {

// An item with its version as entity tag, which a change of it names in If-Match (RFC 9110 section 13.1.1).
struct ItemWithEtag {
  Item item;

  volt::http::Response into_response(const volt::http::Request& request) &&;
  static void describe(volt::http::openapi::Operation& operation);
};

// The same of one that was just made: 201, and Location.
struct CreatedItem {
  Item item;

  volt::http::Response into_response(const volt::http::Request& request) &&;
  static void describe(volt::http::openapi::Operation& operation);
};

// A page of a list, with a link to the next one (RFC 8288) unless it is the last.
struct ItemPage {
  std::vector<Item> items;
  std::string next;  // the cursor; empty: there is no other page

  volt::http::Response into_response(const volt::http::Request& request) &&;
  static void describe(volt::http::openapi::Operation& operation);
};

// What If-Match names. A tag that is none of ours is that of no version.
struct VersionCondition {
  std::optional<std::int64_t> version;  // none: `*`, whichever there is
};
std::expected<VersionCondition, std::string> from_text(std::string_view text, std::type_identity<VersionCondition>);

}  // namespace crud
