// SPDX-License-Identifier: MIT

// TrustedHtml and TrustedUrl: text that a template writes as it is, because the program vouches for it.
//
// Threads: values.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace volt::http {

// HTML that is written without escapes: markup of the program, or the output of a library that keeps only permitted
// elements. The text of a user must never become one. It must be whole: what it opens, it closes.
class TrustedHtml {
 public:
  TrustedHtml() = default;
  explicit TrustedHtml(std::string html) : html_(std::move(html)) {}

  [[nodiscard]] std::string_view view() const noexcept { return html_; }

 private:
  std::string html_;
};

// An address of any scheme. It may name a script, a style or a frame: <script src>, <link href>, <iframe src>. It must
// not come from a user.
class TrustedUrl {
 public:
  TrustedUrl() = default;
  explicit TrustedUrl(std::string url) : url_(std::move(url)) {}

  [[nodiscard]] std::string_view view() const noexcept { return url_; }

 private:
  std::string url_;
};

}  // namespace volt::http
