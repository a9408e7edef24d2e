// SPDX-License-Identifier: MIT

#include "apps/files/files.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "http/testing/test_client.h"
#include "tests/apps/on_test_engine.h"
#include "tests/support/directory.h"

namespace files {
namespace {

namespace http = volt::http;
using test::on_test_engine;

void write(const std::filesystem::path& path, const std::string& content) { std::ofstream(path) << content; }

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Site {
  volt::test::Directory directory;
  std::filesystem::path shown = directory.path() / "shown";
  std::filesystem::path uploads = directory.path() / "deep" / "uploads";
  http::TestClient client;

  Site() : client((std::filesystem::create_directory(shown), make_app(folders())), on_test_engine()) {}
  Folders folders() const { return {.folder = shown, .uploads = uploads, .upload_bytes_max = 1000}; }

  http::TestResponse upload(const std::string& file_name, const std::string& content) {
    return client.post("/upload").part("note", "text").file("file", file_name, content).send();
  }
};

}  // namespace

TEST_SUITE_BEGIN("apps/files");

TEST_CASE("a folder is shown, and not what lies beside it") {
  Site site;
  write(site.shown / "index.html", "<p>hello");
  write(site.shown / ".secret", "secret");
  write(site.directory.path() / "beside", "secret");
  const auto index = site.client.get("/").send();
  CHECK(index.body() == "<p>hello");
  CHECK(index.header("Content-Type") == "text/html; charset=utf-8");
  CHECK(index.header("Cache-Control").value_or("").find("max-age=60") != std::string::npos);
  for (const std::string path : {"/none", "/.secret", "/../beside", "/%2e%2e/beside"}) {
    CAPTURE(path);
    CHECK(site.client.get(path).send().body().find("secret") == std::string::npos);
  }
}

TEST_CASE("a client that takes gzip gets the sibling") {
  Site site;
  write(site.shown / "a.css", "a {}");
  write(site.shown / "a.css.gz", "as if compressed");
  const auto packed = site.client.get("/a.css").header("Accept-Encoding", "gzip").send();
  CHECK(packed.body() == "as if compressed");
  CHECK(packed.header("Content-Encoding") == "gzip");
  CHECK(packed.header("Content-Type") == "text/css; charset=utf-8");
  CHECK(site.client.get("/a.css").send().body() == "a {}");
}

TEST_CASE("an upload is kept, and is served as an attachment") {
  Site site;
  const auto answer = site.upload("a.html", "<script>");
  REQUIRE(answer.status() == 200);
  CHECK(answer.body() == R"([{"name":"a.html","bytes":8}])");
  CHECK(read(site.uploads / "a.html") == "<script>");
  const auto served = site.client.get("/uploads/a.html").send();
  CHECK(served.body() == "<script>");
  CHECK(served.header("Content-Disposition") == "attachment");
  CHECK(served.header("X-Content-Type-Options") == "nosniff");
}

TEST_CASE("nothing is replaced") {
  Site site;
  CHECK(site.upload("a", "first").status() == 200);
  CHECK(site.upload("a", "second").status() == 409);
  CHECK(read(site.uploads / "a") == "first");
}

TEST_CASE("a client's path is not followed") {
  Site site;
  CHECK(site.upload("../../beside", "x").status() == 200);
  CHECK_FALSE(std::filesystem::exists(site.directory.path() / "beside"));
  CHECK(read(site.uploads / "beside") == "x");
}

TEST_CASE("an upload beyond the limit is refused and leaves nothing") {
  Site site;
  CHECK(site.upload("large", std::string(1001, 'x')).status() == 413);
  CHECK(std::filesystem::is_empty(site.uploads));
  CHECK(site.client.post("/upload").body("text").send().status() == 415);
}

TEST_CASE("a server of a folder that is missing does not start") {
  const volt::test::Directory directory;
  const Folders folders{.folder = directory.path() / "none", .uploads = directory.path() / "uploads"};
  CHECK_THROWS_AS(http::TestClient(make_app(folders)), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace files
