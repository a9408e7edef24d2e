// SPDX-License-Identifier: MIT

// Entity tags (RFC 9110 section 8.8.3): the value, its two comparisons, and the lists of If-Match and If-None-Match.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/headers.h"

namespace volt::http::files {

struct EntityTag {
  std::string_view opaque;  // the text between the quotes; a view that is valid as long as its source
  bool weak = false;
};

// Returns the tag in the form used in a field: `"x"` or `W/"x"`.
std::string to_text(EntityTag tag);

// The strong and the weak comparison of RFC 9110 section 8.8.3.2.
constexpr bool strongly_equal(EntityTag a, EntityTag b) noexcept { return !a.weak && !b.weak && a.opaque == b.opaque; }
constexpr bool weakly_equal(EntityTag a, EntityTag b) noexcept { return a.opaque == b.opaque; }

// Parses exactly one tag; nullopt for any other text. The result is a view into `text`.
std::optional<EntityTag> parse_entity_tag(std::string_view text) noexcept;

enum class TagMatch : std::uint8_t { none, some, malformed };

// A representation that exists; it may have no tag.
struct Existing {
  std::optional<EntityTag> tag;
};
using TagComparison = bool (*)(EntityTag, EntityTag) noexcept;

// Evaluates a list such as `"a", W/"b"` or `*`, which may extend over several field lines. Returns whether it contains
// the tag of the existing representation; `*` matches any existing representation. If one member is malformed, the
// result is `malformed`, because the intended meaning of the list is unknown.
TagMatch match_tags(const Fields::Matches& lines, const std::optional<Existing>& existing,
                    TagComparison equal) noexcept;

}  // namespace volt::http::files
