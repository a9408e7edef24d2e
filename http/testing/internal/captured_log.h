// SPDX-License-Identifier: MIT

// CapturedLog: the log of an app under test, as text.
//
// Threads: any. Lifetime: shared with the log, whose thread may outlive it. Bounds: the last kBytesMax bytes are kept.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime/log.h"

namespace volt::http::testing {

class CapturedLog {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{1} << 20;

  // Makes a log that `captured` captures, with the default level.
  [[nodiscard]] static std::shared_ptr<Log> make_log(std::shared_ptr<CapturedLog> captured);

  void add(std::string_view lines);
  [[nodiscard]] std::string text() const;
  // Writes the lines to stderr, and from now on each line at once.
  void print();
  // From now on, writes each line to stderr at once, without those that were captured.
  void end_capture() noexcept;

 private:
  mutable std::mutex mutex_;
  std::string text_;
  bool captures_ = true;
};

}  // namespace volt::http::testing
