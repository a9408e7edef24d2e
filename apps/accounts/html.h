// SPDX-License-Identifier: MIT

// Html: a page, as in docs/html.md. markup() takes only text of the program, and text() escapes.
//
// Threads: a value.
#pragma once

#include <http/http.h>

#include <string>
#include <string_view>
#include <utility>

namespace accounts {

class Html {
 public:
  Html& markup(volt::http::StaticText markup) {
    html_ += markup.view();
    return *this;
  }
  // Between tags, and in attributes between quotes.
  Html& text(std::string_view text);

  [[nodiscard]] volt::http::Response into_response(const volt::http::Request&) && {
    return volt::http::Response::html(std::move(html_));
  }
  [[nodiscard]] volt::http::Response with_status(volt::http::Status status) && {
    return volt::http::Response::html(std::move(html_), status);
  }

 private:
  std::string html_;
};

}  // namespace accounts
