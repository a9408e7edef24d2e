// SPDX-License-Identifier: MIT

#include "http/multipart/internal/multipart_boundary.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::multipart {
using namespace std::string_view_literals;
TEST_SUITE_BEGIN("http/multipart/internal/multipart_boundary");

TEST_CASE("the boundary must be valid by RFC 2046 section 5.1.1") {
  const std::string longest(70, 'x');
  const struct {
    std::string why, content_type, want;
  } cases[] = {
      {"a token", "multipart/form-data; boundary=abc", "abc"},
      {"the boundary of a browser", "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxk",
       "----WebKitFormBoundary7MA4YWxk"},
      {"any case", "Multipart/Form-Data;BOUNDARY=aBc", "aBc"},
      {"quoted", "multipart/form-data; boundary=\"a b'()+_,-./:=?\"", "a b'()+_,-./:=?"},
      {"other parameters", "multipart/form-data; charset=utf-8; boundary=abc; x=y", "abc"},
      {"the longest boundary", "multipart/form-data; boundary=" + longest, longest},
  };
  for (const auto& [why, content_type, want] : cases) {
    CAPTURE(why);
    CHECK(multipart_boundary(content_type) == want);
  }
}

TEST_CASE("a content type without a valid boundary is rejected") {
  using enum MultipartError;
  const struct {
    std::string why;
    std::string content_type;
    MultipartError error;
  } cases[] = {
      {"nothing", "", not_form_data},
      {"another type", "application/json", not_form_data},
      {"another multipart", "multipart/mixed; boundary=abc", not_form_data},
      {"malformed", "multipart/form-data; boundary=a/b", not_form_data},
      {"two", "multipart/form-data; boundary=a; boundary=b", not_form_data},
      {"none", "multipart/form-data", bad_boundary},
      {"empty", "multipart/form-data; boundary=\"\"", bad_boundary},
      {"71 bytes", "multipart/form-data; boundary=" + std::string(71, 'x'), bad_boundary},
      {"a space at the end", "multipart/form-data; boundary=\"a \"", bad_boundary},
      {"an invalid byte", "multipart/form-data; boundary=a*b", bad_boundary},
      {"a tab", "multipart/form-data; boundary=\"a\tb\"", bad_boundary},
      {"an escaped quote", "multipart/form-data; boundary=\"a\\\"b\"", bad_boundary},
      {"bytes above 0x7f", "multipart/form-data; boundary=\"\xc3\xa9\"", bad_boundary},
  };
  for (const auto& [why, content_type, error] : cases) {
    CAPTURE(why);
    const auto boundary = multipart_boundary(content_type);
    REQUIRE_FALSE(boundary.has_value());
    CHECK(boundary.error() == error);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::multipart
