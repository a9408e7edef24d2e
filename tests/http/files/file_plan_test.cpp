// SPDX-License-Identifier: MIT

#include "http/files/file_plan.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/http/files/request_fields.h"

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/file_plan");
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::string_view kModified = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr sys_seconds kLastModified{seconds(784111777)};
constexpr sys_seconds kNow = kLastModified + seconds(1000);

FileMetadata metadata(std::uint64_t size_bytes = 11) {
  return {.size_bytes = size_bytes,
          .modified = kLastModified + milliseconds(999),
          .etag = "tag",
          .media_type = "text/plain; charset=utf-8",
          .coding = {}};
}

FilePlan plan(const FieldPairs& fields, const FileMetadata& file = metadata(), Method method = Method::get,
              const FileOptions& options = {}) {
  return plan_file(method, RequestFields(fields).view(), file, make_policy(options), kNow);
}

std::string field(const FilePlan& plan, std::string_view name) {
  return std::string(plan.fields.find(name).value_or("none"));
}

// Returns the bytes of `file` that the segments send.
std::string paid(const FilePlan& plan, std::string_view file) {
  std::string sent;
  for (const Segment& segment : plan.segments) {
    if (const auto* range = std::get_if<ByteRange>(&segment)) {
      sent += file.substr(range->begin, range->bytes);
    } else {
      sent += std::get<std::string>(segment);
    }
  }
  return sent;
}

}  // namespace

TEST_CASE("a file is sent whole, with all its metadata, RFC 9110 section 15.3.1") {
  const FilePlan whole = plan({});
  CHECK(whole.status == Status::ok);
  CHECK(whole.content_type == "text/plain; charset=utf-8");
  CHECK(whole.content_bytes == 11);
  CHECK(paid(whole, "0123456789\n") == "0123456789\n");
  CHECK_FALSE(whole.head_only);
  CHECK(whole.fields.lines() ==
        "Cache-Control: no-cache\r\n"
        "ETag: \"tag\"\r\n"
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        "Accept-Ranges: bytes\r\n");
}

TEST_CASE("HEAD has the fields of GET and no content, RFC 9110 section 9.3.2") {
  const FilePlan whole = plan({});
  const FilePlan head = plan({}, metadata(), Method::head);
  CHECK(head.status == Status::ok);
  CHECK(head.head_only);
  CHECK(head.segments.empty());
  CHECK(head.content_bytes == 11);
  CHECK(head.content_type == whole.content_type);
  CHECK(head.fields.lines() == whole.fields.lines());
  CHECK_MESSAGE(plan({{"Range", "bytes=0-4"}}, metadata(), Method::head).status == Status::ok,
                "section 14.2: Range is for GET");
  CHECK(plan({{"If-None-Match", "\"tag\""}}, metadata(), Method::head).status == Status::not_modified);
}

TEST_CASE("a range of a file of eleven bytes, RFC 9110 section 14.2") {
  constexpr std::string_view kFile = "0123456789\n";
  const struct {
    std::string why;
    FieldPairs fields;
    Status status;
    std::string content, content_range;
  } cases[] = {
      {"the first five", {{"Range", "bytes=0-4"}}, Status::partial_content, "01234", "bytes 0-4/11"},
      {"open", {{"Range", "bytes=2-"}}, Status::partial_content, "23456789\n", "bytes 2-10/11"},
      {"suffix", {{"Range", "bytes=-5"}}, Status::partial_content, "6789\n", "bytes 6-10/11"},
      {"the last byte", {{"Range", "bytes=10-"}}, Status::partial_content, "\n", "bytes 10-10/11"},
      {"past the end", {{"Range", "bytes=5-1000"}}, Status::partial_content, "56789\n", "bytes 5-10/11"},
      {"all", {{"Range", "bytes=0-"}}, Status::partial_content, "0123456789\n", "bytes 0-10/11"},
      {"two ranges that are near each other",
       {{"Range", "bytes=0-1,5-8"}},
       Status::partial_content,
       "012345678",
       "bytes 0-8/11"},
      {"one of two exists", {{"Range", "bytes=15-,0-5"}}, Status::partial_content, "012345", "bytes 0-5/11"},
      {"after the end", {{"Range", "bytes=11-"}}, Status::range_not_satisfiable, "", "bytes */11"},
      {"a suffix of nothing", {{"Range", "bytes=-0"}}, Status::range_not_satisfiable, "", "bytes */11"},
      {"malformed", {{"Range", "bytes=5-4"}}, Status::ok, "0123456789\n", "none"},
      {"another unit", {{"Range", "lines=0-4"}}, Status::ok, "0123456789\n", "none"},
      {"the first of two fields counts",
       {{"Range", "bytes=0-3"}, {"Range", "0"}},
       Status::partial_content,
       "0123",
       "bytes 0-3/11"},
      {"the first of two fields counts even if it is malformed",
       {{"Range", "0"}, {"Range", "bytes=0-3"}},
       Status::ok,
       "0123456789\n",
       "none"},
      {"13.1.5: the client has the current tag",
       {{"Range", "bytes=0-4"}, {"If-Range", "\"tag\""}},
       Status::partial_content,
       "01234",
       "bytes 0-4/11"},
      {"13.1.5: the client has the current date",
       {{"Range", "bytes=0-4"}, {"If-Range", kModified}},
       Status::partial_content,
       "01234",
       "bytes 0-4/11"},
      {"13.1.5: the client has another tag",
       {{"Range", "bytes=0-4"}, {"If-Range", "\"old\""}},
       Status::ok,
       "0123456789\n",
       "none"},
      {"13.1.5: with another tag no range is unsatisfiable",
       {{"Range", "bytes=11-"}, {"If-Range", "\"old\""}},
       Status::ok,
       "0123456789\n",
       "none"},
      {"If-Range alone", {{"If-Range", "\"old\""}}, Status::ok, "0123456789\n", "none"},
  };
  for (const auto& [why, fields, status, content, content_range] : cases) {
    CAPTURE(why);
    const FilePlan part = plan(fields);
    CHECK(part.status == status);
    CHECK(paid(part, kFile) == content);
    CHECK(part.content_bytes == content.size());
    CHECK(field(part, "Content-Range") == content_range);
  }
}

