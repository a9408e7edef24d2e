// SPDX-License-Identifier: MIT

// The wall clock: wall_now() and wall_second() return the time of day, as std::chrono::system_clock does, but in a test
// they return the time that the test has set. Code that compares the date with something stored, such as the end of a
// subscription, should read this clock.
//
//   bool is_over(const Trial& trial) { return trial.ends <= volt::wall_second(); }
//
//   client.clock().set("2026-01-01T00:00:00Z");     // a test, with a TestClient
//   client.clock().advance(24h * 30);
//
// The wall clock of a runtime with a manual clock (RuntimeOptions::manual_clock) begins with the time of the system and
// advances with the manual clock only. Without a manual clock it is the clock of the system. All of Volt that depends
// on the date reads it: the Date field, cookies and sessions, JSON Web Tokens and OpenID Connect, caches and
// conditional requests, Retry-After, request ids, cron jobs, and the queue of jobs in SQLite. Three things do not: log
// lines, spans and reports, which tell when something really happened; certificates, which OpenSSL checks; and the
// databases.
//
// Threads: any.
#pragma once

#include <chrono>

#include "runtime/base/wall_clock.h"  // IWYU pragma: export

namespace volt {

// Sets the wall clock of the runtime. Must be called in a task, or in a callable of blocking(), of a runtime with a
// manual clock. Sleeps and deadlines do not change. The Date field of responses and cron jobs follow within seconds of
// the manual clock.
void set_wall_clock(std::chrono::system_clock::time_point time) noexcept;

}  // namespace volt
