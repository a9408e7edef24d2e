// Spooled: content of a size that was not known beforehand: in memory as long as it is small, else in a file without a
// name (open(2), O_TMPFILE), which goes with it, whatever becomes of the process.
//
// Threads: a value, used by one thread at a time. Errors: std::system_error, as of open(2), write(2) and read(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/task.h"

namespace volt::http {

// Trivially destructible: g++ 12 destroys aggregate temporaries in a co_await operand twice.
struct SpoolOptions {
  std::size_t memory_bytes_max = 64 * 1024;           // beyond it, into a file
  std::uint64_t disk_bytes_max = 1024 * 1024 * 1024;  // of that file; beyond it, 413
  std::string_view directory = "/tmp";                // whose file system has the file; valid until it is spooled
};

namespace multipart {
class NewFile;
}

class Spooled {
 public:
  explicit Spooled(std::string content) noexcept;
  // Of `size` bytes.
  Spooled(std::unique_ptr<multipart::NewFile> file, std::uint64_t size) noexcept;
  Spooled(Spooled&&) noexcept;
  Spooled& operator=(Spooled&&) noexcept;
  ~Spooled();

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool in_memory() const noexcept { return file_ == nullptr; }
  // All of it if it is in memory, else empty.
  [[nodiscard]] std::string_view memory() const noexcept { return memory_; }
  // -1 if it is in memory. Stays this object's.
  [[nodiscard]] int fd() const noexcept;

  // Copies from `offset` on; fewer bytes than there is room for only at the end. `into` must outlive the task.
  [[nodiscard]] Task<std::size_t> read(std::uint64_t offset, std::span<char> into) const;
  // A copy as a new file, as Part::save_to() makes one.
  [[nodiscard]] Task<> save_to(std::string path) const;

 private:
  std::string memory_;
  std::unique_ptr<multipart::NewFile> file_;
  std::uint64_t size_ = 0;
};

}  // namespace volt::http
