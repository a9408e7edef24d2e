// SPDX-License-Identifier: MIT

// Forms of co_await, for tests of the compiler's part of runtime/coro/promise.h: everything in an operand is destroyed
// exactly once, after the await. g++ 12, for example, destroys many temporaries twice (docs/compilers.md).
//
// check() runs a form to its end, then again and again: with an exception from each of its waits, and with its frame
// destroyed in each of its waits. The forms consist of objects whose lifetimes are counted, and of coroutines that take
// and return such objects.
#pragma once

#include <doctest/doctest.h>

#include <coroutine>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/task.h"

namespace volt::test {

struct Interrupted {};  // thrown by Wait
struct Refused {};      // thrown by refused()

// One run of a form. There is one at a time, on one thread. It is global, so that the temporaries in an operand need no
// pointer to it.
struct Run {
  std::set<const void*> alive;  // addresses of the objects that exist
  int faults = 0;               // objects that were used or destroyed when they did not exist
  std::deque<std::coroutine_handle<>> waiting;
  int waits = 0;     // waits that have ended
  int throw_at = 0;  // the wait that throws, counted from 1; 0: none
  int messages = 0;  // how many message() still returns
};
inline Run run;

class Tracked {
 public:
  explicit Tracked(int value = 0) : value_(value) { begin(); }
  Tracked(const Tracked& other) : value_(other.value()) { begin(); }
  Tracked(Tracked&& other) noexcept : value_(other.value()) { begin(); }
  Tracked& operator=(const Tracked& other) {
    static_cast<void>(value());
    value_ = other.value();
    return *this;
  }
  ~Tracked() {
    if (run.alive.erase(this) == 0) ++run.faults;
  }

  [[nodiscard]] int value() const noexcept {
    if (!run.alive.contains(this)) ++run.faults;
    return value_;
  }
  explicit operator bool() const noexcept { return value() != 0; }
  friend bool operator==(const Tracked& left, const Tracked& right) noexcept { return left.value() == right.value(); }

 private:
  void begin() {
    if (!run.alive.insert(this).second) ++run.faults;
  }

  int value_;
};

// Aggregates, and a class with a constructor.
struct Group {
  Tracked first;
  int number = 0;
};
struct Two {
  Tracked first;
  Tracked second;
};
struct Nested {
  Group inner;
  Tracked last;
};
struct Defaults {
  Tracked first = Tracked(7);
  int number = 0;
};
struct Constructed {
  Constructed(Tracked object, int times = 0) : first(std::move(object)), number(times) {}
  Tracked first;
  int number;
};

[[noreturn]] inline Tracked refused() { throw Refused(); }
[[noreturn]] inline int refused_number() { throw Refused(); }
inline bool yes() {
  static volatile bool value = true;  // hides the constant from the optimizer
  return value;
}

struct Wait {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> frame) const { run.waiting.push_back(frame); }
  void await_resume() const {
    if (++run.waits == run.throw_at) throw Interrupted();
  }
};

// Awaiters that hold an object: an aggregate, and a class with a constructor.
struct AggregateWait : Wait {
  Tracked object;
  int await_resume() const {
    Wait::await_resume();
    return object.value();
  }
};
struct ClassWait : AggregateWait {
  explicit ClassWait(Tracked held) : AggregateWait{{}, std::move(held)} {}
};

inline Task<Tracked> make(int value) {
  co_await Wait();
  co_return Tracked(value);
}
inline Task<std::optional<Tracked>> message() {
  co_await Wait();
  if (run.messages-- > 0) co_return std::optional(Tracked(5));
  co_return std::nullopt;
}
inline Task<std::vector<Tracked>> list() {
  co_await Wait();
  std::vector<Tracked> objects;
  objects.emplace_back(1);
  objects.emplace_back(2);
  co_return objects;
}
inline Task<std::vector<std::pair<Tracked, Tracked>>> list_of_pairs() {
  co_await Wait();
  std::vector<std::pair<Tracked, Tracked>> pairs;
  pairs.emplace_back(Tracked(1), Tracked(2));
  co_return pairs;
}
inline Task<std::pair<Tracked, Tracked>> pair() {
  co_await Wait();
  co_return std::pair(Tracked(1), Tracked(2));
}
inline Task<std::tuple<Tracked, Tracked>> tuple() {
  co_await Wait();
  co_return std::tuple(Tracked(1), Tracked(2));
}
inline Task<Two> two() {
  co_await Wait();
  co_return Two{Tracked(1), Tracked(2)};
}
inline Task<std::string> longer(std::string text) {
  co_await Wait();
  co_return text + " and more than fits into the object itself";
}

