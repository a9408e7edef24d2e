// SPDX-License-Identifier: MIT

#include "http/json/json.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace volt::http {
namespace {

enum class Colour { red, green, blue };

struct Price {
  std::int32_t cents = 0;
  bool operator==(const Price&) const = default;
};

struct Item {
  std::uint8_t id;
  std::string name;
  std::optional<Colour> colour;
  Price price;
  bool operator==(const Item&) const = default;
};

struct Order {
  std::vector<Item> items;
  std::map<std::string, Item> named;
  int limit = 20;
  bool operator==(const Order&) const = default;
};

struct Leaves {
  bool flag;
  std::int8_t tiny;
  std::int64_t low;
  std::uint64_t high;
  float single;
  double precise;
  std::string text;
  Colour colour;
  bool operator==(const Leaves&) const = default;
};

struct Containers {
  std::vector<int> vector;
  std::vector<bool> bits;
  std::list<std::string> list;
  std::deque<std::vector<int>> deque;
  std::set<int> set;
  std::array<int, 3> array;
  std::pair<int, std::string> pair;
  std::tuple<bool, Price, double> tuple;
  std::map<std::string, int> map;
  std::unordered_map<std::string, std::vector<int>> table;
  bool operator==(const Containers&) const = default;
};

struct Tree {
  int value;
  std::vector<Tree> children;
  std::unique_ptr<Tree> next;
  std::shared_ptr<Tree> shared;
  std::optional<std::vector<Tree>> more;
};

struct Empty {
  bool operator==(const Empty&) const = default;
};

class Celsius {
 public:
  Celsius() = default;
  explicit Celsius(double degrees) : degrees_(degrees) {}
  double degrees() const { return degrees_; }
  bool operator==(const Celsius&) const = default;

 private:
  double degrees_ = 0;
};

struct Initials {  // an aggregate with a converter to a string
  char first = 'a';
  char last = 'z';
  bool operator==(const Initials&) const = default;
};

}  // namespace

template <>
struct JsonConverter<Celsius> {
  static double to(const Celsius& temperature) { return temperature.degrees(); }
  static std::expected<Celsius, std::string> from(double degrees) {
    if (degrees < -273.15) return std::unexpected("expected a temperature above absolute zero");
    return Celsius(degrees);
  }
};

template <>
struct JsonConverter<Initials> {
  static std::string to(const Initials& initials) { return {initials.first, initials.last}; }
  static std::expected<Initials, std::string> from(std::string_view text) {
    if (text.size() != 2) return std::unexpected("expected two letters");
    return Initials{text[0], text[1]};
  }
};

namespace {
TEST_SUITE_BEGIN("http/json/json");

using namespace std::string_literals;

// Returns the JSON of `value`, after checking that it reads back as an equal value.
template <class T>
std::string round_trip(const T& value) {
  const std::string text = to_json(value);
  const auto back = from_json<T>(text);
  REQUIRE_MESSAGE(back.has_value(), text);
  CHECK(*back == value);
  return text;
}

template <class T>
JsonError error_of(std::string_view text, const JsonOptions& options = {}) {
  auto value = from_json<T>(text, options);
  REQUIRE_MESSAGE(!value.has_value(), std::string(text));
  return value.error();
}

TEST_CASE("an aggregate becomes an object with the names of its members") {
  CHECK(round_trip(Item{1, "pen", Colour::green, {250}}) ==
        R"({"id":1,"name":"pen","colour":"green","price":{"cents":250}})");
  CHECK(round_trip(Item{255, "", std::nullopt, {-1}}) == R"({"id":255,"name":"","colour":null,"price":{"cents":-1}})");
  CHECK(round_trip(Empty{}) == "{}");
  CHECK(round_trip(Order{{{}, {1, "a", {}, {}}}, {{"x\"y", {2, "b", {}, {}}}}, -5}).size() > 100);
}

TEST_CASE("scalar values survive at their bounds") {
  CHECK(round_trip(Leaves{true, -128, INT64_MIN, UINT64_MAX, 3.4028235e38F, 5e-324, "\0\n\"\\/é€😀"s, Colour::blue}) ==
        R"({"flag":true,"tiny":-128,"low":-9223372036854775808,"high":18446744073709551615,"single":3.4028235e+38,)"
        R"("precise":5e-324,"text":"\u0000\n\"\\/é€😀","colour":"blue"})");
  round_trip(Leaves{false, 127, INT64_MAX, 0, -0.0F, 0.1 + 0.2, "", Colour::red});
}

