// SPDX-License-Identifier: MIT

// NewFile: a file that is being written for the first time, or an unnamed file.
//
// Threads: one at a time. All members but the destructor block as long as the file system does: call them on the
// blocking pool.
// Errors: those of the system calls.
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
  // Removes the file that create() made, unless keep() was called.
  ~NewFile();

  // Creates a file that must not exist, with mode 0600. A link at the end of the path is not followed.
  Result<void> create(std::string path);
  // Creates a file without a name. If the file system does not support this, creates a file with a name and removes the
  // name at once.
  Result<void> create_nameless(const std::string& directory);

  // Appends all of `data`.
  Result<void> append(std::string_view data);
  // Reads from `offset` on. Returns fewer bytes than the size of `into` only at the end of the file.
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<char> into) const;

  // Declares the file complete: closes it and keeps it.
  Result<void> keep();

  [[nodiscard]] int fd() const noexcept { return file_.get(); }

 private:
  FileDescriptor file_;
  std::string path_;  // Path to remove; empty if there is none.
};

}  // namespace volt::http::multipart
