// SPDX-License-Identifier: MIT

#include "http/multipart/internal/multipart_parser.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/http/multipart/parse_form.h"

namespace volt::http::multipart {
using namespace std::string_view_literals;
TEST_SUITE_BEGIN("http/multipart/internal/multipart_parser");

namespace {

constexpr std::string_view kHead = "Content-Disposition: form-data; name=a\r\n\r\n";

// Requires an equal outcome for the text in one piece, byte by byte, and split in two at every offset.
ParsedForm parse_all_ways(std::string_view body, std::string_view boundary = "b") {
  const ParsedForm whole = parse_form(boundary, body);
  CHECK(parse_form_by_bytes(boundary, body) == whole);
  for (std::size_t cut = 1; cut < body.size(); ++cut) {
    const std::size_t cuts[] = {cut};
    if (parse_form(boundary, body, cuts) == whole) continue;
    CAPTURE(cut);
    CHECK(parse_form(boundary, body, cuts) == whole);
  }
  return whole;
}

// Formats each part as `[name=data]`, followed by the error.
std::string shown(const ParsedForm& form) {
  std::string text;
  for (const ParsedPart& part : form.parts) {
    text.append("[").append(part.name).append("=").append(part.data).append(part.whole ? "]" : "...");
  }
  if (form.error) text.append("! ").append(to_sentence(*form.error));
  CHECK((form.ended || form.error.has_value()));
  return text;
}

std::string part(std::string_view data) { return std::string("--b\r\n").append(kHead).append(data).append("\r\n"); }

std::string parts(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part("x");
  return text;
}

std::string refused(MultipartError error) { return "! " + std::string(to_sentence(error)); }

}  // namespace

TEST_CASE("a form of a browser is parsed into its parts, RFC 7578") {
  const std::string body =
      "------WebKitFormBoundaryx\r\n"
      "Content-Disposition: form-data; name=\"title\"\r\n"
      "\r\n"
      "caf\xc3\xa9\r\nau lait\r\n"
      "------WebKitFormBoundaryx\r\n"
      "Content-Disposition: form-data; name=\"photo\"; filename=\"me %22!%22.png\"\r\n"
      "Content-Type: image/png\r\n"
      "\r\n"
      "\x89PNG\r\n\x1a\n\r\n"
      "------WebKitFormBoundaryx\r\n"
      "Content-Disposition: form-data; name=\"none\"; filename=\"\"\r\n"
      "Content-Type: application/octet-stream\r\n"
      "\r\n"
      "\r\n"
      "------WebKitFormBoundaryx--\r\n";
  const ParsedForm form = parse_all_ways(body, "----WebKitFormBoundaryx");
  CHECK_FALSE(form.error.has_value());
  CHECK(form.ended);
  const std::vector<ParsedPart> want = {
      {"title", "text/plain", "caf\xc3\xa9\r\nau lait", std::nullopt, 1, true},
      {"photo", "image/png", "\x89PNG\r\n\x1a\n", "me \"!\".png", 2, true},
      {"none", "application/octet-stream", "", "", 2, true},
  };
  CHECK(form.parts == want);
}

TEST_CASE("content is all bytes between delimiters, RFC 2046 section 5.1.1") {
  const std::string_view contents[] = {
      "",
      "x",
      "\r",
      "\n",
      "\r\n",
      "\r\n\r\n",
      "\r\r\n",
      "-",
      "--",
      "\r\n-",
      "\r\n--",
      "\r\n--c",
      "--bx",
      "b",
      "--B\r\n",
      "\n--b\r\n",     // An LF alone does not begin a line.
      "\r--b\r\n",     // A CR alone does not begin a line.
      "\r\n --b\r\n",  // A delimiter must be at the beginning of its line.
      "\r\n-b\r\n",
      "\r\n--bx\r\n",
      "\r\n--b-x",
      "\r\n--b-\r\n",
      "\r\n--bb--\r\n",
      "\r\n---b\r\n",
      "\r\n--b-\r\n--b-",  // Two almost complete last delimiters.
      "\r\n\r\n--c\r\n--b-",
      "\r\n--\r\n--\r\n-\r\r\n",
      "\r\n--b\0"sv,
      "\0"sv,
      "\xff\xfe",
      "--bx\r\nContent-Disposition: form-data; name=b\r\n\r\ny\r\n--bx--",  // A nested form, RFC 7578 section 4.3.
  };
  for (const std::string_view content : contents) {
    const std::string want(content);
    CAPTURE(want);
    const ParsedForm form = parse_all_ways(part(content) + "--b--");
    CHECK_FALSE(form.error.has_value());
    REQUIRE(form.parts.size() == 1);
    CHECK(form.parts[0].data == want);
    CHECK(form.parts[0].whole);
  }
}

TEST_CASE("a boundary that resembles its own delimiter hides no delimiter") {
  for (const std::string boundary : {"-", "--", "---", "----------", "-b-", "b--", "--b--"}) {
    CAPTURE(boundary);
    for (const std::string content : {"", "-", "--", "x\r\n-", "\r\n--", "\r\n---\r", "-\r\n-"}) {
      CAPTURE(content);
      const std::string line = "--" + boundary;
      if (("\r\n" + content + "\r\n").find("\r\n" + line) != std::string::npos) continue;
      const ParsedForm form =
          parse_all_ways(line + "\r\n" + std::string(kHead) + content + "\r\n" + line + "--\r\n", boundary);
      CHECK(shown(form) == "[a=" + content + "]");
    }
  }
}

TEST_CASE("text around the parts is limited and otherwise skipped, RFC 2046 section 5.1.1") {
  const std::string tail = part("x") + "--b--";
  const struct {
    std::string why, body, want;
  } cases[] = {
      {"no parts", "--b--\r\n", ""},
      {"no parts, and no line end", "--b--", ""},
      {"the line end is missing", tail, "[a=x]"},
      {"white space after the last delimiter", tail + " \t", "[a=x]"},
      {"an empty line first", "\r\n" + tail, "[a=x]"},
      {"a preamble", "This is a message\r\n\r\n--bx\r\n--c--\r\n" + tail, "[a=x]"},
      {"a preamble that is a hyphen", "-\r\n" + tail, "[a=x]"},
      {"an epilogue", tail + "\r\nThe end\n\r--b\r\n--b--", "[a=x]"},
      {"white space after a delimiter", "--b \t\r\n" + std::string(kHead) + "x\r\n--b-- \r\n", "[a=x]"},
      {"sixteen spaces after a delimiter", "--b                \r\n" + std::string(kHead) + "\r\n--b--", "[a=]"},
      {"no content and no empty line before the delimiter",
       "--b\r\n" + std::string(kHead) + "--b\r\n" + std::string(kHead) + "--b--", "[a=][a=]"},
      {"content that is almost a delimiter", part("--b-") + "--b--", "[a=--b-]"},
  };
  for (const auto& [why, body, want] : cases) {
    CAPTURE(why);
    CHECK(shown(parse_all_ways(body)) == want);
  }
}

TEST_CASE("a malformed form is rejected") {
  using enum MultipartError;
  const std::string head(kHead);
  const struct {
    std::string why;
    std::string body;
    std::string want;
  } cases[] = {
      {"nothing", "", refused(incomplete)},
      {"no delimiter", "x", refused(incomplete)},
      {"half a delimiter", "--", refused(incomplete)},
      {"a delimiter without a line end", "--b", refused(incomplete)},
      {"a delimiter line only", "--b\r\n", refused(incomplete)},
      {"half a head", "--b\r\nContent-", refused(incomplete)},
      {"no content", "--b\r\n" + head, "[a=..." + refused(incomplete)},
      {"no last delimiter", part("x") + "--b\r\n", "[a=x]" + refused(incomplete)},
      {"half a last delimiter", part("x") + "--b-", "[a=x..." + refused(incomplete)},
      {"the last delimiter after a bare LF", "--b\r\n" + head + "x\n--b--\r\n", "[a=x\n--b--..." + refused(incomplete)},
      {"another boundary", "--c\r\n" + head + "x\r\n--c--\r\n", refused(incomplete)},
      {"a boundary of another case", "--B\r\n" + head + "x\r\n--B--\r\n", refused(incomplete)},
      {"half a line end at the end", part("x") + "--b--\r", "[a=x]" + refused(incomplete)},

      {"a bare LF after the first delimiter", "--b\n" + head + "x\r\n--b--", refused(bad_delimiter)},
      {"a bare CR after the first delimiter", "--b\r" + head + "x\r\n--b--", refused(bad_delimiter)},
      {"CR CR LF after the first delimiter", "--b\r\r\n" + head, refused(bad_delimiter)},
      {"a bare LF after another delimiter", part("x") + "--b\n", "[a=x..." + refused(bad_delimiter)},
      {"text after white space", part("x") + "--b x\r\n", "[a=x..." + refused(bad_delimiter)},
      {"too much white space", "--b                 \r\n" + head, refused(bad_delimiter)},
      {"text after the last delimiter", part("x") + "--b--x", "[a=x]" + refused(bad_delimiter)},
      {"a bare LF after the last delimiter", part("x") + "--b--\n", "[a=x]" + refused(bad_delimiter)},
      {"a bare CR after the last delimiter", part("x") + "--b--\rx", "[a=x]" + refused(bad_delimiter)},

      {"a bare LF in a head", "--b\r\nContent-Disposition: form-data; name=a\n\r\nx\r\n--b--", refused(bad_field)},
      {"a bare LF at the end of a head", "--b\r\nContent-Disposition: form-data; name=a\r\n\nx\r\n--b--",
       refused(bad_field)},
      {"a bare CR in a head", "--b\r\nContent-Disposition: form-data;\r name=a\r\n\r\n", refused(bad_field)},
      {"a delimiter in a head", "--b\r\nA: b\r\n--b--\r\n\r\n", refused(bad_field)},
      {"no head", "--b\r\n\r\nx\r\n--b--", refused(bad_disposition)},
  };
  for (const auto& [why, body, want] : cases) {
    CAPTURE(why);
    CHECK(shown(parse_all_ways(body)) == want);
  }
}

TEST_CASE("each limit accepts its bound and rejects one more") {
  using enum MultipartError;
  const auto field_of = [](std::size_t bytes) {  // Size with the disposition, the empty line and this field.
    return "--b\r\nA: " + std::string(bytes - kHead.size() - 5, 'x') + "\r\n" + std::string(kHead) + "\r\n--b--";
  };
  const auto fields = [](std::size_t count) {
    std::string body = "--b\r\n";
    for (std::size_t i = 1; i < count; ++i) body += "A: b\r\n";
    return body + std::string(kHead) + "\r\n--b--";
  };
  const std::string tail = part("") + "--b--";
  const struct {
    std::string why;
    std::string at_bound, beyond;
    MultipartError error;
  } cases[] = {
      {"parts", parts(100) + "--b--", parts(101) + "--b--", too_many_parts},
      {"head", field_of(8192), field_of(8193), head_too_large},
      {"fields", fields(16), fields(17), too_many_fields},
      {"preamble", std::string(1024, 'x') + "\r\n" + tail, std::string(1025, 'x') + "\r\n" + tail, preamble_too_large},
      {"a preamble of line ends", std::string(1024, '\r') + "\r\n" + tail, std::string(1025, '\r') + "\r\n" + tail,
       preamble_too_large},
      {"epilogue", tail + "\r\n" + std::string(1022, 'x'), tail + "\r\n" + std::string(1023, 'x'), epilogue_too_large},
      {"an epilogue of white space", tail + std::string(1024, ' '), tail + std::string(1025, ' '), epilogue_too_large},
  };
  for (const auto& [why, at_bound, beyond, error] : cases) {
    CAPTURE(why);
    CHECK_FALSE(parse_form("b", at_bound).error.has_value());
    CHECK_FALSE(parse_form_by_bytes("b", at_bound).error.has_value());
    CHECK(parse_form("b", beyond).error == error);
    CHECK(parse_form_by_bytes("b", beyond) == parse_form("b", beyond));
  }
  CHECK(parse_form("b", parts(2) + "--b--", {}, {.parts_max = 1}).error == too_many_parts);
  CHECK(parse_form("b", parts(1) + "--b--", {}, {.head_bytes_max = kHead.size()}).parts.size() == 1);
  CHECK(parse_form("b", parts(1) + "--b--", {}, {.head_bytes_max = kHead.size() - 1}).error == head_too_large);
}

TEST_CASE("a limit is enforced before the rest has arrived") {
  CHECK(parse_form("b", std::string(1025, 'x')).error == MultipartError::preamble_too_large);
  CHECK(parse_form("b", "--b\r\n" + std::string(8193, 'x')).error == MultipartError::head_too_large);
}

TEST_CASE("content that arrived in one piece is returned as views of it") {
  const std::string body = part("x\r\ny") + "--b--\r\n";
  MultipartParser parser("b");
  std::string_view rest = body;
  std::size_t pieces = 0;
  for (auto step = parser.feed(rest); step && step->event != MultipartEvent::need_more; step = parser.feed(rest)) {
    rest.remove_prefix(step->consumed);
    if (step->event != MultipartEvent::part_data) continue;
    ++pieces;
    CHECK(step->data == "x\r\ny");
    CHECK(step->data.data() == body.data() + body.find("x\r\ny"));
  }
  CHECK(pieces == 1);
  CHECK(parser.finish().has_value());
}

TEST_CASE("content that resembles delimiters is parsed in a bounded number of steps") {
  for (const std::string unit :
       {"\r", "\r\n", "\r\n-", "\r\n--", "\r\n--bbbbbbb", "\r\n--bbbbbbbx", "\r\n--bbbbbbbb-"}) {
    CAPTURE(unit);
    std::string content;
    while (content.size() < 100'000) content += unit;
    const std::string body = "--bbbbbbbb\r\n" + std::string(kHead) + content + "x\r\n--bbbbbbbb--";
    MultipartParser parser("bbbbbbbb");
    std::string_view rest = body;
    std::size_t steps = 0, bytes = 0;
    for (auto step = parser.feed(rest); step && step->event != MultipartEvent::need_more; step = parser.feed(rest)) {
      rest.remove_prefix(step->consumed);
      ++steps;
      bytes += step->data.size();
    }
    CHECK(parser.finish().has_value());
    CHECK(bytes == content.size() + 1);
    CHECK(steps <= content.size() / 6);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::multipart