TEST_CASE("containers become arrays, and objects if their keys are strings") {
  CHECK(round_trip(Containers{{1, 2},
                              {true, false},
                              {"a", ""},
                              {{}, {3}},
                              {5, 4},
                              {7, 8, 9},
                              {1, "x"},
                              {true, {2}, 0.5},
                              {{"", 1}, {"k", 2}},
                              {{"t", {1}}}}) ==
        R"({"vector":[1,2],"bits":[true,false],"list":["a",""],"deque":[[],[3]],"set":[4,5],"array":[7,8,9],)"
        R"("pair":[1,"x"],"tuple":[true,{"cents":2},0.5],"map":{"":1,"k":2},"table":{"t":[1]}})");
  CHECK(round_trip(std::vector<std::vector<Empty>>{{}, {{}, {}}}) == "[[],[{},{}]]");
  CHECK(round_trip(std::array<int, 0>{}) == "[]");
  CHECK(round_trip(std::tuple<>{}) == "[]");
}

TEST_CASE("types that only view their text or elements can be written") {
  const int numbers[] = {1, 2};
  const char* const none = nullptr;
  CHECK(to_json("a\tb") == R"("a\tb")");
  CHECK(to_json(std::string_view("x")) == R"("x")");
  CHECK(to_json(none) == "null");
  CHECK(to_json(std::span(numbers)) == "[1,2]");
  CHECK(to_json(std::map<std::string_view, const char*>{{"k", "v"}}) == R"({"k":"v"})");
  CHECK(to_json(std::nan("")) == "null");
  CHECK(to_json(static_cast<Colour>(9)) == "9");
  std::string out = "x=";
  append_json(1, out);
  CHECK(out == "x=1");
}

TEST_CASE("a type may contain itself") {
  Tree tree{1, {}, std::make_unique<Tree>(), nullptr, std::nullopt};
  tree.children.emplace_back().value = 2;
  tree.next->shared = std::make_shared<Tree>();
  tree.next->more.emplace().emplace_back().value = 3;
  const std::string text = to_json(tree);
  const auto back = from_json<Tree>(text);
  REQUIRE(back.has_value());
  CHECK(to_json(*back) == text);

  const auto chain = [](int objects) {
    std::string text;
    for (int i = 0; i < objects; ++i)
      text = R"({"value":0,"next":)" + (text.empty() ? "null" : text) + R"(,"children":[]})";
    return text;
  };
  CHECK(from_json<Tree>(chain(64)).has_value());  // plus an empty array in the last one
  CHECK(error_of<Tree>(chain(65)).kind == JsonError::Kind::too_deep);
}

TEST_CASE("members with a default may be omitted and keep it") {
  CHECK(from_json<Item>(R"({"name":"a","id":1})") == Item{1, "a", std::nullopt, {}});
  CHECK(from_json<Order>(R"({"items":[],"named":{}})")->limit == 20);
  CHECK(from_json<Price>("{}") == Price{});
  CHECK(from_json<Tree>(R"({"value":1,"children":[]})").has_value());
  CHECK(error_of<Tree>(R"({"value":1})").path == "/children");
}

TEST_CASE("the order of members is free, and unknown ones are ignored unless refused") {
  const std::string text = R"({"x":[1,{"id":[]}],"price":{"cents":3,"x":null},"name":"a","x":2,"id":1})";
  CHECK(from_json<Item>(text) == Item{1, "a", std::nullopt, {3}});
  const JsonError error = error_of<Item>(text, {.unknown_fields = UnknownFields::refuse});
  const auto unknown = [](std::string path) {
    return JsonError{JsonError::Kind::unknown, std::move(path), "there is no member of this name"};
  };
  CHECK(error.others == std::vector<JsonError>{unknown("/price/x"), unknown("/x")});
  CHECK(error.path == "/x");
  CHECK(error.kind == JsonError::Kind::unknown);
  CHECK(error_of<Item>(R"({"id":1,"price":{"a/b~":1}})", {.unknown_fields = UnknownFields::refuse}).path ==
        "/price/a~1b~0");
}

