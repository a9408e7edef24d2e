// SPDX-License-Identifier: MIT

#include "http/files/internal/file_metadata.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/internal/file_metadata");
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

FileTime at(std::int64_t second, std::int64_t nanosecond = 0) {
  return FileTime(seconds(second) + nanoseconds(nanosecond));
}

}  // namespace

TEST_CASE("another size, time, file or coding has another tag, RFC 9110 section 8.8.3") {
  const std::string tag = make_etag(10, at(1000, 500), 7, {});
  CHECK(tag == make_etag(10, at(1000, 500), 7, {}));
  std::set<std::string> tags{tag};
  tags.insert(make_etag(11, at(1000, 500), 7, {}));
  tags.insert(make_etag(10, at(1001, 500), 7, {}));
  tags.insert(make_etag(10, at(1000, 501), 7, {}));  // 8.8.2.2: within one second
  tags.insert(make_etag(10, at(1000, 500), 8, {}));
  tags.insert(make_etag(7, at(1000, 500), 10, {}));
  tags.insert(make_etag(10, at(1000, 500), 7, "br"));
  tags.insert(make_etag(10, at(1000, 500), 7, "gzip"));
  CHECK(tags.size() == 8);
  for (std::uint64_t size = 0; size < 1000; ++size) tags.insert(make_etag(size, at(2000), 9, {}));
  CHECK(tags.size() == 1008);
}

TEST_CASE("a tag's text is valid, RFC 9110 section 8.8.3") {
  for (const auto* coding : {"", "br", "zstd", "gzip"}) {
    const std::string text = to_text({make_etag(0, at(-1), 0, coding)});
    CAPTURE(text);
    const auto parsed = parse_entity_tag(text);
    REQUIRE(parsed.has_value());
    CHECK_FALSE(parsed->weak);
  }
}

TEST_CASE("Last-Modified has whole seconds, rounded down, RFC 9110 section 8.8.2") {
  const struct {
    std::string why;
    FileTime modified;
    std::int64_t want;
  } cases[] = {
      {"whole", at(1000), 1000},
      {"a nanosecond more", at(1000, 1), 1000},
      {"almost the next second", at(1000, 999'999'999), 1000},
      {"before the epoch", at(-1, 500'000'000), -1},
  };
  for (const auto& [why, modified, want] : cases) {
    CAPTURE(why);
    CHECK(validators({.modified = modified}).last_modified == sys_seconds(seconds(want)));
  }
  CHECK_FALSE(validators({}).etag.has_value());
  const FileMetadata tagged{.etag = "x"};
  CHECK(to_text(validators(tagged).etag.value()) == "\"x\"");
}

TEST_SUITE_END();
}  // namespace volt::http::files
