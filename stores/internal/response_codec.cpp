// SPDX-License-Identifier: MIT

#include "stores/internal/response_codec.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace volt::stores {
namespace {

// A list of netstrings, `size:bytes`. The first one is the version of the format.
constexpr std::string_view kVersion = "1";

void append_netstring(std::string_view text, std::string& out) {
  out.append(std::to_string(text.size())).append(":").append(text);
}

void append_number(std::int64_t number, std::string& out) { append_netstring(std::to_string(number), out); }

// Reads netstrings one by one; after the first error all are empty.
class NetstringReader {
 public:
  explicit NetstringReader(std::string_view bytes) noexcept : rest_(bytes) {}

  std::string_view next() noexcept {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    failed_ = failed_ || error != std::errc() || digits == rest_.size() || rest_[digits] != ':' ||
              size > rest_.size() - digits - 1;
    if (failed_) return {};
    const std::string_view text = rest_.substr(digits + 1, size);
    rest_.remove_prefix(digits + 1 + size);
    return text;
  }

  std::int64_t number() noexcept {
    const std::string_view text = next();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    failed_ = failed_ || error != std::errc() || end != text.data() + text.size();
    return value;
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

// Adds the fields of `lines`, each `name: value CRLF`. Returns false if one is malformed.
bool add_fields(std::string_view lines, http::FieldList& out) {
  while (!lines.empty()) {
    const std::size_t end = lines.find("\r\n");
    const std::size_t colon = lines.substr(0, end).find(": ");
    if (end == std::string_view::npos || colon == std::string_view::npos) return false;
    try {
      out.add(lines.substr(0, colon), lines.substr(colon + 2, end - colon - 2));
    } catch (const std::invalid_argument&) {  // decided: bytes from outside
      return false;
    }
    lines.remove_prefix(end + 2);
  }
  return true;
}

constexpr std::chrono::seconds http::CachedResponse::* kTimes[] = {
    &http::CachedResponse::age, &http::CachedResponse::fresh_for, &http::CachedResponse::stale_while_revalidate,
    &http::CachedResponse::stale_if_error};

}  // namespace

std::string encode_response(const http::CachedResponse& response) {
  std::string bytes;
  append_netstring(kVersion, bytes);
  append_number(http::code(response.status), bytes);
  for (const auto time : kTimes) append_number((response.*time).count(), bytes);
  append_netstring(response.content_type, bytes);
  append_netstring(response.fields.lines(), bytes);
  append_netstring(response.vary, bytes);
  append_netstring(response.body, bytes);
  append_number(static_cast<std::int64_t>(response.tags.size()), bytes);
  for (const std::string& tag : response.tags) append_netstring(tag, bytes);
  return bytes;
}

std::optional<http::CachedResponse> decode_response(std::string_view bytes) {
  NetstringReader reader(bytes);
  if (reader.next() != kVersion) return std::nullopt;
  http::CachedResponse response;
  const std::int64_t status = reader.number();
  for (const auto time : kTimes) response.*time = std::chrono::seconds(reader.number());
  response.content_type = reader.next();
  const bool has_fields = add_fields(reader.next(), response.fields);
  response.vary = reader.next();
  response.body = reader.next();
  const std::int64_t tags = reader.number();
  while (!reader.failed() && !reader.at_end()) response.tags.emplace_back(reader.next());
  if (reader.failed() || std::cmp_not_equal(response.tags.size(), tags) || !has_fields || status < 200 || status > 599)
    return std::nullopt;
  response.status = static_cast<http::Status>(status);
  return response;
}

}  // namespace volt::stores