TEST_CASE("an escaped key matches the member that it spells") {
  CHECK(from_json<Price>(R"({"\u0063ent\u0073":5})") == Price{5});
  CHECK(error_of<Price>(R"({"\u0063ents":5,"cents":6})").kind == JsonError::Kind::duplicate);
}

TEST_CASE("the last of 64 members is read, missed, and seen twice like the first") {
  struct Wide {
    int a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0, a8 = 0, a9 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
    int b4 = 0, b5 = 0, b6 = 0, b7 = 0, b8 = 0, b9 = 0, c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0;
    int c8 = 0, c9 = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0, d6 = 0, d7 = 0, d8 = 0, d9 = 0, e0 = 0, e1 = 0;
    int e2 = 0, e3 = 0, e4 = 0, e5 = 0, e6 = 0, e7 = 0, e8 = 0, e9 = 0, f0 = 0, f1 = 0, f2 = 0, f3 = 0, f4 = 0, f5 = 0;
    int f6 = 0, f7 = 0, f8 = 0, f9 = 0, g0 = 0, g1 = 0, g2 = 0;
    std::string last;
  };
  const auto wide = from_json<Wide>(R"({"last":"x","a0":1,"d2":3})");
  REQUIRE(wide.has_value());
  CHECK((wide->last == "x" && wide->a0 == 1 && wide->d2 == 3));
  CHECK(to_json(*wide).ends_with(R"("g2":0,"last":"x"})"));
  CHECK(error_of<Wide>(R"({"a0":1})").path == "/last");
  CHECK(error_of<Wide>(R"({"last":"","d2":1,"last":""})").kind == JsonError::Kind::duplicate);
  CHECK(error_of<Wide>(R"({"d2":1,"d2":1,"last":""})").path == "/d2");  // member 32, beyond 32 bits
}

