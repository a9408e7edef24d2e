// SPDX-License-Identifier: MIT

#include "config/process/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

namespace volt::config {

// open(2) returns the lowest free number, which is below 3 as long as a standard descriptor is closed.
void open_standard_descriptors() noexcept {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDWR);
  if (fd >= 0) ::close(fd);
}

}  // namespace volt::config
