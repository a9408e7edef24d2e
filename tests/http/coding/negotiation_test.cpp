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

// A request's fields of one name, among others.
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

TEST_CASE("the answer's coding follows Accept-Encoding, RFC 9110 section 12.5.3") {
  const struct {
    std::string why;
    std::vector<std::string> lines;
    std::optional<ContentCoding> want;
  } cases[] = {
      {"no field: nothing is known of the client", {}, identity},
      {"an empty field: no coding is wanted", {""}, identity},

      {"the section's examples, 1", {"compress, gzip"}, gzip},
      {"the section's examples, 3", {"*"}, br},
      {"the section's examples, 4", {"compress;q=0.5, gzip;q=1.0"}, gzip},
      {"the section's examples, 5", {"gzip;q=1.0, identity; q=0.5, *;q=0"}, gzip},

      {"what browsers send", {"gzip, deflate, br, zstd"}, br},
      {"what old ones send", {"gzip, deflate"}, gzip},
      {"deflate is not offered", {"deflate"}, identity},
      {"names are case-blind", {"GZIP"}, gzip},
      {"8.4.1.3: gzip's old name", {"x-gzip"}, gzip},
      {"several lines are one list", {"deflate", "gzip;q=0.5", "zstd"}, zstd},
      {"our order among equals, not theirs", {"gzip, zstd, br"}, br},
      {"their quality before our order", {"br;q=0.8, zstd;q=0.9, gzip"}, gzip},
      {"by a thousandth", {"br;q=0.998, gzip;q=0.999"}, gzip},
      {"the wildcard is for what is not listed", {"br;q=0.1, *;q=0.5"}, zstd},
      {"the wildcard does not raise what is excluded", {"br;q=0, zstd;q=0, *"}, gzip},
      {"the wildcard is for identity too, after the codings", {"*;q=0.001"}, br},
      {"a coding before the wildcard's identity", {"gzip, *;q=0.5"}, gzip},
      {"the wildcard's identity before a coding", {"gzip;q=0.5, zstd;q=0, br;q=0, *"}, identity},

      {"identity preferred", {"identity, gzip;q=0.5"}, identity},
      {"identity among equals is last", {"identity, gzip"}, gzip},
      {"identity of a lower quality", {"identity;q=0.2, gzip;q=0.3"}, gzip},
      {"identity is acceptable unless excluded", {"compress"}, identity},
      {"even if all that is listed is excluded", {"gzip;q=0, br;q=0"}, identity},
      {"and if the wildcard excludes, when it is listed", {"identity;q=0.1, *;q=0"}, identity},
      {"identity excluded, a coding left", {"identity;q=0, gzip"}, gzip},
      {"identity excluded alone: nothing is acceptable", {"identity;q=0"}, {}},
      {"all excluded", {"*;q=0"}, {}},
      {"all excluded but what we have not", {"compress, *;q=0"}, {}},
      {"all that we have excluded by name", {"gzip;q=0, br;q=0, zstd;q=0, identity;q=0"}, {}},

      {"said twice, the first counts", {"gzip;q=0, gzip"}, identity},
      {"malformed elements are passed over", {"br;q=2, zstd;q=x, gzip"}, gzip},
      {"nothing but malformed ones are none", {"br;q=2"}, identity},
      {"commas", {",,"}, identity},
  };
  for (const auto& [why, lines, want] : cases) {
    CAPTURE(why);
    CHECK(chosen(lines) == want);
  }
}

TEST_CASE("only what is offered is chosen, in the order of the offer") {
  const ContentCoding gzip_only[] = {gzip};
  const ContentCoding gzip_first[] = {gzip, br};
  CHECK(chosen({"br, zstd"}, gzip_only) == identity);
  CHECK(chosen({"*"}, gzip_only) == gzip);
  CHECK(chosen({"gzip, br"}, gzip_first) == gzip);
  CHECK(chosen({"br, *;q=0"}, gzip_only) == std::nullopt);
  CHECK(chosen({"gzip"}, {}) == identity);
}

TEST_CASE("a request's codings are read in their order, RFC 9110 section 8.4") {
  const struct {
    std::string why;
    std::vector<std::string> lines;
    std::optional<std::vector<ContentCoding>> want;
  } cases[] = {
      {"none", {}, std::vector<ContentCoding>{}},
      {"an empty one", {""}, std::vector<ContentCoding>{}},
      {"one", {"gzip"}, std::vector{gzip}},
      {"its old name in capitals", {"X-GZIP"}, std::vector{gzip}},
      {"deflate is decoded", {"deflate"}, std::vector{deflate}},
      {"two, in the order of application", {"zstd, br"}, std::vector{zstd, br}},
      {"two lines", {"zstd", "br"}, std::vector{zstd, br}},
      {"one twice", {"gzip, gzip"}, std::vector{gzip, gzip}},
      {"5.6.1: empty elements", {",gzip,, "}, std::vector{gzip}},
      {"identity is nothing", {"identity, gzip, identity", "identity"}, std::vector{gzip}},
      {"three are too many", {"gzip, br, gzip"}, {}},
      {"three on three lines", {"gzip", "br", "zstd"}, {}},
      {"unknown", {"compress"}, {}},
      {"one known and one not", {"gzip, aes128gcm"}, {}},
      {"a transfer coding is none", {"chunked"}, {}},
      {"nor is the wildcard", {"*"}, {}},
      {"parameters are not of the syntax", {"gzip;q=1"}, {}},
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
