// SPDX-License-Identifier: MIT

// The results of handlers that set header fields: entity tags and links.
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

// An item with its version as entity tag. A client that changes the item sends the tag in If-Match (RFC 9110 section
// 13.1.1).
struct ItemWithEtag {
  Item item;

  volt::http::Response into_response(const volt::http::Request& request) &&;
  static void describe(volt::http::openapi::Operation& operation);
};

// A new item: 201 with Location and an entity tag.
struct CreatedItem {
  Item item;

  volt::http::Response into_response(const volt::http::Request& request) &&;
  static void describe(volt::http::openapi::Operation& operation);
};

// A page of a list, with a link to the next one (RFC 8288) unless it is the last.
struct ItemPage {
  std::vector<Item> items;
  std::string next;  // cursor of the next page; empty if this page is the last

  volt::http::Response into_response(const volt::http::Request& request) &&;
  static void describe(volt::http::openapi::Operation& operation);
};

// The version in If-Match. A tag that does not come from this service becomes a version that no item has.
struct VersionCondition {
  std::optional<std::int64_t> version;  // empty for `*`: any version
};
std::expected<VersionCondition, std::string> from_text(std::string_view text, std::type_identity<VersionCondition>);

}  // namespace crud
