// SPDX-License-Identifier: MIT

#include "http/multipart/internal/multipart_part.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "http/message/ascii.h"
#include "http/message/parameters.h"
#include "http/message/percent.h"

namespace volt::http::multipart {
namespace {

constexpr std::string_view kPartLineEnd = "\r\n";

// Parses a header field; `line` is a view into `head`. Follows RFC 9110 section 5.1, which is stricter than MIME:
// folded lines and a space before the colon are refused.
std::optional<message::FieldSpan> parse_field(std::string_view line, const std::string& head) noexcept {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = message::trim_ows(line.substr(colon + 1));
  if (!message::is_token(name) || !message::is_field_value(value)) return std::nullopt;
  const auto offset = [&](std::string_view text) { return static_cast<std::uint32_t>(text.data() - head.data()); };
  return message::FieldSpan{offset(name), static_cast<std::uint32_t>(name.size()), offset(value),
                            static_cast<std::uint32_t>(value.size())};
}

bool repeats(const Fields& fields, std::string_view name) noexcept {
  const auto all = fields.all(name);
  return std::distance(all.begin(), all.end()) > 1;
}

bool leaves_bytes_alone(std::string_view encoding) noexcept {
  for (const std::string_view known : {"7bit", "8bit", "binary"}) {
    if (message::equal_ignoring_case(encoding, known)) return true;
  }
  return false;
}

// Removes the escapes from a name. Browsers write a quote, CR and LF as %22, %0D and %0A, and escape no other character
// (WHATWG HTML, "Multipart form data"). Older clients escape quotes and backslashes by a backslash. Any other backslash
// is literal, as in a path on Windows.
std::string decode_name(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  while (!text.empty()) {
    if (text.starts_with("\\\"") || text.starts_with("\\\\")) text.remove_prefix(1);
    std::string_view rest = text;
    const char unescaped = message::take_percent_decoded(rest);
    const bool by_browser = text.front() == '%' && message::contains("\"\r\n", unescaped);
    decoded += by_browser ? unescaped : text.front();
    text = by_browser ? rest : text.substr(1);
  }
  return decoded;
}

}  // namespace

std::expected<MultipartPart, MultipartError> MultipartPart::parse(std::string head) {
  MultipartPart part;
  part.head_ = std::move(head);
  std::string_view lines = part.head_;
  while (!lines.starts_with(kPartLineEnd)) {
    const std::size_t end = lines.find(kPartLineEnd);
    const auto span = parse_field(lines.substr(0, end), part.head_);
    if (!span || end == std::string_view::npos) return std::unexpected(MultipartError::bad_field);
    part.spans_.push_back(*span);
    lines.remove_prefix(end + kPartLineEnd.size());
  }

  const Fields fields = part.fields();
  for (const std::string_view once : {"content-disposition", "content-type", "content-transfer-encoding"}) {
    if (repeats(fields, once)) return std::unexpected(MultipartError::bad_field);
  }
  if (!leaves_bytes_alone(fields.find("content-transfer-encoding").value_or("binary"))) {
    return std::unexpected(MultipartError::unsupported_encoding);
  }
  const auto disposition = part.parse_disposition(fields.find("content-disposition").value_or(""));
  if (!disposition) return std::unexpected(disposition.error());
  return part;
}

std::expected<void, MultipartError> MultipartPart::parse_disposition(std::string_view value) {
  const std::unexpected refused(MultipartError::bad_disposition);
  const std::size_t semicolon = std::min(value.find(';'), value.size());
  if (!message::equal_ignoring_case(message::trim_ows(value.substr(0, semicolon)), "form-data")) return refused;

  std::optional<std::string> name;
  message::Parameters parameters(value.substr(semicolon));
  while (const auto parameter = parameters.next()) {
    const bool names_file = message::equal_ignoring_case(parameter->name, "filename");
    if (parameter->name.ends_with('*')) return refused;
    if (!names_file && !message::equal_ignoring_case(parameter->name, "name")) continue;
    std::optional<std::string>& target = names_file ? file_name_ : name;
    if (target) return refused;
    target = decode_name(parameter->value);
  }
  if (parameters.malformed() || !name) return refused;
  name_ = *std::move(name);
  return {};
}

}  // namespace volt::http::multipart
