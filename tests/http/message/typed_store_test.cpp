// SPDX-License-Identifier: MIT

#include "http/message/typed_store.h"

#include <doctest/doctest.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace volt::http::message {
namespace {

struct Guarded {
  std::mutex mutex;
  int value = 7;
};

}  // namespace

TEST_SUITE_BEGIN("http/message/typed_store");

TEST_CASE("each type has its own value, and the last one stored counts") {
  TypedStore store;
  CHECK(store.find<int>() == nullptr);
  store.put(1);
  store.put(std::string("text"));
  store.put(2);
  CHECK(*store.find<int>() == 2);
  CHECK(*store.find<std::string>() == "text");
  CHECK(store.contains(type_id<int>()));
  CHECK_FALSE(store.contains(type_id<long>()));
}

TEST_CASE("a value that is made in place replaces an earlier one") {
  TypedStore store;
  store.put(1);
  store.make<std::string>(std::size_t{3}, 'a');
  store.make<std::string>(std::size_t{2}, 'b');
  CHECK(*store.find<std::string>() == "bb");
  CHECK(*store.find<int>() == 1);
}

TEST_CASE("an immovable value is constructed once, in its final place") {
  TypedStore store;
  Guarded& made = store.get_or_make<Guarded>();
  made.value = 8;
  CHECK(&store.get_or_make<Guarded>() == &made);
  const TypedStore moved = std::move(store);
  CHECK(moved.find<Guarded>() == &made);
  CHECK(made.value == 8);
}

TEST_CASE("values are destroyed with their store") {
  const auto counted = std::make_shared<int>(0);
  {
    TypedStore store;
    store.put(counted);
    CHECK(counted.use_count() == 2);
  }
  CHECK(counted.use_count() == 1);
}

TEST_SUITE_END();

}  // namespace volt::http::message
