// NewFile: a file that is being written for the first time, or one without a name.
//
// Threads: one at a time. All but the destructor wait as long as the file system does: call them on the blocking pool.
// Errors: as of the system calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/file_descriptor.h"
#include "runtime/result.h"

namespace volt::http::multipart {

class NewFile {
 public:
  NewFile() = default;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  // Removes what create() made, unless it was kept.
  ~NewFile();

  // A file that was not there: mode 0600, and no link followed at the end of its path.
  Result<void> create(std::string path);
  // A file that has no name, or loses it at once where the file system knows none without.
  Result<void> create_nameless(const std::string& directory);

  // All of it, behind what was written before.
  Result<void> append(std::string_view data);
  // Fewer bytes only at the end.
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<char> into) const;

  // It is complete: closed, and to stay.
  Result<void> keep();

  [[nodiscard]] int fd() const noexcept { return file_.get(); }

 private:
  FileDescriptor file_;
  std::string path_;  // to be removed; empty: none
};

}  // namespace volt::http::multipart
