// SPDX-License-Identifier: MIT

#include "http/coding/coded_entity_tag.h"

namespace volt::http::coding {
namespace {

constexpr std::string_view kWeak = "W/";

// Returns the text between the quotes, RFC 9110 section 8.8.3; nullopt for text that is not an entity tag.
std::optional<std::string_view> opaque_part(std::string_view tag) noexcept {
  if (tag.starts_with(kWeak)) tag.remove_prefix(kWeak.size());
  if (tag.size() < 2 || tag.front() != '"' || tag.back() != '"') return std::nullopt;
  return tag.substr(1, tag.size() - 2);
}

std::string suffix_for(ContentCoding coding) { return std::string("-").append(to_string(coding)); }

std::string weak_tag(std::string_view opaque, std::string_view suffix) {
  return std::string(kWeak).append("\"").append(opaque).append(suffix).append("\"");
}

}  // namespace

std::string coded_entity_tag(std::string_view tag, ContentCoding coding) {
  const auto opaque = opaque_part(tag);
  if (!opaque || coding == ContentCoding::identity) return std::string(tag);
  return weak_tag(*opaque, suffix_for(coding));
}

std::optional<std::string> plain_entity_tag(std::string_view tag, ContentCoding coding) {
  const auto opaque = opaque_part(tag);
  if (!opaque) return std::nullopt;
  if (coding == ContentCoding::identity) return std::string(tag);
  const std::string suffix = suffix_for(coding);
  if (!opaque->ends_with(suffix)) return std::nullopt;
  return weak_tag(opaque->substr(0, opaque->size() - suffix.size()), "");
}

}  // namespace volt::http::coding
