// SPDX-License-Identifier: MIT

#include "runtime/internal/uring_cause.h"

#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "runtime/log.h"
#include "runtime/runtime.h"
#include "tests/support/forbid_call.h"

namespace volt {

TEST_SUITE_BEGIN("runtime/internal/uring_cause");

TEST_CASE("the kernel is called too old only if it is") {
  struct Case {
    std::string why;
    int error;
    std::string release;
    bool is_old;
  };
  const Case cases[] = {
      {"Debian 11", EINVAL, "5.10.0-32-cloud-amd64", true},
      {"the last one that is too old", EINVAL, "5.18.19", true},
      {"a kernel without io_uring", ENOSYS, "4.19.0-27-amd64", true},
      {"the first one that is not", EINVAL, "5.19", false},
      {"a seccomp profile that answers ENOSYS, Debian 12", ENOSYS, "6.1.0-50-cloud-amd64", false},
      {"the minor version is a number", ENOSYS, "6.9.0", false},
      {"a seccomp profile that answers ENOSYS, Debian 13", ENOSYS, "6.12.107+deb13-cloud-amd64", false},
      {"a later major version", EINVAL, "7.0.0-rc1", false},
      {"another error of an old kernel", EPERM, "5.10.0-32-cloud-amd64", false},
      {"no version", ENOSYS, "linux", false},
      {"half a version", ENOSYS, "5.", false},
      {"a major version only", ENOSYS, "5", false},
      {"nothing", ENOSYS, "", false},
  };
  for (const auto& [why, error, release, is_old] : cases) {
    CAPTURE(why);
    const std::string cause = uring_cause(std::error_code(error, std::system_category()), release);
    CHECK((cause.find("needs Linux 5.19 or later") != std::string::npos) == is_old);
    CHECK((cause.find("seccomp") != std::string::npos) == !is_old);
  }
}

TEST_CASE("where io_uring is not available, the log line and the exception name the cause and the cure") {
  const auto on_this_kernel = [](int error) {
    utsname system{};
    REQUIRE(::uname(&system) == 0);
    return uring_cause(std::error_code(error, std::system_category()), system.release);
  };
  struct Case {
    int error;
    std::string cure;
  };
  const Case cases[] = {
      {ENOSYS, on_this_kernel(ENOSYS)},
      {EINVAL, on_this_kernel(EINVAL)},
      {EPERM, "seccomp"},
      {EACCES, "kernel.io_uring_disabled"},
      {ENOMEM, "memlock"},
  };
  for (const auto& [error, cure] : cases) {
    CAPTURE(error);
    std::string logged;
    std::string thrown;
    std::thread sandboxed([&] {
      test::forbid_call(SYS_io_uring_setup, error);
      const auto log = std::make_shared<Log>(LogOptions{.flush_timeout = std::chrono::minutes(1),
                                                        .sink = [&](std::string_view lines) { logged += lines; }});
      const Runtime automatic({.workers = 1, .log = log});
      CHECK(automatic.engine() == IoEngine::epoll);
      try {
        const Runtime refused({.workers = 1, .io = IoEngine::uring, .log = log});
      } catch (const std::system_error& failure) {
        thrown = failure.what();
      }
    });
    sandboxed.join();
    CHECK(logged.find("io_uring is not available here, using epoll.") != std::string::npos);
    CHECK(logged.find(cure) != std::string::npos);
    CHECK(thrown.find("io_uring is not available.") != std::string::npos);
    CHECK(thrown.find(cure) != std::string::npos);
  }
}

TEST_SUITE_END();

}  // namespace volt
