// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/extension_list.h"

#include <cstddef>
#include <utility>

#include "http/message/ascii.h"

namespace volt::http::websocket {
namespace {

// Consumes elements from the front of a field.
class Reader {
 public:
  explicit Reader(std::string_view text) noexcept : text_(text) {}

  bool at_end() const noexcept { return text_.empty(); }

  void skip_spaces() noexcept {
    while (!text_.empty() && message::is_ows(text_.front())) text_.remove_prefix(1);
  }

  bool take(char wanted) noexcept {
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  // Takes `wanted` and optional white space around it.
  bool take_delimiter(char wanted) noexcept {
    skip_spaces();
    if (!take(wanted)) return false;
    skip_spaces();
    return true;
  }

  // Empty if there is no token.
  std::string_view take_token() noexcept {
    std::size_t size = 0;
    while (size < text_.size() && message::kTokenChars.contains(text_[size])) ++size;
    const std::string_view token = text_.substr(0, size);
    text_.remove_prefix(size);
    return token;
  }

  // A token, or a quoted string that contains a token (RFC 6455 section 9.1). Empty if there is neither.
  std::optional<std::string> take_value() {
    std::string value = take('"') ? take_quoted_rest() : std::string(take_token());
    if (!message::is_token(value)) return std::nullopt;
    return value;
  }

 private:
  // Empty if the closing quote is missing.
  std::string take_quoted_rest() {
    std::string value;
    while (!text_.empty()) {
      if (take('"')) return value;
      take('\\');
      if (text_.empty()) break;
      value.push_back(text_.front());
      text_.remove_prefix(1);
    }
    return {};
  }

  std::string_view text_;
};

std::optional<ExtensionParameter> take_parameter(Reader& reader) {
  ExtensionParameter parameter{.name = reader.take_token(), .value = {}};
  if (parameter.name.empty()) return std::nullopt;
  if (reader.take_delimiter('=')) {
    parameter.value = reader.take_value();
    if (!parameter.value) return std::nullopt;
  }
  return parameter;
}

std::optional<Extension> take_extension(Reader& reader) {
  Extension extension{.name = reader.take_token(), .parameters = {}};
  if (extension.name.empty()) return std::nullopt;
  while (reader.take_delimiter(';')) {
    auto parameter = take_parameter(reader);
    if (!parameter) return std::nullopt;
    extension.parameters.push_back(*std::move(parameter));
  }
  return extension;
}

}  // namespace

bool append_extensions(std::string_view field, std::vector<Extension>& list) {
  Reader reader(field);
  reader.skip_spaces();
  while (!reader.at_end()) {
    if (reader.take_delimiter(',')) continue;  // Empty elements are allowed: RFC 9110 section 5.6.1.2.
    auto extension = take_extension(reader);
    if (!extension) return false;
    list.push_back(*std::move(extension));
    if (!reader.take_delimiter(',') && !reader.at_end()) return false;
  }
  return true;
}

std::optional<std::vector<Extension>> read_extensions(const Fields& fields) {
  std::vector<Extension> list;
  for (const std::string_view field : fields.all("sec-websocket-extensions")) {
    if (!append_extensions(field, list)) return std::nullopt;
  }
  return list;
}

}  // namespace volt::http::websocket
