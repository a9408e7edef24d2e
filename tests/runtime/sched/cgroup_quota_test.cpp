// SPDX-License-Identifier: MIT

#include "runtime/sched/cgroup_quota.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
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

}  // namespace volt::sched
