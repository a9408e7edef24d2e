// FileWriter: pieces of content into a NewFile, on the pool for what blocks.
//
// Threads: one task at a time. Lifetime: beside its file. Errors: std::system_error.
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
  // Gathers them first, so that not each costs a way to the pool and back. `piece` is done with at the return.
  [[nodiscard]] Task<> write(std::string_view piece);
  // What has gathered.
  [[nodiscard]] Task<> flush();
  // Flushes, and keeps the file.
  [[nodiscard]] Task<> keep();

 private:
  NewFile& file_;
  std::string gathered_;
};

}  // namespace volt::http::multipart
