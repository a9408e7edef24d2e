// SPDX-License-Identifier: MIT

#include "runtime/heap_profile.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include "runtime/file_descriptor.h"
#include "runtime/internal/heap_dump.h"

namespace volt {
namespace {

using Mallctl = int (*)(const char* name, void* old, std::size_t* old_size, void* set, std::size_t set_size);

Result<std::string> content_of(const FileDescriptor& file) {
  std::string content;
  std::array<char, 16 * 1024> piece;
  for (;;) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(errno);
    if (count == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(count));
  }
}

// jemalloc writes a dump to a file that it opens by name. One in memory needs no folder that may be written to.
Result<std::string> dump_heap(Mallctl control) {
  const FileDescriptor file(::memfd_create("volt-heap", MFD_CLOEXEC));
  if (!file) return system_error(errno);
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  const char* name = path.c_str();
  if (const int error = control("prof.dump", nullptr, nullptr, &name, sizeof name); error != 0) {
    return system_error(error);
  }
  return content_of(file);
}

}  // namespace

Result<std::string> heap_profile() {
  void* const mallctl = ::dlsym(RTLD_DEFAULT, "mallctl");
  const auto control = reinterpret_cast<Mallctl>(mallctl);
  bool is_on = false;
  std::size_t size = sizeof is_on;
  if (control == nullptr || control("opt.prof", &is_on, &size, nullptr, 0) != 0 || !is_on) {
    return std::unexpected(std::make_error_code(std::errc::not_supported));
  }
  const Result<std::string> dump = dump_heap(control);
  if (!dump) return dump;
  std::optional<std::string> folded = folded_heap(*dump, mallctl);
  if (!folded) return std::unexpected(std::make_error_code(std::errc::bad_message));
  return *std::move(folded);
}

}  // namespace volt
