// SPDX-License-Identifier: MIT

#include "runtime/memory_use.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/directory.h"

namespace volt {
namespace {

using test::Directory;

void write(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/memory_use");

TEST_CASE("memory use is that of the cgroup with the lowest limit, without pages of files") {
  struct File {
    std::string path;
    std::string text;
  };
  struct Case {
    std::string why;
    std::string membership;
    std::vector<File> files;
    std::uint64_t limit;  // 0: no limit is found
    std::uint64_t used;
  };
  const std::string v2_stat = "anon 100\nfile 70\ninactive_file 20\nactive_file 30\n";
  const Case cases[] = {
      {"no cgroup at all", "", {}, 0, 0},
      {"version 2, no limit", "0::/app\n", {{"app/memory.max", "max\n"}}, 0, 0},
      {"version 2, the process's own cgroup has a limit",
       "0::/app\n",
       {{"app/memory.max", "1000\n"}, {"app/memory.current", "150\n"}, {"app/memory.stat", v2_stat}},
       1000,
       100},
      {"version 2, the parent cgroup has a lower limit",
       "0::/slice/app\n",
       {{"slice/app/memory.max", "1000\n"},
        {"slice/memory.max", "800\n"},
        {"slice/memory.current", "400\n"},
        {"slice/memory.stat", v2_stat}},
       800,
       350},
      {"version 2, a container that sees its own cgroup as the root",
       "0::/docker/0123\n",
       {{"memory.max", "900\n"}, {"memory.current", "60\n"}, {"memory.stat", v2_stat}},
       900,
       10},
      {"version 2, pages of files were reclaimed between the two reads",
       "0::/\n",
       {{"memory.max", "900\n"}, {"memory.current", "10\n"}, {"memory.stat", v2_stat}},
       900,
       0},
      {"version 1, where no limit is reported as a large number",
       "4:memory:/app\n0::/\n",
       {{"memory/app/memory.limit_in_bytes", "9223372036854771712\n"}},
       0,
       0},
      {"version 1, mounted with another controller, with totals that include child cgroups",
       "7:cpu,cpuacct:/x\n4:hugetlb,memory:/app\n",
       {{"memory/app/memory.limit_in_bytes", "1000\n"},
        {"memory/app/memory.usage_in_bytes", "700\n"},
        {"memory/app/memory.stat", "active_file 1\ninactive_file 2\ntotal_active_file 100\ntotal_inactive_file 200\n"}},
       1000,
       400},
      {"a controller whose name only starts with memory",
       "4:memoryless:/app\n",
       {{"memory/app/memory.limit_in_bytes", "1"}},
       0,
       0},
      {"nonsense", "memory\n::\n0::\n", {{"memory.max", "much"}}, 0, 0},
  };
  for (const auto& [why, membership, files, limit, used] : cases) {
    CAPTURE(why);
    const Directory directory;
    write(directory.path() / "self", membership);
    for (const auto& [path, text] : files) write(directory.path() / "mount" / path, text);
    const auto use = MemoryUse::of_cgroup((directory.path() / "mount").string(), (directory.path() / "self").string());
    CHECK(use.has_value() == (limit != 0));
    if (!use) continue;
    CHECK(use->limit_bytes() == limit);
    CHECK(use->used_bytes() == used);
  }
}

TEST_CASE("memory that a process has filled counts as used") {
  constexpr std::size_t kBytes = 64 * 1024 * 1024;
  const MemoryUse use = MemoryUse::of_process(1000);
  CHECK(use.limit_bytes() == 1000);
  const std::uint64_t before = use.used_bytes();
  CHECK(before > 0);
  std::vector<std::byte> filled(kBytes, std::byte{1});
  CHECK(use.used_bytes() >= before + kBytes / 2);  // other parts of the process may have freed memory
  CHECK(filled.back() == std::byte{1});
}

TEST_SUITE_END();
}  // namespace volt
