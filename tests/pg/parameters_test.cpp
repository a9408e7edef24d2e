// SPDX-License-Identifier: MIT

#include "pg/parameters.h"

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>

#include "pg/query.h"

namespace volt::pg {
namespace {

struct Case {
  const char* why;
  Parameters parameters;
  Type type;
  bool binary;
  std::optional<std::string> bytes;
};

template <class T>
Parameters of(const T& value) {
  Parameters parameters;
  parameters.add(value);
  return parameters;
}

}  // namespace

TEST_SUITE_BEGIN("pg/parameters");

TEST_CASE("a value is encoded with the type and format of its C++ type") {
  using namespace std::string_literals;
  const std::string text = "text";
  const std::array two_bytes = {std::byte{0}, std::byte{255}};
  const Case cases[] = {
      {"a bool", of(true), Type::boolean, true, "\x01"s},
      {"a short", of(static_cast<short>(-2)), Type::int2, true, "\xff\xfe"s},
      {"an int", of(258), Type::int4, true, "\0\0\x01\x02"s},
      {"a 64-bit integer", of(std::int64_t{1} << 40), Type::int8, true, "\0\0\x01\0\0\0\0\0"s},
      {"an unsigned integer is sent in a wider type", of(std::uint32_t{0xffffffff}), Type::int8, true,
       "\0\0\0\0\xff\xff\xff\xff"s},
      {"a double", of(0.5), Type::float8, true, "\x3f\xe0\0\0\0\0\0\0"s},
      {"a float", of(0.5F), Type::float4, true, "\x3f\0\0\0"s},
      {"text takes the type of its placeholder", of(text), Type::inferred, false, "text"s},
      {"a literal", of("text"), Type::inferred, false, "text"s},
      {"bytes", of(two_bytes), Type::bytea, true, "\0\xff"s},
      {"nullptr", of(nullptr), Type::inferred, false, {}},
      {"an empty optional", of(std::optional<int>()), Type::int4, false, {}},
      {"an optional with a value", of(std::optional(1)), Type::int4, true, "\0\0\0\x01"s},
      {"an empty vector", of(std::vector<int>()), Type::int4_array, true, "\0\0\0\0\0\0\0\0\0\0\0\x17"s},
      {"a vector of numbers", of(std::vector<short>{1, 2}), Type::int2_array, true,
       "\0\0\0\x01\0\0\0\0\0\0\0\x15\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\x01\0\0\0\x02\0\x02"s},
      {"a vector of texts", of(std::vector<std::string>{"a"}), Type::text_array, true,
       "\0\0\0\x01\0\0\0\0\0\0\0\x19\0\0\0\x01\0\0\0\x01\0\0\0\x01"
       "a"s},
  };
  for (const auto& [why, parameters, type, binary, bytes] : cases) {
    CAPTURE(why);
    REQUIRE(parameters.all().size() == 1);
    const Parameter& parameter = parameters.all().front();
    CHECK(parameter.type == type);
    CHECK(parameter.binary == binary);
    CHECK(parameter.null == !bytes.has_value());
    if (!bytes) continue;
    CHECK(std::string(parameters.bytes_of(parameter), parameter.size) == *bytes);
    CHECK(parameters.bytes_of(parameter)[parameter.size] == '\0');
  }
}

TEST_CASE("values that the server does not support are rejected") {
  using namespace std::string_literals;
  CHECK_THROWS_AS(of("a\0b"s), std::invalid_argument);
  CHECK(of(std::vector<std::byte>(3)).all().front().size == 3);
}

TEST_CASE("parameters do not share bytes") {
  const Query query("select $1, $2, $3", "first", nullptr, std::string("third"));
  const auto all = query.parameters.all();
  REQUIRE(all.size() == 3);
  CHECK(std::string(query.parameters.bytes_of(all[0])) == "first");
  CHECK(query.parameters.bytes_of(all[1]) == nullptr);
  CHECK(std::string(query.parameters.bytes_of(all[2])) == "third");
}

TEST_SUITE_END();

}  // namespace volt::pg
