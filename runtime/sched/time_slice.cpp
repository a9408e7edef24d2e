// SPDX-License-Identifier: MIT

#include "runtime/sched/time_slice.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace volt::sched {
namespace {

constexpr std::uint64_t kShortestSliceNs = 100'000;  // the kernel's minimum

// The first version of the kernel's struct sched_attr, which glibc before 2.41 does not declare.
struct Attributes {
  std::uint32_t size = sizeof(Attributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};

constexpr std::uint32_t kPolicyNormal = 0;  // SCHED_OTHER

}  // namespace

void request_short_time_slice() noexcept {
  Attributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0U) != 0) return;
  if (attributes.policy != kPolicyNormal) return;
  attributes.size = sizeof attributes;
  attributes.runtime_ns = kShortestSliceNs;
  ::syscall(SYS_sched_setattr, 0, &attributes, 0U);  // a refusal leaves the slice as it is
}

}  // namespace volt::sched
