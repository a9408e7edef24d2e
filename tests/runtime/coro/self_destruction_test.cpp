// SPDX-License-Identifier: MIT

// Tests of frames that are destroyed in await_suspend(), that is, while their coroutine suspends. The frame of a
// spawned task ends in this way. Objects of the frame and of the operand must be destroyed exactly once.
#include <doctest/doctest.h>

#include <coroutine>
#include <exception>
#include <utility>

#include "tests/runtime/coro/await_forms.h"

namespace volt {
namespace {

using namespace test;  // NOLINT: the forms consist of its names

struct Destroy {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> frame) const noexcept { frame.destroy(); }
  void await_resume() const noexcept {}
};

struct DestroyAndTransfer {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> frame) const noexcept {
    frame.destroy();
    return std::noop_coroutine();
  }
  void await_resume() const noexcept {}
};

struct DestroyHolding : Destroy {
  explicit DestroyHolding(Tracked object) : held(std::move(object)) {}
  Tracked held;
};

// A coroutine that runs at once and has an object in its promise. `Final` is awaited at its end.
template <class Final>
struct Detached {
  struct promise_type {
    Tracked object;
    Detached get_return_object() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
    [[nodiscard]] Final final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};

Detached<Destroy> at_the_end(Tracked) {
  const Tracked local;
  co_return;
}
Detached<DestroyAndTransfer> at_the_end_with_transfer(Tracked) {
  const Tracked local;
  co_return;
}
Detached<std::suspend_never> in_the_middle(Tracked) {
  const Tracked local;
  co_await Destroy();
}
Detached<std::suspend_never> in_the_middle_with_transfer(Tracked) {
  const Tracked local;
  co_await DestroyAndTransfer();
}
Detached<std::suspend_never> with_an_object_in_the_operand(Tracked) {
  const Tracked local;
  co_await DestroyHolding(Tracked(1));
}
Detached<std::suspend_never> in_an_inner_scope(Tracked argument) {
  const Tracked local;
  if (argument) {
    const Tracked inner;
    co_await Destroy();
  }
}

struct Case {
  const char* why;
  void (*start)();
};

const Case kCases[] = {
    {"at the end", [] { at_the_end(Tracked(1)); }},
    {"at the end, then a transfer", [] { at_the_end_with_transfer(Tracked(1)); }},
    {"in the middle", [] { in_the_middle(Tracked(1)); }},
    {"in the middle, then a transfer", [] { in_the_middle_with_transfer(Tracked(1)); }},
    {"with an object in the operand", [] { with_an_object_in_the_operand(Tracked(1)); }},
    {"in an inner scope", [] { in_an_inner_scope(Tracked(1)); }},
};

}  // namespace

TEST_SUITE_BEGIN("runtime/coro/self_destruction");

TEST_CASE("a frame that is destroyed in await_suspend() destroys its objects once") {
  for (const Case& c : kCases) {
    CAPTURE(c.why);
    run = {};
    c.start();
    CHECK(run.faults == 0);
    CHECK(run.alive.empty());
  }
}

}  // namespace volt
