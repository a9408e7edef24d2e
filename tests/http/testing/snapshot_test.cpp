// SPDX-License-Identifier: MIT

#include "http/testing/snapshot.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "http/http.h"
#include "http/openapi/openapi.h"
#include "http/testing/response.h"
#include "tests/support/directory.h"

namespace volt::http {
namespace {

constexpr const char* kVariable = "VOLT_UPDATE_SNAPSHOTS";

// The variable of the environment, for one test.
class Updating {
 public:
  explicit Updating(const char* value = "1") { ::setenv(kVariable, value, 1); }
  ~Updating() { ::unsetenv(kVariable); }
  Updating(const Updating&) = delete;
  Updating& operator=(const Updating&) = delete;
};

std::string failure_of(std::string_view json, const std::string& path) {
  try {
    require_json_snapshot(json, path);
  } catch (const TestFailure& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("http/testing/snapshot");

TEST_CASE("a snapshot of an API is written on demand only, and shows what has changed") {
  const test::Directory directory;
  const std::string path = (directory.path() / "openapi.json").string();
  App app;
  app.get("/pens", [] { return "pens"; });
  const std::string before = app.openapi({.title = "Shop", .version = "1"});
  const std::string missing = failure_of(before, path);
  CHECK(missing.contains("there is no snapshot " + path));
  CHECK(missing.contains("run the test with VOLT_UPDATE_SNAPSHOTS=1"));
  {
    const Updating off("0");
    CHECK_FALSE(failure_of(before, path).empty());
  }
  CHECK_FALSE(std::filesystem::exists(path));
  {
    const Updating updating;
    CHECK(failure_of(before, path) == "");
  }
  CHECK(failure_of(before, path) == "");

  app.get("/inks", [] { return "inks"; });
  const std::string after = app.openapi({.title = "Shop", .version = "1"});
  const std::string changed = failure_of(after, path);
  CHECK(changed.contains("differs from the snapshot " + path));
  CHECK(changed.contains("\n+     \"/inks\": {\n"));
  CHECK_FALSE(changed.contains("\n- "));
  {
    const Updating updating;
    CHECK(failure_of(after, path) == "");
  }
  CHECK(failure_of(before, path).contains("\n-     \"/inks\": {\n"));
}

TEST_CASE("a snapshot that cannot be written is an error") {
  const Updating updating;
  CHECK_THROWS_AS(require_json_snapshot("{}", "/none/such/file.json"), std::system_error);
}

}  // namespace volt::http
