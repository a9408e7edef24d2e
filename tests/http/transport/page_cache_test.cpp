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
  CHECK(disk_wait(file.get(), kBytes - 1) != DiskWait::yes);
  REQUIRE(::fsync(file.get()) == 0);
  REQUIRE(::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) == 0);
  // A file system in memory keeps the content, and so never waits.
  MESSAGE("the file has left the page cache: " << (disk_wait(file.get(), kBytes - 1) == DiskWait::yes));
  Runtime runtime(test_options());
  runtime.block_on(fetch_from_disk, file.get(), std::uint64_t{0}, kBytes);
  CHECK(disk_wait(file.get(), 0) != DiskWait::yes);
  CHECK(disk_wait(file.get(), kBytes - 1) != DiskWait::yes);
}

TEST_CASE("the end of the file and a closed file do not wait, and a fetch of them does nothing") {
  const test::Directory directory;
  FileDescriptor file(::open((directory.path() / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(file);
  Runtime runtime(test_options());
  CHECK(disk_wait(file.get(), 100) != DiskWait::yes);
  runtime.block_on(fetch_from_disk, file.get(), std::uint64_t{0}, std::uint64_t{100});
  const int closed = file.get();
  file = FileDescriptor();
  CHECK(disk_wait(closed, 0) != DiskWait::yes);
}

TEST_CASE("a file system that cannot tell what waits is recognized, and one in memory never waits") {
  const FileDescriptor memory(::memfd_create("file", MFD_CLOEXEC));
  REQUIRE(::write(memory.get(), "x", 1) == 1);
  CHECK(disk_wait(memory.get(), 0) == DiskWait::no);
  const FileDescriptor made_up(::open("/proc/version", O_RDONLY | O_CLOEXEC));  // procfs has no reads without a wait
  CHECK(disk_wait(made_up.get(), 0) == DiskWait::unknown);
  CHECK(disk_wait(-1, 0) == DiskWait::no);
}

TEST_SUITE_END();

}  // namespace volt::http
