// SPDX-License-Identifier: MIT

// Why io_uring is not available, and how to enable it: sentences for the log and for exceptions. A pure function.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace volt {

// Returns whether a release of Linux, such as "5.10.0-32-amd64", is before `major`.`minor`. False if it is none.
[[nodiscard]] inline bool is_release_before(std::string_view release, int major, int minor) noexcept {
  const char* const end = release.data() + release.size();
  int found_major = 0;
  int found_minor = 0;
  const auto [dot, error] = std::from_chars(release.data(), end, found_major);
  if (error != std::errc() || dot == end || *dot != '.') return false;
  if (std::from_chars(dot + 1, end, found_minor).ec != std::errc()) return false;
  return found_major != major ? found_major < major : found_minor < minor;
}

// `error` is that of io::probe_uring(), `kernel_release` that of uname(2). Empty if the cause is not known.
//
// Old kernels fail with ENOSYS or EINVAL. But many seccomp profiles also answer ENOSYS to all calls that they do not
// permit, so the release decides.
[[nodiscard]] inline std::string uring_cause(std::error_code error, std::string_view kernel_release) {
  if (error == std::errc::not_enough_memory) {
    return "io_uring needs more locked memory than the limit that all processes of this user share: raise memlock "
           "(ulimit -l, docker run --ulimit memlock=, LimitMEMLOCK= of systemd).";
  }
  const bool is_missing = error == std::errc::function_not_supported || error == std::errc::invalid_argument;
  if (is_missing && is_release_before(kernel_release, 5, 19)) {
    return "The kernel is too old: io_uring needs Linux 5.19 or later; 6.1 or later is recommended.";
  }
  if (is_missing || error == std::errc::operation_not_permitted || error == std::errc::permission_denied) {
    return "The sandbox or the system forbids io_uring: in a container, allow it with a seccomp profile that permits "
           "io_uring_setup, io_uring_enter and io_uring_register; see also kernel.io_uring_disabled.";
  }
  return "";
}

}  // namespace volt
