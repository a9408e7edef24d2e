// SPDX-License-Identifier: MIT

#include "http/files/entity_tag.h"

#include <cstddef>

#include "http/message/ascii.h"

namespace volt::http::files {
namespace {

// The bytes of etagc: visible ASCII except the quote, and obs-text.
constexpr message::ByteSet kTagChars([](char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return byte == 0x21 || (byte >= 0x23 && byte != 0x7f);
});

// Removes the tag at the front of `text` and returns it. The text is not split at commas first, because a tag may
// contain commas.
std::optional<EntityTag> take_tag(std::string_view& text) noexcept {
  EntityTag tag{.opaque = {}, .weak = text.starts_with("W/")};
  std::string_view rest = text.substr(tag.weak ? 2 : 0);
  if (!rest.starts_with('"')) return std::nullopt;
  rest.remove_prefix(1);
  std::size_t size = 0;
  while (size < rest.size() && kTagChars.contains(rest[size])) ++size;
  if (size == rest.size() || rest[size] != '"') return std::nullopt;
  tag.opaque = rest.substr(0, size);
  text = rest.substr(size + 1);
  return tag;
}

void skip_ows(std::string_view& text) noexcept {
  while (!text.empty() && message::is_ows(text.front())) text.remove_prefix(1);
}

}  // namespace

std::string to_text(EntityTag tag) {
  std::string text(tag.weak ? "W/\"" : "\"");
  text.append(tag.opaque).push_back('"');
  return text;
}

std::optional<EntityTag> parse_entity_tag(std::string_view text) noexcept {
  const auto tag = take_tag(text);
  return text.empty() ? tag : std::nullopt;
}

TagMatch match_tags(const Fields::Matches& lines, const std::optional<Existing>& existing,
                    TagComparison equal) noexcept {
  std::size_t members = 0;
  bool star = false;
  bool found = false;
  for (std::string_view line : lines) {
    for (skip_ows(line); !line.empty(); skip_ows(line)) {
      if (line.starts_with(',')) {  // RFC 9110 section 5.6.1.2: empty members are ignored
        line.remove_prefix(1);
        continue;
      }
      ++members;
      if (line.starts_with('*')) {
        star = true;
        line.remove_prefix(1);
      } else {
        const auto tag = take_tag(line);
        if (!tag) return TagMatch::malformed;
        found = found || (existing && existing->tag && equal(*tag, *existing->tag));
      }
      skip_ows(line);
      if (!line.empty() && line.front() != ',') return TagMatch::malformed;
    }
  }
  if (star && members > 1) return TagMatch::malformed;
  return found || (star && existing) ? TagMatch::some : TagMatch::none;
}

}  // namespace volt::http::files
