// SPDX-License-Identifier: MIT

#include "http/transport/page_cache.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "runtime/file_descriptor.h"
#include "runtime/runtime.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"

namespace volt::http {

TEST_SUITE_BEGIN("http/transport/page_cache");

TEST_CASE("a part of a file that was fetched from the disk is in the page cache") {
  constexpr std::uint64_t kBytes = 1 << 20;
  const test::Directory directory;
  const FileDescriptor file(::open((directory.path() / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(file);
  const std::string content(kBytes, 'x');
  REQUIRE(::write(file.get(), content.data(), content.size()) == static_cast<ssize_t>(kBytes));
  CHECK_FALSE(would_wait_for_disk(file.get(), kBytes - 1));
  REQUIRE(::fsync(file.get()) == 0);
  REQUIRE(::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) == 0);
  // A file system in memory keeps the content, and so never waits.
  MESSAGE("the file has left the page cache: " << would_wait_for_disk(file.get(), kBytes - 1));
  Runtime runtime(test_options());
  runtime.block_on(fetch_from_disk, file.get(), std::uint64_t{0}, kBytes);
  CHECK_FALSE(would_wait_for_disk(file.get(), 0));
  CHECK_FALSE(would_wait_for_disk(file.get(), kBytes - 1));
}

TEST_CASE("the end of the file and a closed file do not wait, and a fetch of them does nothing") {
  const test::Directory directory;
  FileDescriptor file(::open((directory.path() / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(file);
  Runtime runtime(test_options());
  CHECK_FALSE(would_wait_for_disk(file.get(), 100));
  runtime.block_on(fetch_from_disk, file.get(), std::uint64_t{0}, std::uint64_t{100});
  const int closed = file.get();
  file = FileDescriptor();
  CHECK_FALSE(would_wait_for_disk(closed, 0));
}

TEST_CASE("a file system that cannot tell what waits is recognized, and one in memory never waits") {
  const FileDescriptor memory(::memfd_create("file", MFD_CLOEXEC));
  REQUIRE(::write(memory.get(), "x", 1) == 1);
  CHECK_FALSE(hides_disk_waits(memory.get()));
  const FileDescriptor made_up(::open("/proc/version", O_RDONLY | O_CLOEXEC));  // procfs has no reads without a wait
  CHECK(hides_disk_waits(made_up.get()));
  CHECK_FALSE(hides_disk_waits(-1));
}

TEST_SUITE_END();

}  // namespace volt::http
