// SPDX-License-Identifier: MIT

// FormText: the text of an application/x-www-form-urlencoded body, or of a query.
//
// Threads: a value.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "http/message/percent.h"

namespace volt::http::oidc {

class FormText {
 public:
  FormText& add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += '&';
    message::append_percent_encoded(name, text_);
    text_ += '=';
    message::append_percent_encoded(value, text_);
    return *this;
  }
  FormText& add_if_any(std::string_view name, std::string_view value) {
    return value.empty() ? *this : add(name, value);
  }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // Returns `uri` with these fields as its query, or behind the query that it has (RFC 6749 section 3.1).
  [[nodiscard]] std::string behind(std::string_view uri) const {
    return std::string(uri) + (uri.contains('?') ? '&' : '?') + text_;
  }

 private:
  std::string text_;
};

}  // namespace volt::http::oidc
