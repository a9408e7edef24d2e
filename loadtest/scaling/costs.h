// SPDX-License-Identifier: MIT

// Costs of the model's machine, in nanoseconds, with the origin of each. Change them here, or with --machine.
//
//   [core]      nviennot/core-to-core-latency, README.md (2023): median time of a line's way between two cores. Single
//               AMD EPYC 7R13: 23 within a group of 8 cores that share an L3 cache, 107 between two groups. Two Intel
//               Xeon Platinum 8375C: 51 within a socket, 108 between the sockets
//   [measured]  on a guest with two processors (AMD EPYC, KVM, Linux 6.18), by a program that repeats the operation
//   [expected]  not measured: what is usual for Linux on hardware without a hypervisor
//   [assumed]   a guess, which README.md says how to vary
#pragma once

#include <cstdint>

namespace volt::scaling {

struct Costs {
  // ---- memory ----
  std::int64_t hit_ns = 1;                  // an access to a line that the core holds: L1 cache [assumed]
  std::int64_t exchange_ns = 5;             // a locked instruction on such a line, or a fence [assumed; 2 measured]
  std::int64_t line_same_domain_ns = 23;    // a line comes from a core of the same domain [core]
  std::int64_t line_other_domain_ns = 107;  // a line comes from a core of another domain [core]
  std::int64_t pause_ns = 40;               // a pause of a spin loop [assumed; 24 measured]

  // A task that runs on another core than before takes its lines along: header, frame, stream and buffers.
  std::uint32_t task_lines = 16;      // [assumed]
  std::uint32_t lines_in_flight = 4;  // so many of these are fetched at once [assumed]

  // ---- kernel ----
  std::int64_t poll_ns = 100;            // a system call of the reactor that finds nothing [measured]
  std::int64_t event_ns = 60;            // for each event that it finds [assumed]
  std::int64_t park_ns = 1'050;          // processor time of the sleeper for one sleep and wake-up [measured]
  std::int64_t wake_send_ns = 1'500;     // processor time of the thread that wakes another [expected]
  std::int64_t wake_latency_ns = 5'000;  // from the wake-up until the woken thread runs [expected]
  std::int64_t interrupt_ns = 21'000;    // from the rescuer's signal until the victim has flushed its ring [measured]
  std::int64_t clock_ns = 25;            // a read of the clock [measured]

  // The scheduler's own estimate of a wake-up: kWakeCostNs and kWakeCostVirtualNs in runtime/sched/scheduler.cpp.
  std::int64_t wake_cost_ns = 5'000;
};

// Two sockets; eight groups with an L3 cache each; a virtual machine, where each wake-up is an interrupt through the
// hypervisor [measured].
[[nodiscard]] constexpr Costs two_sockets(Costs costs = {}) {
  costs.line_same_domain_ns = 51;
  costs.line_other_domain_ns = 108;
  return costs;
}
[[nodiscard]] constexpr Costs virtual_machine(Costs costs = {}) {
  costs.wake_send_ns = 12'000;
  costs.wake_latency_ns = 20'000;
  costs.wake_cost_ns = 30'000;
  return costs;
}

}  // namespace volt::scaling