TEST_CASE("a part has the fields of the whole, RFC 9110 section 15.3.7") {
  const FilePlan whole = plan({});
  const FilePlan part = plan({{"Range", "bytes=0-4"}});
  CHECK(part.content_type == whole.content_type);
  CHECK(part.fields.lines() == std::string(whole.fields.lines()) + "Content-Range: bytes 0-4/11\r\n");
}

TEST_CASE("ranges that are far apart are sent as multipart/byteranges, RFC 9110 section 15.3.7.2") {
  const std::string file = std::string(5000, 'a') + std::string(5000, 'b');
  const FilePlan parts = plan({{"Range", "bytes=9998-,0-2"}}, metadata(file.size()));
  CHECK(parts.status == Status::partial_content);
  REQUIRE(parts.content_type.starts_with("multipart/byteranges; boundary="));
  const std::string boundary = parts.content_type.substr(parts.content_type.find('=') + 1);
  const std::string head = "Content-Type: text/plain; charset=utf-8\r\nContent-Range: bytes ";
  const std::string content = paid(parts, file);
  CHECK(content == "--" + boundary + "\r\n" + head + "9998-9999/10000\r\n\r\nbb\r\n--" + boundary + "\r\n" + head +
                       "0-2/10000\r\n\r\naaa\r\n--" + boundary + "--\r\n");
  CHECK(parts.content_bytes == content.size());
  CHECK_MESSAGE(field(parts, "Content-Range") == "none", "15.3.7.2: only in the parts");
}

TEST_CASE("a 416 states the size and is not cached, RFC 9110 section 15.5.17") {
  const FilePlan refusal = plan({{"Range", "bytes=11-"}}, metadata(), Method::get, {.max_age = seconds(60)});
  CHECK(refusal.status == Status::range_not_satisfiable);
  CHECK(refusal.fields.lines() == "Content-Range: bytes */11\r\n");
  CHECK(refusal.content_type.empty());
  CHECK(refusal.segments.empty());
}

TEST_CASE("an empty file is sent without content, whatever the range") {
  for (const std::string_view range : {"bytes=0-", "bytes=0-0", "bytes=-5", "bytes=-0", "bytes=1-"}) {
    CAPTURE(range);
    const FilePlan whole = plan({{"Range", range}}, metadata(0));
    CHECK(whole.status == Status::ok);
    CHECK(whole.segments.empty());
    CHECK(whole.content_bytes == 0);
  }
}

