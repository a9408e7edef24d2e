// SPDX-License-Identifier: MIT

// Spooled: content whose size was unknown beforehand. Small content is in memory; larger content is in an unnamed file
// (open(2), O_TMPFILE), which the kernel removes with this object or with the process.
//
// Threads: a value, used by one thread at a time. Errors: std::system_error with the errors of open(2), write(2) and
// read(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/task.h"

namespace volt::http {

struct SpoolOptions {
  std::size_t memory_bytes_max = 64 * 1024;           // Maximum size in memory; larger content is written to a file.
  std::uint64_t disk_bytes_max = 1024 * 1024 * 1024;  // Maximum size of that file; 413 beyond it.
  std::string_view directory = "/tmp";  // A directory on the file system to use; valid until it is spooled.
};

namespace multipart {
class NewFile;
}

class Spooled {
 public:
  explicit Spooled(std::string content) noexcept;
  // `size`: the size of the file in bytes.
  Spooled(std::unique_ptr<multipart::NewFile> file, std::uint64_t size) noexcept;
  Spooled(Spooled&&) noexcept;
  Spooled& operator=(Spooled&&) noexcept;
  ~Spooled();

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool in_memory() const noexcept { return file_ == nullptr; }
  // Returns the whole content if it is in memory, otherwise empty text.
  [[nodiscard]] std::string_view memory() const noexcept { return memory_; }
  // Returns the descriptor of the file, which this object owns; -1 if the content is in memory.
  [[nodiscard]] int fd() const noexcept;

  // Copies content from `offset` on. Returns the number of bytes, which is less than the size of `into` only at the end
  // of the content. `into` must outlive the task.
  [[nodiscard]] Task<std::size_t> read(std::uint64_t offset, std::span<char> into) const;
  // Writes a copy to a new file, like Part::save_to().
  [[nodiscard]] Task<> save_to(std::string path) const;

 private:
  std::string memory_;
  std::unique_ptr<multipart::NewFile> file_;
  std::uint64_t size_ = 0;
};

}  // namespace volt::http