TEST_CASE("an error reports the path and the expectation") {
  using enum JsonError::Kind;
  const struct {
    std::string why;
    std::string text;
    JsonError want;
  } cases[] = {
      {"a value of another kind at the top", "[]", {type, "", "expected an object, found an array"}},
      {"a value of another kind inside", R"({"items":{}})", {type, "/items", "expected an array, found an object"}},
      {"a value of another kind in an element",
       R"({"items":[{"id":1,"name":"a"},{"id":"x"}]})",
       {type, "/items/1/id", "expected a whole number, found a string"}},
      {"a value of another kind in a map",
       R"({"named":{"a/b~c":{"id":null}}})",
       {type, "/named/a~1b~0c/id", "expected a whole number, found null"}},
      {"a fraction",
       R"({"limit":1.5})",
       {type, "/limit", "expected a whole number, found one with a fraction or an exponent"}},
      {"a fraction of zero",
       R"({"limit":1.0})",
       {type, "/limit", "expected a whole number, found one with a fraction or an exponent"}},
      {"an exponent",
       R"({"limit":1e2})",
       {type, "/limit", "expected a whole number, found one with a fraction or an exponent"}},
      {"above an int",
       R"({"limit":2147483648})",
       {range, "/limit", "expected a whole number from -2147483648 to 2147483647, found 2147483648"}},
      {"above a byte",
       R"({"items":[{"id":256}]})",
       {range, "/items/0/id", "expected a whole number from 0 to 255, found 256"}},
      {"below a byte",
       R"({"items":[{"id":-1}]})",
       {range, "/items/0/id", "expected a whole number from 0 to 255, found -1"}},
      {"the largest integer",
       R"({"limit":18446744073709551615})",
       {range, "/limit", "expected a whole number from -2147483648 to 2147483647, found 18446744073709551615"}},
      {"beyond any integer, in an ignored member",
       R"({"x":18446744073709551616})",
       {range, "", "a number exceeds 64 bits or the range of a double"}},
      {"not a string",
       R"({"items":[{"id":1,"name":true}]})",
       {type, "/items/0/name", "expected a string, found true or false"}},
      {"null is not a string",
       R"({"items":[{"id":1,"name":null}]})",
       {type, "/items/0/name", "expected a string, found null"}},
      {"null does not select the default",
       R"({"limit":null})",
       {type, "/limit", "expected a whole number, found null"}},
      {"not an enumerator",
       R"({"items":[{"colour":"pink"}]})",
       {invalid, "/items/0/colour", "expected one of red, green, blue, found \"pink\""}},
      {"an enumerator's value",
       R"({"items":[{"colour":1}]})",
       {type, "/items/0/colour", "expected one of red, green, blue, found a number"}},
      {"a missing member",
       R"({"items":[{"id":1}],"named":{}})",
       {missing, "/items/0/name", "expected a string, but the member is missing"}},
      {"a missing container", R"({"items":[]})", {missing, "/named", "expected an object, but the member is missing"}},
      {"a repeated member",
       R"({"limit":1,"items":[],"limit":1})",
       {duplicate, "/limit", "expected this member once, found it twice"}},
      {"a repeated key",
       R"({"named":{"a":{"id":1,"name":""},"a":{"id":1,"name":""}}})",
       {duplicate, "/named/a", "expected this member once, found it twice"}},
      {"too deep in an ignored member",
       R"({"x":)" + std::string(64, '[') + "1" + std::string(64, ']') + "}",
       {too_deep, "", "expected at most 64 nested arrays and objects"}},
      {"no JSON",
       "{\"limit\":nil}",
       {syntax, "", "invalid JSON: a word is not true, false or null at line 1, column 10"}},
      {"cut off", R"({"items":[)", {syntax, "", "invalid JSON: a value is missing at line 1, column 11"}},
      {"trailing data",
       R"({"items":[],"named":{}} {})",
       {syntax, "", "invalid JSON: there is text after the document at line 1, column 25"}},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    const JsonError error = error_of<Order>(text);
    CHECK(error.kind == want.kind);
    CHECK(error.path == want.path);
    CHECK(error.detail == want.detail);
  }
}

TEST_CASE("an array of fixed size must have exactly that size") {
  using Three = std::array<int, 3>;
  CHECK(error_of<Three>("[1,2]") == JsonError{JsonError::Kind::type, "", "expected an array of 3, found fewer"});
  CHECK(error_of<Three>("[1,2,3,4]") == JsonError{JsonError::Kind::type, "", "expected an array of 3, found more"});
  CHECK(error_of<Three>("[1,true]").path == "/1");
  using Pair = std::pair<int, std::string>;
  CHECK(error_of<Pair>("[]").detail == "expected an array of 2, found fewer");
  CHECK(error_of<std::vector<Pair>>(R"([[1,"a"],[1,2]])") ==
        JsonError{JsonError::Kind::type, "/1/1", "expected a string, found a number"});
}

