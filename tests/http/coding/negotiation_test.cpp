// SPDX-License-Identifier: MIT

#include "http/coding/negotiation.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "http/message/headers.h"

namespace volt::http::coding {
TEST_SUITE_BEGIN("http/coding/negotiation");

namespace {

using enum ContentCoding;

// The fields of a request: several lines with one name, among other fields.
class FieldLines {
 public:
  FieldLines(const std::string& name, const std::vector<std::string>& values) {
    add("host", "a");
    for (const std::string& value : values) add(name, value);
    add("accept", "*/*;q=0");
  }
  Fields view() const { return {head_.data(), spans_}; }

 private:
  void add(const std::string& name, const std::string& value) {
    const auto begin = static_cast<std::uint32_t>(head_.size());
    const auto name_bytes = static_cast<std::uint32_t>(name.size());
    spans_.push_back({begin, name_bytes, begin + name_bytes + 2, static_cast<std::uint32_t>(value.size())});
    head_ += name + ": " + value + "\r\n";
  }

  std::string head_;
  std::vector<message::FieldSpan> spans_;
};

std::optional<ContentCoding> chosen(const std::vector<std::string>& lines,
                                    std::span<const ContentCoding> offered = kPreferredCodings) {
  return choose_coding(FieldLines("Accept-Encoding", lines).view(), offered);
}

}  // namespace

TEST_CASE("the response's coding follows Accept-Encoding, RFC 9110 section 12.5.3") {
  const struct {
    std::string why;
    std::vector<std::string> lines;
    std::optional<ContentCoding> want;
  } cases[] = {
      {"no field: identity", {}, identity},
      {"an empty field: identity", {""}, identity},

      {"the section's examples, 1", {"compress, gzip"}, gzip},
      {"the section's examples, 3", {"*"}, br},
      {"the section's examples, 4", {"compress;q=0.5, gzip;q=1.0"}, gzip},
      {"the section's examples, 5", {"gzip;q=1.0, identity; q=0.5, *;q=0"}, gzip},

      {"sent by current browsers", {"gzip, deflate, br, zstd"}, br},
      {"sent by old browsers", {"gzip, deflate"}, gzip},
      {"deflate is not offered", {"deflate"}, identity},
      {"names are case-insensitive", {"GZIP"}, gzip},
      {"8.4.1.3: gzip's old name", {"x-gzip"}, gzip},
      {"several lines form one list", {"deflate", "gzip;q=0.5", "zstd"}, zstd},
      {"the server's order decides among equals", {"gzip, zstd, br"}, br},
      {"the client's quality takes precedence over the server's order", {"br;q=0.8, zstd;q=0.9, gzip"}, gzip},
      {"a difference of a thousandth counts", {"br;q=0.998, gzip;q=0.999"}, gzip},
      {"the wildcard matches codings that are not listed", {"br;q=0.1, *;q=0.5"}, zstd},
      {"the wildcard does not raise excluded codings", {"br;q=0, zstd;q=0, *"}, gzip},
      {"the wildcard matches identity too, after the codings", {"*;q=0.001"}, br},
      {"a coding before the wildcard's identity", {"gzip, *;q=0.5"}, gzip},
      {"the wildcard's identity before a coding", {"gzip;q=0.5, zstd;q=0, br;q=0, *"}, identity},

      {"identity preferred", {"identity, gzip;q=0.5"}, identity},
      {"identity among equals is last", {"identity, gzip"}, gzip},
      {"identity of a lower quality", {"identity;q=0.2, gzip;q=0.3"}, gzip},
      {"identity is acceptable unless excluded", {"compress"}, identity},
      {"identity is acceptable even if all listed codings are excluded", {"gzip;q=0, br;q=0"}, identity},
      {"identity is acceptable if it is listed and the wildcard excludes", {"identity;q=0.1, *;q=0"}, identity},
      {"identity excluded, one coding left", {"identity;q=0, gzip"}, gzip},
      {"identity excluded alone: nothing is acceptable", {"identity;q=0"}, {}},
      {"all excluded", {"*;q=0"}, {}},
      {"all excluded except an unsupported one", {"compress, *;q=0"}, {}},
      {"all supported ones excluded by name", {"gzip;q=0, br;q=0, zstd;q=0, identity;q=0"}, {}},

      {"of repeated elements the first counts", {"gzip;q=0, gzip"}, identity},
      {"malformed elements are ignored", {"br;q=2, zstd;q=x, gzip"}, gzip},
      {"only malformed elements are like none", {"br;q=2"}, identity},
      {"commas", {",,"}, identity},
  };
  for (const auto& [why, lines, want] : cases) {
    CAPTURE(why);
    CHECK(chosen(lines) == want);
  }
}

TEST_CASE("only offered codings are chosen, in the order of the offer") {
  const ContentCoding gzip_only[] = {gzip};
  const ContentCoding gzip_first[] = {gzip, br};
  CHECK(chosen({"br, zstd"}, gzip_only) == identity);
  CHECK(chosen({"*"}, gzip_only) == gzip);
  CHECK(chosen({"gzip, br"}, gzip_first) == gzip);
  CHECK(chosen({"br, *;q=0"}, gzip_only) == std::nullopt);
  CHECK(chosen({"gzip"}, {}) == identity);
}

TEST_CASE("a request's codings are returned in order, RFC 9110 section 8.4") {
  const struct {
    std::string why;
    std::vector<std::string> lines;
    std::optional<std::vector<ContentCoding>> want;
  } cases[] = {
      {"none", {}, std::vector<ContentCoding>{}},
      {"an empty field", {""}, std::vector<ContentCoding>{}},
      {"one coding", {"gzip"}, std::vector{gzip}},
      {"gzip's old name in capitals", {"X-GZIP"}, std::vector{gzip}},
      {"deflate is decoded", {"deflate"}, std::vector{deflate}},
      {"two, in the order of application", {"zstd, br"}, std::vector{zstd, br}},
      {"two lines", {"zstd", "br"}, std::vector{zstd, br}},
      {"one coding twice", {"gzip, gzip"}, std::vector{gzip, gzip}},
      {"5.6.1: empty elements", {",gzip,, "}, std::vector{gzip}},
      {"identity is ignored", {"identity, gzip, identity", "identity"}, std::vector{gzip}},
      {"three are too many", {"gzip, br, gzip"}, {}},
      {"three codings on three lines", {"gzip", "br", "zstd"}, {}},
      {"unknown", {"compress"}, {}},
      {"one known coding and one unknown", {"gzip, aes128gcm"}, {}},
      {"a transfer coding is not a content coding", {"chunked"}, {}},
      {"the wildcard is not a content coding", {"*"}, {}},
      {"parameters are not part of the syntax", {"gzip;q=1"}, {}},
  };
  for (const auto& [why, lines, want] : cases) {
    CAPTURE(why);
    const auto applied = applied_codings(FieldLines("content-encoding", lines).view());
    REQUIRE(applied.has_value() == want.has_value());
    if (!applied) continue;
    CHECK(std::vector<ContentCoding>(applied->begin(), applied->end()) == *want);
    CHECK(applied->size() == want->size());
    CHECK(applied->empty() == want->empty());
  }
}

TEST_SUITE_END();
}  // namespace volt::http::coding
