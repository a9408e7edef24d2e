// SPDX-License-Identifier: MIT

#include "config/process/internal/handoff.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace volt::config {
namespace {

// Returns a memory file that contains `text` and is sealed if `sealed` is true.
FileDescriptor memory_file(const std::string& text, bool sealed) {
  FileDescriptor file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  if (sealed) {
    REQUIRE(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0);
  }
  return file;
}

std::string content_of(const FileDescriptor& file) {
  std::string text(4096, '\0');
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), 0);
  return text.substr(0, static_cast<std::size_t>(count));
}

}  // namespace

TEST_SUITE_BEGIN("config/process/internal/handoff");

TEST_CASE("sealed secrets are unsealed unchanged, and the file cannot be modified") {
  const std::string secret("a\0b", 3);
  const auto file = seal({{"127.0.0.1:8443", secret}, {"[::]:443", ""}});
  REQUIRE(file.has_value());
  for (int time = 0; time != 2; ++time) {
    const auto handoff_secrets = unseal(*file);
    REQUIRE(handoff_secrets.size() == 2);
    CHECK(handoff_secrets[0].place == "127.0.0.1:8443");
    CHECK(handoff_secrets[0].secret == secret);
    CHECK(handoff_secrets[1].place == "[::]:443");
    CHECK(handoff_secrets[1].secret.empty());
    CHECK(::pwrite(file->get(), "x", 1, 0) == -1);
    CHECK(errno == EPERM);
    CHECK(::ftruncate(file->get(), 0) == -1);
  }
  CHECK((::fcntl(file->get(), F_GETFD) & FD_CLOEXEC) != 0);  // only the replacement process inherits it
}

TEST_CASE("a truncated, unknown or unsealed file yields no secrets") {
  const auto file = seal({{"place", "secret"}});
  REQUIRE(file.has_value());
  const std::string whole = content_of(*file);
  CHECK(unseal(memory_file(whole, true)).size() == 1);
  CHECK(unseal(memory_file(whole, false)).empty());
  CHECK(unseal(memory_file("volt handoff 2\n" + whole.substr(15), true)).empty());
  CHECK(unseal(memory_file(std::string(100'000, 'a'), true)).empty());
  for (std::size_t bytes = 0; bytes != whole.size(); ++bytes) {
    CAPTURE(bytes);
    CHECK(unseal(memory_file(whole.substr(0, bytes), true)).empty());
  }
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const FileDescriptor reading(ends[0]);
  const FileDescriptor writing(ends[1]);
  CHECK(unseal(reading).empty());
}

TEST_SUITE_END();
}  // namespace volt::config