TEST_CASE("a number that a type cannot hold is an error, one that is too small becomes zero") {
  CHECK(error_of<double>("1e309").kind == JsonError::Kind::range);
  CHECK(error_of<std::vector<float>>("[0,1e39]") ==
        JsonError{JsonError::Kind::range, "/1", "expected a number that a float can hold, found 1e+39"});
  CHECK(error_of<std::uint64_t>("-1") ==
        JsonError{JsonError::Kind::range, "", "expected a whole number from 0 to 18446744073709551615, found -1"});
  CHECK(from_json<float>("3.4028235e38") == std::numeric_limits<float>::max());
  CHECK(from_json<double>("1e-400") == 0);
  CHECK(from_json<float>("1e-60") == 0);
  CHECK(from_json<double>("18446744073709551615") == 0x1p64);
  CHECK(from_json<double>("-9223372036854775808") == -0x1p63);
  CHECK(from_json<unsigned>("-0") == 0U);
  CHECK(error_of<int>(std::string(100'000, '1')).detail.size() < 150);
}

TEST_CASE("large doubles are not written as integers, and can be read back") {
  for (const double value : {0x1p63, 0x1p64, -0x1p63, -0x1p64, 1e20, 1.2345678901234567e19, 1e22, 0x1.fffffffffffffp62,
                             std::numeric_limits<double>::max()}) {
    CAPTURE(to_json(value));
    CHECK(from_json<double>(to_json(value)) == value);
  }
  CHECK(to_json(0x1p64) == "1.8446744073709552e+19");
}

TEST_CASE("a long key or value from outside is shortened in an error") {
  const std::string key(100'000, 'k');
  const JsonError unknown = error_of<Price>("{\"" + key + "\":1}", {.unknown_fields = UnknownFields::refuse});
  CHECK(unknown.path == "/" + std::string(128, 'k'));
  CHECK(error_of<Colour>("\"" + key + "\"").detail.size() < 100);
}

TEST_CASE("a converter defines the JSON form of a type") {
  CHECK(round_trip(std::vector<Celsius>{Celsius(20.5)}) == "[20.5]");
  CHECK(round_trip(std::map<std::string, Initials>{{"x", {'j', 'd'}}}) == R"({"x":"jd"})");
  CHECK(error_of<std::vector<Celsius>>("[1,-300]") ==
        JsonError{JsonError::Kind::invalid, "/1", "expected a temperature above absolute zero"});
  CHECK(error_of<Celsius>("true") == JsonError{JsonError::Kind::type, "", "expected a number, found true or false"});
  CHECK(error_of<Initials>(R"("abc")").detail == "expected two letters");
  using Either = std::variant<Initials, Celsius>;
  CHECK(from_json<Either>("3")->index() == 1);
}

TEST_CASE("a prefix of a document is refused, and a document with a byte changed to NUL") {
  const Order order{{{1, "a€😀", Colour::red, {5}}}, {{"k\n", {2, "b", {}, {}}}}, 7};
  const std::string text = to_json(order);
  for (std::size_t at = 0; at < text.size(); ++at) {
    CAPTURE(at);
    CHECK_FALSE(from_json<Order>(text.substr(0, at)).has_value());
    std::string changed = text;
    changed[at] = '\0';
    CHECK_FALSE(from_json<Order>(changed).has_value());
  }
}

TEST_CASE("large documents are read completely") {
  std::vector<int> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * i);
  CHECK(from_json<std::vector<int>>(to_json(numbers)) == numbers);
  const std::string text(1'000'000, '"');
  CHECK(from_json<std::string>(to_json(text)) == text);
}

TEST_CASE("supported types are known at compile time") {
  struct Opaque {
    Opaque(int) {}
  };
  struct Unmade {
    int& reference;
  };
  CHECK(JsonWritable<Order>);
  CHECK(JsonWritable<const std::vector<Order>&>);
  CHECK(JsonWritable<std::span<const int>>);
  CHECK(JsonWritable<std::string_view>);
  CHECK(JsonWritable<Celsius>);
  CHECK_FALSE(JsonWritable<Opaque>);
  CHECK_FALSE(JsonWritable<std::vector<Opaque>>);
  CHECK_FALSE(JsonWritable<std::map<int, int>>);
  CHECK_FALSE(JsonWritable<char>);
  CHECK_FALSE(JsonWritable<int*>);
  CHECK_FALSE(JsonWritable<void>);
  CHECK_FALSE(JsonWritable<std::variant<int, Opaque>>);
  CHECK(JsonReadable<Order>);
  CHECK(JsonReadable<std::optional<std::vector<Celsius>>>);
  CHECK_FALSE(JsonReadable<Unmade>);
  CHECK_FALSE(JsonReadable<std::span<const int>>);
  CHECK_FALSE(JsonReadable<std::string_view>);
  CHECK_FALSE(JsonReadable<const char*>);
  CHECK_FALSE(JsonReadable<std::map<std::string_view, int>>);
  CHECK_FALSE(JsonReadable<void>);
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::http
