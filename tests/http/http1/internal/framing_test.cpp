// SPDX-License-Identifier: MIT

#include "http/http1/internal/framing.h"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

namespace volt::http::http1 {
TEST_SUITE_BEGIN("http/http1/internal/framing");

TEST_CASE("the body's end follows RFC 9112 section 6.3") {
  using enum Framing::Kind;
  using enum ParseError;
  using Values = std::vector<std::string_view>;
  using Want = std::expected<Framing, ParseError>;
  const auto refused = [](ParseError error) { return Want(std::unexpected(error)); };
  const auto v1_0 = Version::http_1_0;
  const auto v1_1 = Version::http_1_1;
  const struct {
    std::string_view why;
    Version version;
    Values codings;
    Values lengths;
    Want want;
  } cases[] = {
      {"6.3 rule 7: neither field means no body", v1_1, {}, {}, Framing{none}},
      {"6.3 rule 6: a length gives a sized body", v1_1, {}, {"12"}, Framing{sized, 12}},
      {"6.2: a length in HTTP/1.0", v1_0, {}, {"12"}, Framing{sized, 12}},
      {"6.2: zero is a length", v1_1, {}, {"0"}, Framing{sized, 0}},
      {"2^63 - 1 is the largest", v1_1, {}, {"9223372036854775807"}, Framing{sized, 9223372036854775807U}},
      {"6.3 rule 4: chunked", v1_1, {"chunked"}, {}, Framing{chunked}},
      {"7: coding names are case-insensitive", v1_1, {"cHuNkEd"}, {}, Framing{chunked}},

      {"6.3 rule 5: 2^63 is too large", v1_1, {}, {"9223372036854775808"}, refused(bad_length)},
      {"6.3 rule 5: past 2^64", v1_1, {}, {"18446744073709551617"}, refused(bad_length)},
      {"6.3 rule 5: thirty digits", v1_1, {}, {"100000000000000000000000000000"}, refused(bad_length)},
      {"11.2: a leading zero may be read as octal", v1_1, {}, {"007"}, refused(bad_length)},
      {"11.2: two zeros", v1_1, {}, {"00"}, refused(bad_length)},
      {"6.3 rule 5: empty", v1_1, {}, {""}, refused(bad_length)},
      {"6.3 rule 5: plus sign", v1_1, {}, {"+5"}, refused(bad_length)},
      {"6.3 rule 5: minus sign", v1_1, {}, {"-5"}, refused(bad_length)},
      {"6.3 rule 5: minus zero", v1_1, {}, {"-0"}, refused(bad_length)},
      {"6.3 rule 5: hexadecimal", v1_1, {}, {"0x5"}, refused(bad_length)},
      {"6.3 rule 5: letters", v1_1, {}, {"a"}, refused(bad_length)},
      {"6.3 rule 5: a fraction", v1_1, {}, {"5.0"}, refused(bad_length)},
      {"6.3 rule 5: an underscore", v1_1, {}, {"1_0"}, refused(bad_length)},
      {"6.3 rule 5: space inside", v1_1, {}, {"1 0"}, refused(bad_length)},
      {"6.3 rule 5: quotes", v1_1, {}, {"\"5\""}, refused(bad_length)},
      {"6.3 rule 5: a list that differs", v1_1, {}, {"5, 6"}, refused(bad_length)},
      {"6.3 rule 5: a list that agrees: refused too", v1_1, {}, {"5, 5"}, refused(bad_length)},
      {"6.3 rule 5: two fields that differ", v1_1, {}, {"5", "6"}, refused(bad_length)},
      {"6.3 rule 5: two fields that agree: refused too", v1_1, {}, {"5", "5"}, refused(bad_length)},
      {"6.3 rule 5: three fields", v1_1, {}, {"5", "5", "5"}, refused(bad_length)},

      {"6.3 rule 3: both fields are an attack", v1_1, {"chunked"}, {"5"}, refused(conflicting_framing)},
      {"6.3 rule 3: both fields, whatever their values", v1_1, {"identity"}, {"0"}, refused(conflicting_framing)},
      {"6.3 rule 3: both fields, one of them empty", v1_1, {""}, {"5"}, refused(conflicting_framing)},
      {"6.1: HTTP/1.0 has no transfer codings", v1_0, {"chunked"}, {}, refused(bad_transfer_coding)},

      {"6.1: a known coding that is not supported", v1_1, {"gzip"}, {}, refused(unsupported_transfer_coding)},
      {"6.1: a known coding before chunked", v1_1, {"gzip, chunked"}, {}, refused(unsupported_transfer_coding)},
      {"6.1: an old alias of a coding", v1_1, {"X-Gzip,chunked"}, {}, refused(unsupported_transfer_coding)},
      {"6.1: two known codings", v1_1, {"deflate, compress, chunked"}, {}, refused(unsupported_transfer_coding)},
      {"6.3 rule 4: chunked not last", v1_1, {"chunked, gzip"}, {}, refused(bad_transfer_coding)},
      {"6.1: chunked twice", v1_1, {"chunked, chunked"}, {}, refused(bad_transfer_coding)},
      {"6.1: chunked in two fields", v1_1, {"chunked", "chunked"}, {}, refused(bad_transfer_coding)},
      {"6.1: a coding in two fields", v1_1, {"gzip", "chunked"}, {}, refused(bad_transfer_coding)},
      {"7: empty", v1_1, {""}, {}, refused(bad_transfer_coding)},
      {"7: empty element before", v1_1, {", chunked"}, {}, refused(bad_transfer_coding)},
      {"7: empty element after", v1_1, {"chunked,"}, {}, refused(bad_transfer_coding)},
      {"7: empty element between", v1_1, {"gzip,,chunked"}, {}, refused(bad_transfer_coding)},
      {"7: only a comma", v1_1, {","}, {}, refused(bad_transfer_coding)},
      {"7: quoted", v1_1, {"\"chunked\""}, {}, refused(bad_transfer_coding)},
      {"7: with a parameter", v1_1, {"chunked;q=1"}, {}, refused(bad_transfer_coding)},
      {"7.2: identity is no longer a transfer coding", v1_1, {"identity"}, {}, refused(bad_transfer_coding)},
      {"7: identity before chunked", v1_1, {"identity, chunked"}, {}, refused(bad_transfer_coding)},
      {"7: a name that ends in chunked", v1_1, {"x-chunked"}, {}, refused(bad_transfer_coding)},
      {"7: a name that begins with chunked", v1_1, {"chunkedx"}, {}, refused(bad_transfer_coding)},
      {"7: a vertical tab is not white space",
       v1_1,
       {"\x0b"
        "chunked"},
       {},
       refused(bad_transfer_coding)},
      {"7: two words", v1_1, {"chunked chunked"}, {}, refused(bad_transfer_coding)},
  };
  for (const auto& [why, version, codings, lengths, want] : cases) {
    CAPTURE(why);
    FramingFields fields;
    for (const auto coding : codings) fields.add_coding(coding);
    for (const auto length : lengths) fields.add_length(length);
    CHECK(request_framing(fields, version) == want);
  }
}

TEST_CASE("a field that some recipients take for framing is refused where it stands alone, RFC 9112 section 11.2") {
  const struct {
    std::string_view why, name;
    bool disguised;
  } names[] = {
      {"CGI folds hyphens to underscores", "Transfer_Encoding", true},
      {"any case", "CONTENT_length", true},
      {"several separators", "Transfer---Encoding", true},
      {"several kinds of separators", "Content-_Length", true},
      {"none", "ContentLength", true},
      {"separators at the ends", "_Content-Length-", true},
      {"another field", "Content-Encoding", false},
      {"a longer name", "Content-Length-Hint", false},
      {"a shorter name", "Transfer-Encodin", false},
      {"only separators", "---------------", false},
  };
  for (const auto& [why, name, disguised] : names) {
    CAPTURE(why);
    CHECK(disguises_framing(name) == disguised);
  }
  const FramingFields alone{.disguised = true};
  CHECK(request_framing(alone, Version::http_1_1) == std::unexpected(ParseError::disguised_framing));
  const FramingFields beside{.length = "7", .disguised = true};
  CHECK(request_framing(beside, Version::http_1_1) == Framing{Framing::Kind::sized, 7});
}

TEST_SUITE_END();
}  // namespace volt::http::http1
