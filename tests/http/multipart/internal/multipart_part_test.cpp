// SPDX-License-Identifier: MIT

#include "http/multipart/internal/multipart_part.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::multipart {
using namespace std::string_literals;
TEST_SUITE_BEGIN("http/multipart/internal/multipart_part");

TEST_CASE("the disposition has the name of the part and of its file, RFC 7578 section 4.2") {
  const struct {
    std::string why, disposition, name, file_name;
  } cases[] = {
      {"a name", "form-data; name=\"a\"", "a", "-"},
      {"a name without quotes", "form-data; name=a", "a", "-"},
      {"any case, any white space", "Form-Data;NAME=\"a\" ;\tFileName=\"b\"", "a", "b"},
      {"the file name first", "form-data; filename=b; name=a", "a", "b"},
      {"other parameters", "form-data; name=a; x=y", "a", "-"},
      {"an empty name", "form-data; name=\"\"", "", "-"},
      {"no file chosen", "form-data; name=a; filename=\"\"", "a", ""},
      {"UTF-8 as it is", "form-data; name=\"\xc3\xa9\"; filename=\"\xe6\x96\x87\"", "\xc3\xa9", "\xe6\x96\x87"},
      {"escapes of browsers", "form-data; name=\"a%22b%0D%0Ac\"; filename=\"%22\"", "a\"b\r\nc", "\""},
      {"escapes in lower case", "form-data; name=\"%0d%0a\"", "\r\n", "-"},
      {"no other escapes", "form-data; name=\"100%25 %41 %00 %2 %\"", "100%25 %41 %00 %2 %", "-"},
      {"escapes of older clients", "form-data; name=\"a\\\"b\\\\c\"", "a\"b\\c", "-"},
      {"a path of Windows", "form-data; name=a; filename=\"C:\\dir\\new.txt\"", "a", "C:\\dir\\new.txt"},
      {"separators in quotes", "form-data; name=\"a; filename=b\"", "a; filename=b", "-"},
      {"a path is not changed", "form-data; name=a; filename=\"../../x\"", "a", "../../x"},
  };
  for (const auto& [why, disposition, name, file_name] : cases) {
    CAPTURE(why);
    const auto part = MultipartPart::parse("Content-Disposition: " + disposition + "\r\n\r\n");
    REQUIRE(part.has_value());
    CHECK(part->name() == name);
    CHECK(part->file_name().value_or("-") == file_name);
    CHECK(part->content_type() == "text/plain");
  }
}

TEST_CASE("an invalid head is rejected") {
  using enum MultipartError;
  const std::string named = "Content-Disposition: form-data; name=a\r\n";
  const struct {
    std::string why;
    std::string head;
    MultipartError error;
  } cases[] = {
      {"no field", "\r\n", bad_disposition},
      {"no disposition", "Content-Type: a/b\r\n\r\n", bad_disposition},
      {"another disposition", "Content-Disposition: attachment; name=a\r\n\r\n", bad_disposition},
      {"no name", "Content-Disposition: form-data\r\n\r\n", bad_disposition},
      {"a file without name", "Content-Disposition: form-data; filename=a\r\n\r\n", bad_disposition},
      {"two names", "Content-Disposition: form-data; name=a; Name=a\r\n\r\n", bad_disposition},
      {"two files", "Content-Disposition: form-data; name=a; filename=b; filename=b\r\n\r\n", bad_disposition},
      {"4.2: filename*", "Content-Disposition: form-data; name=a; filename*=utf-8''b\r\n\r\n", bad_disposition},
      {"name*", "Content-Disposition: form-data; name=a; name*=utf-8''b\r\n\r\n", bad_disposition},
      {"quotes that are not closed", "Content-Disposition: form-data; name=\"a\r\n\r\n", bad_disposition},
      {"text after the quotes", "Content-Disposition: form-data; name=\"a\"b\r\n\r\n", bad_disposition},
      {"two dispositions", named + "content-disposition: form-data; name=b\r\n\r\n", bad_field},
      {"two types", named + "Content-Type: a/b\r\nContent-Type: a/b\r\n\r\n", bad_field},
      {"4.7: an encoding", named + "Content-Transfer-Encoding: base64\r\n\r\n", unsupported_encoding},
      {"two encodings", named + "Content-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding: base64\r\n\r\n",
       bad_field},
      {"no colon", named + "Content-Type\r\n\r\n", bad_field},
      {"no field name", named + ": x\r\n\r\n", bad_field},
      {"space before the colon", "Content-Disposition : form-data; name=a\r\n\r\n", bad_field},
      {"folded", "Content-Disposition: form-data;\r\n name=a\r\n\r\n", bad_field},
      {"a NUL", "Content-Disposition: form-data; name=\"a\0\"\r\n\r\n"s, bad_field},
      {"bare CR", "Content-Disposition: form-data; name=\"a\rb\"\r\n\r\n", bad_field},
      {"bare LF", "Content-Disposition: form-data; name=a\nX: y\r\n\r\n", bad_field},
      {"no empty line", named, bad_field},
      {"nothing", "", bad_field},
  };
  for (const auto& [why, head, error] : cases) {
    CAPTURE(why);
    const auto part = MultipartPart::parse(head);
    REQUIRE_FALSE(part.has_value());
    CHECK(part.error() == error);
  }
}

TEST_CASE("all fields of a part are available, also after the part was moved") {
  auto parsed = MultipartPart::parse(
      "content-disposition:form-data; name=a\r\nContent-Type: \timage/png \r\nContent-Transfer-Encoding: Binary\r\n"
      "X-Empty:\r\n\r\n");
  REQUIRE(parsed.has_value());
  const MultipartPart part = *std::move(parsed);
  CHECK(part.content_type() == "image/png");
  CHECK(part.fields().size() == 4);
  CHECK(part.fields().find("x-empty") == "");
  CHECK(part.fields()[0].name == "content-disposition");
}

TEST_SUITE_END();
}  // namespace volt::http::multipart