// Coroutines named after their parameter. Each waits, and then uses it.
inline Task<int> object(Tracked one) {
  co_await Wait();
  co_return one.value();
}
inline Task<bool> object_and(Tracked one, bool result) {
  co_await Wait();
  co_return one.value() != 0 && result;
}
inline Task<int> objects(Tracked one, Tracked other) {
  co_await Wait();
  co_return one.value() + other.value();
}
inline Task<int> reference(const Tracked& one) {
  co_await Wait();
  co_return one.value();
}
inline Task<int> group(Group one) {
  co_await Wait();
  co_return one.first.value();
}
inline Task<int> group_reference(const Group& one) {
  co_await Wait();
  co_return one.first.value();
}
inline Task<int> pair_of(Two one) {
  co_await Wait();
  co_return one.first.value() + one.second.value();
}
inline Task<int> nested(Nested one) {
  co_await Wait();
  co_return one.inner.first.value() + one.last.value();
}
inline Task<int> defaults(Defaults one) {
  co_await Wait();
  co_return one.first.value();
}
inline Task<int> constructed(Constructed one) {
  co_await Wait();
  co_return one.first.value();
}
inline Task<int> default_arguments(Tracked one = Tracked(1), Group other = Group{Tracked(2)}) {
  co_await Wait();
  co_return one.value() + other.first.value();
}
template <class F>
Task<int> function(F f) {
  co_await Wait();
  co_return f();
}
template <class F>
Task<int> function_reference(F&& f) {
  co_await Wait();
  co_return f();
}
template <class F, class G>
Task<int> coroutines(F f, G g) {
  const int first = co_await f();
  const int second = co_await g();
  co_return first + second;
}
template <class F>
Task<int> number_and_coroutine(int, F f) {
  const int result = co_await f();
  co_return result;
}
inline Task<int> tasks(Task<int> one, Task<int> other) {
  const int first = co_await std::move(one);
  const int second = co_await std::move(other);
  co_return first + second;
}
inline Task<int> std_function(std::function<int()> f) {
  co_await Wait();
  co_return f();
}
inline Task<int> vector(std::vector<Tracked> all) {
  co_await Wait();
  co_return all.back().value();
}
inline Task<int> initializer_list(std::initializer_list<Tracked> all) {
  co_await Wait();
  co_return all.begin()->value();
}
inline Task<int> optional(std::optional<Tracked> one) {
  co_await Wait();
  co_return one ? one->value() : 0;
}
inline Task<int> shared(std::shared_ptr<Tracked> one) {
  co_await Wait();
  co_return one->value();
}
inline Task<std::size_t> string(std::string text) {
  co_await Wait();
  co_return text.size();
}
inline Task<std::size_t> string_view(std::string_view text) {
  co_await Wait();
  co_return text.size();
}

class Builder {
 public:
  explicit Builder(Tracked first) { objects_.push_back(std::move(first)); }
  Builder&& with(Tracked next) && {
    objects_.push_back(std::move(next));
    return std::move(*this);
  }
  Task<int> send() && {
    co_await Wait();
    co_return objects_.front().value();
  }
  Task<int> send_group(Group one) {
    co_await Wait();
    co_return objects_.front().value() + one.first.value();
  }

 private:
  std::vector<Tracked> objects_;
};

struct Form {
  const char* why;
  Task<> (*body)();
  bool leaks_with_gcc = false;  // see kElementLeak
};

// g++ 13 to 16: when the co_await of an element of an array or aggregate throws, the elements before it are not
// destroyed. Nothing is destroyed twice. Programs avoid it with a named variable for each element.
inline constexpr bool kElementLeak = true;

#if defined(__GNUC__) && !defined(__clang__)
inline constexpr bool kIsGcc = true;
#else
inline constexpr bool kIsGcc = false;
#endif

struct Played {
  bool reached;  // whether the form has the wait at which it should throw or be destroyed
  int faults;
  std::size_t leaked;
};

// Runs the form until wait `destroy_at`, and wait `throw_at` throws; both count from 1, and 0 is none.
inline Played play(const Form& form, int throw_at, int destroy_at) {
  run = {};
  run.throw_at = throw_at;
  const auto frame = form.body().release();
  frame.resume();
  while (!run.waiting.empty() && run.waits + 1 != destroy_at) {
    const std::coroutine_handle<> next = run.waiting.front();
    run.waiting.pop_front();
    next.resume();
  }
  const bool reached = run.waits >= throw_at && (destroy_at == 0 || !run.waiting.empty());
  if (frame.done()) static_cast<void>(frame.promise().take_error());  // of the form, as a scheduler takes it
  frame.destroy();
  return {reached, run.faults, run.alive.size()};
}

inline void check(const Form& form) {
  CAPTURE(form.why);
  const Played plain = play(form, 0, 0);
  CHECK(plain.faults == 0);
  CHECK(plain.leaked == 0);
  int waits = 0;
  bool leaked = false;
  for (int wait = 1; waits == wait - 1; ++wait) {
    REQUIRE(wait < 20);
    CAPTURE(wait);
    const Played thrown = play(form, wait, 0);
    CHECK(thrown.faults == 0);
    leaked = leaked || thrown.leaked != 0;
    const Played destroyed = play(form, 0, wait);
    CHECK(destroyed.faults == 0);
    CHECK(destroyed.leaked == 0);
    CHECK(destroyed.reached == thrown.reached);
    if (destroyed.reached) waits = wait;
  }
  CHECK(waits != 0);
  // If this fails because g++ no longer leaks: remove the mark from the form, and its line from docs/compilers.md.
  CHECK(leaked == (kIsGcc && form.leaks_with_gcc));
}

}  // namespace volt::test
