// SPDX-License-Identifier: MIT

#include "config/read/internal/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/file_descriptor.h"

namespace volt::config {

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error(errno);
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t count = ::read(file.get(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    const int failure = count < 0 ? errno : text.size() + static_cast<std::size_t>(count) > bytes_max ? EFBIG : 0;
    if (count > 0 && failure == 0) {
      text.append(part, static_cast<std::size_t>(count));
      continue;
    }
    if (failure != 0) return system_error(failure);
    return text;
  }
}

}  // namespace volt::config
