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
  std::string_view opaque;  // what stands between the quotes: a view of whoever made it
  bool weak = false;
};

// As it stands in a field: `"x"` or `W/"x"`.
std::string to_text(EntityTag tag);

// RFC 9110 section 8.8.3.2.
constexpr bool strongly_equal(EntityTag a, EntityTag b) noexcept { return !a.weak && !b.weak && a.opaque == b.opaque; }
constexpr bool weakly_equal(EntityTag a, EntityTag b) noexcept { return a.opaque == b.opaque; }

// The one tag that `text` is; nothing if it is anything else. A view into `text`.
std::optional<EntityTag> parse_entity_tag(std::string_view text) noexcept;

enum class TagMatch : std::uint8_t { none, some, malformed };

// Whether `"a", W/"b"` or `*`, perhaps over several field lines, holds the tag of what exists; `*` stands for whatever
// exists. One malformed member spoils the list: what it was meant to say is unknown.
struct Existing {
  std::optional<EntityTag> tag;
};
using TagComparison = bool (*)(EntityTag, EntityTag) noexcept;
TagMatch match_tags(const Fields::Matches& lines, const std::optional<Existing>& existing,
                    TagComparison equal) noexcept;

}  // namespace volt::http::files
