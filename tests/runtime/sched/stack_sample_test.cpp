// SPDX-License-Identifier: MIT

#include "runtime/sched/stack_sample.h"

#include <doctest/doctest.h>
#include <time.h>
#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/function_name.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/processor_time.h"
#include "tests/support/waiting.h"

namespace volt::sched {
namespace {

using test::eventually;
using namespace std::chrono_literals;

// Computes mostly here, and not in functions of libc, which have no frame pointers.
[[gnu::noinline]] std::uint64_t render_page(std::chrono::milliseconds duration) {
  std::uint64_t hash = 1;
  const auto end = test::processor_time() + duration;
  while (test::processor_time() < end) {
    for (int i = 0; i != 200'000; ++i) hash = (hash ^ static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15;
  }
  return hash;
}

[[gnu::noinline]] std::uint64_t render_site(std::chrono::milliseconds duration) { return render_page(duration) + 1; }

// The functions of the last stall of a runtime that has ended.
class LastStack {
 public:
  explicit LastStack(Runtime& runtime) : runtime_(runtime) {
    runtime_.on_stall([this](const Stall& stall) {
      if (!stall.ended) return;
      const std::scoped_lock lock(mutex_);
      names_.emplace();
      for (const void* code : stall.stack) names_->push_back(base::function_name(code));
    });
  }
  ~LastStack() { runtime_.on_stall(nullptr); }
  LastStack(const LastStack&) = delete;
  LastStack& operator=(const LastStack&) = delete;

  // Waits for the end of a stall.
  [[nodiscard]] std::vector<std::string> take() {
    std::optional<std::vector<std::string>> taken;
    REQUIRE(eventually([&] {
      const std::scoped_lock lock(mutex_);
      taken.swap(names_);
      return taken.has_value();
    }));
    return *taken;
  }

 private:
  Runtime& runtime_;
  std::mutex mutex_;
  std::optional<std::vector<std::string>> names_;
};

bool contains(const std::vector<std::string>& names, std::string_view part) {
  return std::ranges::any_of(names, [=](const std::string& name) { return name.find(part) != std::string::npos; });
}

Task<std::uint64_t> render() { co_return render_site(300ms); }

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/stack_sample");

TEST_CASE("the functions in which a task computes are sampled") {
  Runtime runtime(test_options());
  LastStack last(runtime);
  CHECK(eventually([&] {  // a sample in libc, or after the end, has no functions
    CHECK(runtime.block_on(render) != 0);
    const std::vector<std::string> names = last.take();
    CHECK(names.size() <= StackSample::kFramesMax);
    return contains(names, "render_page") && contains(names, "render_site") && contains(names, "render()") &&
           contains(names, "volt::sched::Worker::run");
  }));
}

TEST_CASE("without the signal no functions are sampled, and the stall is reported") {
  RuntimeOptions options = test_options();
  options.rescue_signal = 0;
  Runtime runtime(options);
  LastStack last(runtime);
  CHECK(runtime.block_on(render) != 0);
  CHECK(last.take().empty());
}

TEST_CASE("a thread that sleeps in a call is not interrupted") {
  Runtime runtime(test_options());
  LastStack last(runtime);
  const int result = runtime.block_on([]() -> Task<int> {
    const timespec duration{.tv_sec = 0, .tv_nsec = 400'000'000};
    timespec left{};
    co_return ::nanosleep(&duration, &left);
  });
  CHECK(result == 0);
  CHECK(last.take().empty());
}

TEST_CASE("frames are followed only within the stack, and only towards its end") {
  StackSample sample;
  sample.set_thread();
  CHECK(sample.get(1).empty());
  sample.request(1);
#if defined(__x86_64__)
  ucontext_t context{};
  struct Frame {
    std::uintptr_t caller;
    std::uintptr_t return_address;
  };
  auto* const frames = static_cast<Frame*>(__builtin_alloca(3 * sizeof(Frame)));  // not on a stack of a sanitizer
  const auto address = [&](int i) { return reinterpret_cast<std::uintptr_t>(&frames[i]); };
  const auto take = [&](std::uint64_t progress) {
    sample.request(progress);
    context.uc_mcontext.gregs[REG_RIP] = 100;
    context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(address(0));
    context.uc_mcontext.gregs[REG_RBP] = static_cast<greg_t>(address(0));
    sample.take(progress, &context);
    return sample.get(progress).size();
  };
  frames[0].return_address = 201;
  frames[1].return_address = 301;
  frames[2].return_address = 401;
  frames[0].caller = address(1);
  frames[1].caller = address(2);
  frames[2].caller = 0;
  CHECK(take(3) == 4);
  CHECK(sample.get(3)[0] == reinterpret_cast<const void*>(100));
  CHECK(sample.get(3)[3] == reinterpret_cast<const void*>(400));
  CHECK(sample.get(1).empty());
  frames[1].caller = address(0);  // a loop
  CHECK(take(5) == 3);
  frames[1].caller = address(2) + 1;  // not aligned
  CHECK(take(7) == 3);
  frames[1].caller = 64;  // outside the stack
  CHECK(take(9) == 3);
  frames[1].caller = ~std::uintptr_t{15};
  CHECK(take(11) == 3);
  sample.take(13, &context);  // not requested
  CHECK(sample.get(13).empty());
#endif
}

}  // namespace volt::sched
