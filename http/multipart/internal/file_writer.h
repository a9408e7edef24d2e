// SPDX-License-Identifier: MIT

// FileWriter: writes pieces of content to a NewFile, on the blocking pool.
//
// Threads: one task at a time. Lifetime: must not outlive its file. Errors: std::system_error.
#pragma once

#include <string>
#include <string_view>

#include "http/multipart/internal/new_file.h"
#include "runtime/task.h"

namespace volt::http::multipart {

class FileWriter {
 public:
  explicit FileWriter(NewFile& file) noexcept : file_(file) {}

  [[nodiscard]] Task<> create(std::string path);
  [[nodiscard]] Task<> create_nameless(std::string_view directory);
  // Appends `piece`. Small pieces are buffered, so that not every piece costs a round trip to the blocking pool.
  // `piece` is not used after the task completes.
  [[nodiscard]] Task<> write(std::string_view piece);
  // Writes the buffered pieces to the file.
  [[nodiscard]] Task<> flush();
  // Writes the buffered pieces and keeps the file.
  [[nodiscard]] Task<> keep();

 private:
  NewFile& file_;
  std::string gathered_;
};

}  // namespace volt::http::multipart
