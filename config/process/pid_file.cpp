// SPDX-License-Identifier: MIT

#include "config/process/pid_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "runtime/file_descriptor.h"

namespace volt::config {
namespace {

constexpr mode_t kReadableByAll = 0644;

std::string own_id() { return std::to_string(::getpid()); }

// O_EXCL: in a folder where others may write, the path could be a link to a file that they want to be overwritten.
Result<void> write_line(const std::string& path, const std::string& line) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kReadableByAll));
  if (!file) return system_error(errno);
  const ssize_t written = ::write(file.get(), line.data(), line.size());
  if (written < 0) return system_error(errno);
  if (static_cast<std::size_t>(written) != line.size()) return system_error(ENOSPC);
  return {};
}

}  // namespace

PidFile::~PidFile() {
  if (path_.empty()) return;
  std::string id;
  std::ifstream(path_) >> id;
  if (id == own_id()) ::unlink(path_.c_str());
}

Result<void> PidFile::write() const {
  if (path_.empty()) return {};
  const std::string next = path_ + "." + own_id();
  ::unlink(next.c_str());  // of an earlier process with this id that was killed
  Result<void> written = write_line(next, own_id() + "\n");
  if (written && ::rename(next.c_str(), path_.c_str()) != 0) written = system_error(errno);
  if (!written) ::unlink(next.c_str());
  return written;
}

}  // namespace volt::config
