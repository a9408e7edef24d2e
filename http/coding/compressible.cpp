// SPDX-License-Identifier: MIT

#include "http/coding/compressible.h"

#include <algorithm>
#include <array>

#include "http/message/ascii.h"
#include "http/message/parameters.h"

namespace volt::http::coding {
namespace {

using message::equal_ignoring_case;

// Compressible types besides text/* and the suffixes below.
constexpr std::array kCompressibleTypes = {
    std::string_view("application/json"),
    std::string_view("application/javascript"),
    std::string_view("application/ecmascript"),
    std::string_view("application/x-javascript"),
    std::string_view("application/xml"),
    std::string_view("application/wasm"),
    std::string_view("application/graphql"),
    std::string_view("application/ndjson"),
    std::string_view("application/x-ndjson"),
    std::string_view("application/jsonl"),
    std::string_view("application/yaml"),
    std::string_view("application/toml"),
    std::string_view("application/sql"),
    std::string_view("application/rtf"),
    std::string_view("application/x-www-form-urlencoded"),
    std::string_view("application/vnd.ms-fontobject"),
    std::string_view("font/ttf"),
    std::string_view("font/otf"),
    std::string_view("font/collection"),
    std::string_view("image/bmp"),
    std::string_view("image/vnd.microsoft.icon"),
    std::string_view("image/x-icon"),
};

// Structured syntax suffixes, RFC 6839 and RFC 9512: image/svg+xml, application/problem+json, ...
constexpr std::array kCompressibleSuffixes = {
    std::string_view("+json"),
    std::string_view("+xml"),
    std::string_view("+yaml"),
    std::string_view("+text"),
};

std::string_view media_type(std::string_view content_type) noexcept {
  return message::trim_ows(content_type.substr(0, content_type.find(';')));
}

bool has_suffix(std::string_view type, std::string_view suffix) noexcept {
  return type.size() > suffix.size() && equal_ignoring_case(type.substr(type.size() - suffix.size()), suffix);
}

bool whole_content(Status status) noexcept {
  return static_cast<int>(status) >= 200 && status != Status::no_content && status != Status::reset_content &&
         status != Status::partial_content && status != Status::not_modified;
}

bool names_directive(std::string_view list, std::string_view directive) noexcept {
  while (!list.empty()) {
    if (equal_ignoring_case(message::take_quoted_list_element(list), directive)) return true;
  }
  return false;
}

bool forbids_transformation(const FieldList& fields) noexcept {
  constexpr std::string_view kLineEnd = "\r\n";
  std::string_view lines = fields.lines();
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find(kLineEnd));
    lines.remove_prefix(line.size() + kLineEnd.size());
    const std::size_t colon = line.find(':');
    if (!equal_ignoring_case(line.substr(0, colon), "cache-control")) continue;
    if (names_directive(line.substr(colon + 1), "no-transform")) return true;
  }
  return false;
}

}  // namespace

bool compressible_media_type(std::string_view content_type) noexcept {
  constexpr std::string_view kText = "text/";
  const std::string_view type = media_type(content_type);
  if (equal_ignoring_case(type.substr(0, kText.size()), kText)) return true;
  return std::ranges::any_of(kCompressibleTypes,
                             [&](std::string_view known) { return equal_ignoring_case(type, known); }) ||
         std::ranges::any_of(kCompressibleSuffixes, [&](std::string_view suffix) { return has_suffix(type, suffix); });
}

bool needs_flush_per_event(std::string_view content_type) noexcept {
  return equal_ignoring_case(media_type(content_type), "text/event-stream");
}

bool worth_compressing(Status status, std::string_view content_type, const FieldList& fields,
                       std::optional<std::uint64_t> size_bytes, const CompressionRules& rules) noexcept {
  if (!whole_content(status)) return false;
  if (size_bytes && *size_bytes < rules.bytes_min) return false;
  if (!compressible_media_type(content_type) || forbids_transformation(fields)) return false;
  // Content that is coded already or is a part, or that has a digest of its plain form (RFC 9530, RFC 3230).
  constexpr const char* kFields[] = {"content-encoding", "content-range", "content-digest",
                                     "repr-digest",      "digest",        "content-md5"};
  return std::ranges::none_of(kFields, [&](const char* name) { return fields.find(name).has_value(); });
}

}  // namespace volt::http::coding
