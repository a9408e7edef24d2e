// SPDX-License-Identifier: MIT

#include "reflect/aggregate.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace volt::reflect {

struct Named {
  int first;
  std::string second_name;
};

namespace {
TEST_SUITE_BEGIN("reflect/aggregate");

struct Empty {};

struct Inner {
  int x;
  int y = 2;
};

struct Rich {
  std::optional<int> a;
  std::optional<std::string> b;
  std::variant<int, std::string> c;
  std::vector<int> d;
  std::unique_ptr<int> e;
  std::shared_ptr<Rich> f;
  std::atomic<int> g;
  std::string h;
  std::string_view i;
  const char* j;
  Inner k;
  std::array<int, 3> l;
  std::function<void()> m;
  std::pair<int, int> n;
  std::vector<Rich> o;
  std::optional<std::vector<int>> p;
  std::map<std::string, std::string> q;
  std::tuple<int, Inner> r;
};

struct Unmade {  // only the last member has a default
  std::reference_wrapper<int> one;
  std::reference_wrapper<int> two;
  int three;
};

struct Wide {
  int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9;
  std::string c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5;
  int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7;
};

struct Derived : Inner {
  int z;
};

class Closed {
 public:
  int open;

 private:
  [[maybe_unused]] int hidden_;
};

template <class T, int N>
struct Generic {
  T value_of;
  std::array<T, N> rest_1;
};

TEST_CASE("members of any type are counted") {
  struct Local {
    bool flag;
    double ratio;
  };
  CHECK(member_count<Empty> == 0);
  CHECK(member_count<Named> == 2);
  CHECK(member_count<Inner> == 2);
  CHECK(member_count<Local> == 2);
  CHECK(member_count<Rich> == 18);
  CHECK(member_count<Unmade> == 3);
  CHECK(member_count<Wide> == kMembersMax);
  CHECK(member_count<Generic<std::string, 4>> == 2);
}

TEST_CASE("each number of members is bound in order") {
  const auto check = []<std::size_t Count>(std::integral_constant<std::size_t, Count>) {
    std::array<std::size_t, Count> members{};
    std::size_t next = 0;
    const std::size_t bound = visit_members<Count>(members, [&next](auto&... each) {
      ((each = ++next), ...);
      return sizeof...(each);
    });
    CAPTURE(Count);
    CHECK(bound == Count);
    for (std::size_t i = 0; i != Count; ++i) CHECK(members[i] == i + 1);
  };
  [&]<std::size_t... Before>(std::index_sequence<Before...>) {
    (check(std::integral_constant<std::size_t, Before + 1>()), ...);
  }(std::make_index_sequence<kMembersMax>());
}

TEST_CASE("only plain structs satisfy Aggregate") {
  CHECK(Aggregate<Empty>);
  CHECK(Aggregate<Rich>);
  CHECK_FALSE(Aggregate<Derived>);
  CHECK_FALSE(Aggregate<Closed>);
  CHECK_FALSE(Aggregate<int>);
  CHECK_FALSE(Aggregate<int[3]>);
  CHECK_FALSE(Aggregate<std::array<int, 3>>);
  CHECK_FALSE(Aggregate<std::string>);
  CHECK_FALSE(Aggregate<std::pair<int, int>>);
  CHECK_FALSE(Aggregate<std::unique_ptr<int>>);
}

TEST_CASE("member_name is the member's name in the source") {
  struct Local {
    int _;
    std::string Mixed_Case9;
    std::optional<std::vector<int>> in_order;
  };
  CHECK(member_names<Empty>().empty());
  CHECK(member_names<Named>() == std::array<std::string_view, 2>{"first", "second_name"});
  CHECK(member_names<Local>() == std::array<std::string_view, 3>{"_", "Mixed_Case9", "in_order"});
  CHECK(member_names<Generic<Local, 2>>() == std::array<std::string_view, 2>{"value_of", "rest_1"});
  CHECK(member_name<Wide, 63> == "g7");
  constexpr auto rich = member_names<Rich>();
  for (std::size_t i = 0; i < rich.size(); ++i) CHECK(rich[i] == std::string(1, static_cast<char>('a' + i)));
}

TEST_CASE("members are read and written through their references") {
  Named value{1, "one"};
  get_member<0>(value) = 7;
  get_member<1>(value) += "!";
  CHECK(value.first == 7);
  CHECK(value.second_name == "one!");

  const Named& fixed = value;
  CHECK(&get_member<1>(fixed) == &value.second_name);
  static_assert(std::is_same_v<decltype(get_member<1>(fixed)), const std::string&>);
  static_assert(std::is_same_v<MemberType<Named, 1>, std::string>);

  Rich rich;
  get_member<4>(rich) = std::make_unique<int>(3);  // get_member does not copy
  CHECK(*rich.e == 3);
  Wide wide{};
  get_member<31>(wide) = "last";
  CHECK(wide.d1 == "last");
}

TEST_CASE("each member is visited once, in order") {
  Named value{3, "x"};
  std::string seen;
  for_each_member(value, [&](auto index, auto& member) {
    seen += member_name<Named, index>;
    if constexpr (index == 0) member = 4;
    seen += index == 0 ? "=number " : "=text ";
  });
  CHECK(seen == "first=number second_name=text ");
  CHECK(value.first == 4);

  Empty empty;
  for_each_member(empty, [](auto, auto&) { FAIL("an empty aggregate has no member"); });
}

TEST_CASE("members of a const value are const") {
  constexpr Inner inner{1, 5};
  static_assert(get_member<1>(inner) == 5);
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::reflect