TEST_CASE("a client that has the file receives a 304, RFC 9110 section 15.4.5") {
  const FileOptions options{.precompressed = true, .max_age = seconds(60), .headers = {{"X-Extra", "1"}}};
  const FilePlan known = plan({{"If-None-Match", "W/\"tag\""}}, metadata(), Method::get, options);
  CHECK(known.status == Status::not_modified);
  CHECK(known.fields.lines() ==
        "Cache-Control: max-age=60\r\n"
        "Vary: Accept-Encoding\r\n"
        "X-Extra: 1\r\n"
        "ETag: \"tag\"\r\n");
  CHECK(known.content_type.empty());
  CHECK(known.content_bytes == 0);
  CHECK(known.segments.empty());
  FileMetadata untagged = metadata();
  untagged.etag.clear();
  const FilePlan by_date = plan({{"If-Modified-Since", kModified}}, untagged);
  CHECK_MESSAGE(by_date.status == Status::not_modified, "the fraction of a second does not count");
  CHECK(by_date.fields.lines() == "Cache-Control: no-cache\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
}

TEST_CASE("conditions are evaluated before ranges, RFC 9110 section 13.2.2") {
  CHECK(plan({{"If-None-Match", "\"tag\""}, {"Range", "bytes=0-4"}}).status == Status::not_modified);
  CHECK(plan({{"If-None-Match", "\"tag\""}, {"Range", "bytes=99-"}}).status == Status::not_modified);
  const FilePlan failed = plan({{"If-Match", "\"old\""}, {"Range", "bytes=0-4"}});
  CHECK(failed.status == Status::precondition_failed);
  CHECK(failed.fields.empty());
  CHECK(failed.segments.empty());
  CHECK(plan({{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT"}}).status == Status::precondition_failed);
  CHECK(plan({{"If-Match", "\"tag\""}, {"Range", "bytes=0-4"}}).status == Status::partial_content);
}

TEST_CASE("ranges of an encoded file select encoded bytes, RFC 9110 section 8.4") {
  FileMetadata coded = metadata(2000);
  coded.coding = "br";
  const FilePlan part = plan({{"Range", "bytes=0-4"}}, coded);
  CHECK(field(part, "Content-Encoding") == "br");
  CHECK(field(part, "Content-Range") == "bytes 0-4/2000");
  CHECK(field(plan({}), "Content-Encoding") == "none");
}

TEST_CASE("Last-Modified is never later than Date, RFC 9110 section 8.8.2.1") {
  FileMetadata future = metadata();
  future.modified = kNow + seconds(3600);
  CHECK(field(plan({}, future), "Last-Modified") == "Sun, 06 Nov 1994 09:06:17 GMT");
  CHECK(plan({{"If-Modified-Since", "Sun, 06 Nov 1994 09:06:17 GMT"}}, future).status == Status::ok);
}

TEST_CASE("the options determine how long caches keep a file, RFC 9111 section 5.2") {
  const struct {
    std::string why;
    FileOptions options;
    std::string cache_control, vary;
  } cases[] = {
      {"default: revalidate each time", {}, "no-cache", "none"},
      {"fresh for an hour", {.max_age = std::chrono::hours(1)}, "max-age=3600", "none"},
      {"RFC 8246: immutable", {.max_age = seconds(60), .immutable = true}, "max-age=60, immutable", "none"},
      {"a negative age is ignored", {.max_age = seconds(-1)}, "no-cache", "none"},
      {"9110 12.5.5: the response depends on the codings", {.precompressed = true}, "no-cache", "Accept-Encoding"},
      {"a configured header takes precedence", {.headers = {{"cache-control", "private"}}}, "private", "none"},
  };
  for (const auto& [why, options, cache_control, vary] : cases) {
    CAPTURE(why);
    const FilePlan whole = plan({}, metadata(), Method::get, options);
    CHECK(field(whole, "Cache-Control") == cache_control);
    CHECK(field(whole, "Vary") == vary);
  }
  const FilePlan varied = plan({}, metadata(), Method::get, {.precompressed = true, .headers = {{"vary", "Origin"}}});
  CHECK(varied.fields.lines().find("Vary: Accept-Encoding\r\nvary: Origin\r\n") != std::string_view::npos);
}

TEST_CASE("invalid options are refused at start-up") {
  const struct {
    std::string why;
    FileOptions options;
  } cases[] = {
      {"the server determines the length", {.headers = {{"Content-Length", "5"}}}},
      {"the server determines the framing", {.headers = {{"transfer-encoding", "chunked"}}}},
      {"the plan determines the tag", {.headers = {{"ETAG", "\"x\""}}}},
      {"the file determines the media type", {.headers = {{"Content-Type", "text/html"}}}},
      {"a name that is not a token", {.headers = {{"x y", "1"}}}},
      {"a value that would split the response", {.headers = {{"x", "1\r\nSet-Cookie: a=b"}}}},
      {"immutable without max_age", {.immutable = true}},
  };
  for (const auto& [why, options] : cases) {
    CAPTURE(why);
    CHECK_THROWS_AS(make_policy(options), std::invalid_argument);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::files
