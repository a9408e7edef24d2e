// SPDX-License-Identifier: MIT

// InlineChildren: the children of one all() with their coroutines and values (runtime/sched/child_group.h).
//
// Threads: as ChildGroup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime/sched/child_group.h"
#include "runtime/sched/spawned_task.h"
#include "runtime/task.h"

namespace volt::sched {

// One child: first its coroutine, then its value, unless it has thrown. The first child of a group never becomes a
// task.
template <class T, bool is_first>
class InlineChild {
 public:
  explicit InlineChild(Task<T> coroutine) noexcept : coroutine_(std::move(coroutine)) {}
  InlineChild(const InlineChild&) = delete;
  InlineChild& operator=(const InlineChild&) = delete;

  // Returns the coroutine, to be resumed in the task that is suspended at `point`.
  [[nodiscard]] std::coroutine_handle<> begin(coro::AwaitPoint point) noexcept {
    return std::move(coroutine_).operator co_await().await_suspend(point);
  }

  // Makes a task that begins the coroutine.
  ChildTask& make_task(ChildGroup& group, Scheduler& scheduler) noexcept {
    if constexpr (is_first) {
      std::unreachable();  // it has begun inline
    } else {
      return task_.emplace(group, scheduler, *this);
    }
  }

  // Takes the value out of the coroutine, which has ended, and destroys the coroutine. Returns its exception; null if
  // it threw none.
  [[nodiscard]] std::exception_ptr settle() noexcept {
    Task<T> ended = std::move(coroutine_);
    try {
      if constexpr (std::is_void_v<T>) {
        std::move(ended).operator co_await().await_resume();
        value_.emplace();
      } else {
        value_.emplace(std::move(ended).operator co_await().await_resume());
      }
      return nullptr;
    } catch (...) {  // decided: all() rethrows it, unless another child has failed before
      return std::current_exception();
    }
  }

  [[nodiscard]] ValueOf<T> take_value() { return std::move(*value_); }

 private:
  class AsTask final : public ChildTask {
   public:
    AsTask(ChildGroup& group, Scheduler& scheduler, InlineChild& child) noexcept
        : ChildTask(group, scheduler, child.coroutine_.make_root()), child_(child) {}

    void collect() noexcept override { note_end(child_.settle()); }

   private:
    InlineChild& child_;
  };

  Task<T> coroutine_;
  std::optional<ValueOf<T>> value_;
  [[no_unique_address]] std::conditional_t<is_first, NoValue, std::optional<AsTask>> task_;
};

template <class Indices, class... T>
struct InlineChildTuple;
template <std::size_t... i, class... T>
struct InlineChildTuple<std::index_sequence<i...>, T...> {
  using Type = std::tuple<InlineChild<T, i == 0>...>;
};

template <class... T>
class InlineChildren final : public ChildGroup {
 public:
  explicit InlineChildren(Task<T>... coroutines) noexcept
      : ChildGroup(*current(), sizeof...(T)), children_(std::move(coroutines)...) {}

  // Awaited after next() has returned true. Runs that child to its end. Does not throw.
  [[nodiscard]] auto run_inline() noexcept {
    struct Awaiter {
      InlineChildren& children;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      [[nodiscard]] std::coroutine_handle<> await_suspend(coro::AwaitPoint point) const noexcept {
        std::coroutine_handle<> coroutine;
        children.visit(children.running_inline(), [&](auto& child) { coroutine = child.begin(point); });
        return coroutine;
      }
      void await_resume() const noexcept {
        children.visit(children.running_inline(), [this](auto& child) {
          if (std::exception_ptr error = child.settle()) [[unlikely]]
            children.fail_inline(std::move(error));
        });
      }
    };
    return Awaiter{*this};
  }

  // Ends the group and returns the values in order. Called when no child runs any more. Throws Cancelled if the task is
  // cancelled; otherwise the first exception of a child, if there is one.
  [[nodiscard]] std::tuple<ValueOf<T>...> take() {
    finish();
    return std::apply([](auto&... child) { return std::tuple<ValueOf<T>...>{child.take_value()...}; }, children_);
  }

 private:
  [[nodiscard]] ChildTask& make_task(std::uint32_t index) noexcept override {
    ChildTask* made = nullptr;
    visit(index, [&](auto& child) { made = &child.make_task(*this, *task().scheduler); });
    return *made;
  }

  // Calls `visitor` with the child at `index`.
  template <class Visitor>
  void visit(std::uint32_t index, Visitor&& visitor) noexcept {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((i == index ? visitor(std::get<i>(children_)) : void()), ...);
    }(std::index_sequence_for<T...>{});
  }

  typename InlineChildTuple<std::index_sequence_for<T...>, T...>::Type children_;
};

}  // namespace volt::sched
