// SPDX-License-Identifier: MIT

#include "runtime/sched/cgroup_quota.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/directory.h"

namespace volt::sched {

TEST_SUITE_BEGIN("runtime/sched/cgroup_quota");

TEST_CASE("the smallest quota of a group and its ancestors counts, rounded up") {
  struct File {
    std::string path;
    std::string text;
  };
  const struct {
    std::string why;
    std::string groups;
    std::vector<File> files;
    std::uint32_t want;
  } cases[] = {
      {"no control group is known", "", {}, 0},
      {"a container of version 2", "0::/\n", {{"cpu.max", "150000 100000\n"}}, 2},
      {"no quota", "0::/\n", {{"cpu.max", "max 100000\n"}}, 0},
      {"the root group has no quota file", "0::/a\n", {{"a/cpu.max", "50000 100000\n"}}, 1},
      {"a service in a slice",
       "0::/a.slice/b\n",
       {{"a.slice/b/cpu.max", "max 100000\n"}, {"a.slice/cpu.max", "200000 100000\n"}},
       2},
      {"the inner group has the smaller quota",
       "0::/a/b\n",
       {{"a/b/cpu.max", "100000 100000\n"}, {"a/cpu.max", "300000 100000\n"}},
       1},
      {"the quota of another group is ignored", "0::/a\n", {{"b/cpu.max", "50000 100000\n"}}, 0},
      {"version 1",
       "5:memory:/a\n4:cpu,cpuacct:/a\n0::/a\n",
       {{"cpu/a/cpu.cfs_quota_us", "250000\n"}, {"cpu/a/cpu.cfs_period_us", "100000\n"}},
       3},
      {"version 1, no quota",
       "4:cpu,cpuacct:/\n",
       {{"cpu/cpu.cfs_quota_us", "-1\n"}, {"cpu/cpu.cfs_period_us", "100000\n"}},
       0},
      {"version 1, the path is that of outside the container",
       "4:cpuacct,cpu:/docker/1f\n",
       {{"cpu/cpu.cfs_quota_us", "50000\n"}, {"cpu/cpu.cfs_period_us", "100000\n"}},
       1},
      {"a hierarchy without the cpu controller",
       "4:cpuset:/\n",
       {{"cpu/cpu.cfs_quota_us", "50000\n"}, {"cpu/cpu.cfs_period_us", "100000\n"}},
       0},
      {"a quota beyond the range counts as none", "0::/\n", {{"cpu.max", "9000000000000000000 1\n"}}, 0},
      {"malformed lines", "x\n:\n0:\n0::\n", {{"cpu.max", "50000 100000\n"}}, 0},
  };
  for (const auto& [why, groups, files, want] : cases) {
    CAPTURE(why);
    const test::Directory folder;
    std::ofstream(folder.path() / "cgroup") << groups;
    for (const auto& [path, text] : files) {
      const std::filesystem::path file = folder.path() / "mount" / path;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << text;
    }
    CHECK(quota_processors(folder.path() / "cgroup", folder.path() / "mount") == want);
  }
}

TEST_CASE("the throttled time is that of all groups that contain the process") {
  struct File {
    std::string path;
    std::string text;
  };
  const struct {
    std::string why;
    std::string groups;
    std::vector<File> files;
    std::optional<std::int64_t> want_ns;
  } cases[] = {
      {"no control group is known", "", {}, std::nullopt},
      {"a group without a quota does not count", "0::/\n", {{"cpu.stat", "usage_usec 5\n"}}, std::nullopt},
      {"version 2 counts microseconds",
       "0::/\n",
       {{"cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 250\nnr_bursts 0\n"}},
       250'000},
      {"a service in a slice",
       "0::/a.slice/b\n",
       {{"a.slice/b/cpu.stat", "throttled_usec 1\n"}, {"a.slice/cpu.stat", "throttled_usec 20\n"}},
       21'000},
      {"version 1 counts nanoseconds",
       "4:cpu,cpuacct:/a\n",
       {{"cpu/a/cpu.stat", "nr_periods 9\nnr_throttled 3\nthrottled_time 123456789\n"}},
       123'456'789},
      {"never throttled", "0::/\n", {{"cpu.stat", "throttled_usec 0\n"}}, 0},
      {"another group", "0::/a\n", {{"b/cpu.stat", "throttled_usec 7\n"}}, std::nullopt},
  };
  for (const auto& [why, groups, files, want_ns] : cases) {
    CAPTURE(why);
    const test::Directory folder;
    std::ofstream(folder.path() / "cgroup") << groups;
    for (const auto& [path, text] : files) {
      const std::filesystem::path file = folder.path() / "mount" / path;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << text;
    }
    CHECK(throttled_ns(folder.path() / "cgroup", folder.path() / "mount") == want_ns);
  }
}

}  // namespace volt::sched
