// SPDX-License-Identifier: MIT

// Tests of Group::files() and http::File over sockets.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "http/web/extract.h"
#include "http/web/file.h"
#include "tests/http/files/scratch_directory.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using files::ScratchDirectory;
using test::HttpClient;
using test::Reply;
using test::ServedApp;

const FileOptions kNoCache{.reload_after = 0ms};

App app_of(const ScratchDirectory& scratch, FileOptions options = kNoCache) {
  App app;
  app.files("/files", scratch.path(), std::move(options));
  return app;
}

std::string get(std::string_view path, std::string_view fields = {}, std::string_view method = "GET") {
  std::string request(method);
  return request.append(" ").append(path).append(" HTTP/1.1\r\nHost: a\r\n").append(fields).append("\r\n");
}

// Content in which no two sections are equal.
std::string numbered(std::size_t bytes) {
  std::string text;
  text.reserve(bytes + 16);
  for (std::size_t i = 0; text.size() < bytes; ++i) text.append(std::to_string(i)).append(" ");
  text.resize(bytes);
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("http/web/files_serve");

TEST_CASE("files below the directory are served, and no other files") {
  const ScratchDirectory outer;
  outer.file("secret", "secret");
  outer.file("public/a.txt", "a");
  outer.file("public/a b.html", "blank");
  outer.file("public/.hidden", "secret");
  outer.file("public/.well-known/b", "known");
  outer.file("public/docs/index.html", "index");
  outer.file("public/bare/c", "c");
  outer.link("public/out", "../secret");
  outer.fifo("public/fifo");
  App app;
  app.files("/files", outer.path("public"), kNoCache);
  ServedApp served(std::move(app));
  const struct {
    std::string why;
    std::string path;
    int status;
    std::string want;  // The body or the Location.
  } cases[] = {
      {"a file", "/files/a.txt", 200, "a"},
      {"a query is ignored", "/files/a.txt?b", 200, "a"},
      {"an escaped name", "/files/a%20b.html", 200, "blank"},
      {"an escaped prefix", "/fil%65s/%61.txt", 200, "a"},
      {"the well-known folder", "/files/.well-known/b", 200, "known"},
      {"an index", "/files/docs/", 200, "index"},
      {"a directory without its slash", "/files/docs?q=1", 301, "./docs/?q=1"},
      {"the mount without its slash", "/files", 301, "./files/"},
      {"no index", "/files/bare/", 404, ""},
      {"no index, no slash", "/files/bare", 404, ""},
      {"a missing file", "/files/none", 404, ""},
      {"hidden", "/files/.hidden", 404, ""},
      {"a link that leads out", "/files/out", 404, ""},
      {"a FIFO does not block", "/files/fifo", 404, ""},
      {"a file with a final slash", "/files/a.txt/", 404, ""},
      {"up", "/files/../secret", 404, ""},
      {"up, escaped", "/files/%2e%2e/secret", 404, ""},
      {"up, half escaped", "/files/.%2e/secret", 404, ""},
      {"up, twice escaped", "/files/%252e%252e/secret", 404, ""},
      {"up, with an escaped slash", "/files/..%2fsecret", 404, ""},
      {"up, with a backslash", "/files/..%5csecret", 404, ""},
      {"up from below", "/files/docs/../../secret", 404, ""},
      {"an absolute path", "/files//etc/passwd", 404, ""},
      {"an absolute path, escaped", "/files/%2fetc/passwd", 404, ""},
      {"a NUL", "/files/a.txt%00", 400, ""},
      {"a line end", "/files/a.txt%0d%0a", 404, ""},
      {"a current folder", "/files/./a.txt", 404, ""},
      {"two slashes", "/files/docs//index.html", 404, ""},
      {"a name too long", "/files/" + std::string(300, 'a'), 404, ""},
      {"a path too long", "/files/" + std::string(5000, 'a'), 404, ""},
  };
  for (const auto& [why, path, status, want] : cases) {
    CAPTURE(why);
    const Reply reply = HttpClient(served.port()).ask(get(path));
    CHECK(reply.status == status);
    if (status == 200) CHECK(reply.body == want);
    if (status == 301) CHECK(reply.field("Location") == want);
    CHECK(!reply.body.contains("secret"));
  }
  HttpClient client(served.port());
  CHECK(client.ask(get("/files/a.txt", {}, "DELETE")).status == 405);
  CHECK(client.ask(get("/files/a.txt", {}, "OPTIONS")).field("Allow") == "GET, HEAD, OPTIONS");
}

TEST_CASE("conditions and ranges are evaluated") {
  const ScratchDirectory scratch;
  scratch.file("a.txt", "0123456789");
  scratch.modified("a.txt", {.tv_sec = 784111777, .tv_nsec = 0});
  for (const bool cached : {false, true}) {
    CAPTURE(cached);
    ServedApp served(app_of(scratch, {.max_age = 60s, .reload_after = cached ? 1h : 0ms}));
    HttpClient client(served.port());
    const Reply whole = client.ask(get("/files/a.txt"));
    const std::string tag(whole.field("ETag"));
    CHECK(whole.field("Last-Modified") == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(whole.field("Content-Type") == "text/plain; charset=utf-8");
    CHECK(whole.field("Cache-Control") == "max-age=60");
    CHECK(whole.field("Accept-Ranges") == "bytes");
    REQUIRE(tag.size() > 2);
    const std::string failed = R"({"title":"Precondition Failed","status":412})";
    const struct {
      std::string fields;
      int status;
      std::string body;
      std::string range;
    } cases[] = {
        {"Accept: */*\r\n", 200, "0123456789", ""},
        {"Range: bytes=2-4\r\n", 206, "234", "bytes 2-4/10"},
        {"Range: bytes=-3\r\n", 206, "789", "bytes 7-9/10"},
        {"Range: bytes=10-\r\n", 416, R"({"title":"Range Not Satisfiable","status":416})", "bytes */10"},
        {"Range: lines=1-2\r\n", 200, "0123456789", ""},
        {"Range: bytes=2-4\r\nIf-Range: " + tag + "\r\n", 206, "234", "bytes 2-4/10"},
        {"Range: bytes=2-4\r\nIf-Range: \"other\"\r\n", 200, "0123456789", ""},
        {"If-None-Match: " + tag + "\r\n", 304, "", ""},
        {"If-None-Match: \"other\"\r\n", 200, "0123456789", ""},
        {"If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 304, "", ""},
        {"If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n", 200, "0123456789", ""},
        {"If-Match: \"other\"\r\n", 412, failed, ""},
        {"If-Match: " + tag + "\r\n", 200, "0123456789", ""},
        {"If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n", 412, failed, ""},
    };
    for (const auto& [fields, status, body, range] : cases) {
      CAPTURE(fields);
      const Reply reply = client.ask(get("/files/a.txt", fields));
      CHECK(reply.status == status);
      CHECK(reply.body == body);
      CHECK(reply.field("Content-Range") == range);
      CHECK(reply.field("Content-Length").empty() == (status == 304));
      CHECK((reply.field("Content-Type") == "application/problem+json") == (status >= 400));
    }
    client.send(get("/files/a.txt", {}, "HEAD"));
    const Reply head = client.read(false);
    CHECK(head.field("Content-Length") == "10");
    CHECK(head.field("ETag") == tag);
    CHECK(client.ask(get("/files/a.txt")).body == "0123456789");  // No body followed the response to HEAD.
  }
}

TEST_CASE("several ranges are parts of one response, for small and for large files") {
  const ScratchDirectory scratch;
  for (const std::size_t bytes : {std::size_t{3000}, std::size_t{300'000}}) {
    const std::string content = numbered(bytes);
    scratch.file("a", content);
    ServedApp served(app_of(scratch));
    HttpClient client(served.port());
    const Reply reply = client.ask(get("/files/a", "Range: bytes=0-1,1000-1002,-3\r\n"));
    CHECK(reply.status == 206);
    const std::string type(reply.field("Content-Type"));
    REQUIRE(type.starts_with("multipart/byteranges; boundary="));
    const std::string boundary = type.substr(type.find('=') + 1);
    const std::string total = "/" + std::to_string(bytes);
    std::string want;
    const auto part = [&](std::size_t begin, std::size_t size) {
      want.append("\r\n--" + boundary + "\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes ")
          .append(std::to_string(begin) + "-" + std::to_string(begin + size - 1) + total + "\r\n\r\n")
          .append(content.substr(begin, size));
    };
    part(0, 2);
    part(1000, 3);
    part(bytes - 3, 3);
    want.append("\r\n--" + boundary + "--\r\n");
    const std::size_t preamble = want.starts_with("\r\n") && !reply.body.starts_with("\r\n") ? 2 : 0;
    CHECK(reply.body == want.substr(preamble));
    const Reply large = client.ask(get("/files/a", "Range: bytes=10-2009\r\n"));
    CHECK(large.body == content.substr(10, 2000));
  }
}

TEST_CASE("a client gets a coding that it accepts and that exists beside the file") {
  const ScratchDirectory scratch;
  scratch.file("a.js", "plain");
  scratch.file("a.js.gz", "gzip");
  scratch.file("a.js.br", "brotli");
  scratch.file("b.js", "only plain");
  ServedApp served(app_of(scratch, {.precompressed = true, .reload_after = 1h}));
  HttpClient client(served.port());
  const struct {
    std::string path;
    std::string accepted;
    std::string coding;
    std::string body;
  } cases[] = {
      {"a.js", "", "", "plain"},
      {"a.js", "gzip", "gzip", "gzip"},
      {"a.js", "gzip, br", "br", "brotli"},
      {"a.js", "gzip, br;q=0.5", "gzip", "gzip"},
      {"a.js", "gzip;q=0, br;q=0", "", "plain"},
      {"a.js", "zstd, gzip;q=0.1", "gzip", "gzip"},
      {"a.js", "identity, gzip;q=0.5", "", "plain"},
      {"a.js", "*", "br", "brotli"},
      {"b.js", "gzip, br", "", "only plain"},
  };
  for (int again = 0; again != 2; ++again) {
    for (const auto& [path, accepted, coding, body] : cases) {
      CAPTURE(accepted);
      const std::string field = accepted.empty() ? "" : "Accept-Encoding: " + accepted + "\r\n";
      const Reply reply = client.ask(get("/files/" + path, field));
      CHECK(reply.body == body);
      CHECK(reply.field("Content-Encoding") == coding);
      CHECK(reply.field("Vary") == "Accept-Encoding");
      CHECK(reply.field("Content-Type") == "text/javascript; charset=utf-8");
    }
  }
}

TEST_CASE("the Content-Length is the size of the body for every size") {
  const ScratchDirectory scratch;
  constexpr std::size_t kBytesMax = 20'000;
  const std::string content = numbered(kBytesMax);
  ServedApp served(app_of(scratch));
  HttpClient client(served.port());
  scratch.file("a", content);
  for (std::size_t bytes = kBytesMax + 1; bytes-- != 0;) {
    REQUIRE(::truncate(scratch.path("a").c_str(), static_cast<off_t>(bytes)) == 0);
    const Reply reply = client.ask(get("/files/a"));
    REQUIRE(reply.field("Content-Length") == std::to_string(bytes));
    REQUIRE(reply.body == std::string_view(content).substr(0, bytes));
  }
}

TEST_CASE("a slow reader receives a large file whole, and its connection stays open") {
  const ScratchDirectory scratch;
  const std::string content = numbered(10 * 1024 * 1024);
  scratch.file("large", content);
  scratch.file("small", "small");
  ServedApp served(app_of(scratch));
  HttpClient client(served.port(), {.receive_bytes = 128 * 1024});
  client.send(get("/files/large") + get("/files/small"));
  std::this_thread::sleep_for(50ms);
  CHECK(client.read().body == content);
  CHECK(client.read().body == "small");
}

TEST_CASE("a file that is truncated while it is sent ends its connection early and never looks complete") {
  const ScratchDirectory scratch;
  scratch.file("large", numbered(16 * 1024 * 1024));
  ServedApp served(app_of(scratch));
  HttpClient client(served.port(), {.receive_bytes = 64 * 1024});
  client.send(get("/files/large"));
  REQUIRE(test::eventually([&] { return client.readable(); }));
  REQUIRE(::truncate(scratch.path("large").c_str(), 100) == 0);
  CHECK_THROWS_AS(static_cast<void>(client.read()), std::runtime_error);
  CHECK(served.has_connections(0));
}

TEST_CASE(
    "a file that is replaced or deleted while it is sent keeps its content; a file that grows does not get longer") {
  const ScratchDirectory scratch;
  const std::string old = numbered(8 * 1024 * 1024);
  scratch.file("large", old);
  ServedApp served(app_of(scratch));
  HttpClient first(served.port(), {.receive_bytes = 64 * 1024});
  HttpClient second(served.port(), {.receive_bytes = 64 * 1024});
  first.send(get("/files/large"));
  second.send(get("/files/large"));
  std::this_thread::sleep_for(50ms);
  std::ofstream(scratch.path("large"), std::ios::app) << "more";
  scratch.file("new", "new");
  std::filesystem::rename(scratch.path("new"), scratch.path("large"));
  CHECK(first.read().body == old);
  CHECK(first.ask(get("/files/large")).body == "new");
  std::filesystem::remove(scratch.path("large"));
  CHECK(second.read().body == old);
  CHECK(second.ask(get("/files/large")).status == 404);
}

TEST_CASE("changes of a file are visible after the cache's reload interval, and not before") {
  const ScratchDirectory scratch;
  scratch.file("a", "old");
  scratch.file("large", numbered(20'000));
  ServedApp patient(app_of(scratch, {.reload_after = 1h}));
  ServedApp quick(app_of(scratch, {.reload_after = 20ms}));
  HttpClient patient_client(patient.port());
  HttpClient quick_client(quick.port());
  for (HttpClient* client : {&patient_client, &quick_client}) {
    CHECK(client->ask(get("/files/a")).body == "old");
    CHECK(client->ask(get("/files/large")).body == numbered(20'000));
  }
  scratch.file("a", "new");
  std::filesystem::remove(scratch.path("large"));
  CHECK(patient_client.ask(get("/files/a")).body == "old");
  CHECK(patient_client.ask(get("/files/large")).body == numbered(20'000));
  CHECK(test::eventually([&] { return quick_client.ask(get("/files/a")).body == "new"; }));
  CHECK(test::eventually([&] { return quick_client.ask(get("/files/large")).status == 404; }));
}

TEST_CASE("a directory that is deleted while it is served responds as an empty directory") {
  const ScratchDirectory outer;
  outer.file("public/a", "a");
  App app;
  app.files("/files", outer.path("public"), kNoCache);
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  CHECK(client.ask(get("/files/a")).status == 200);
  std::filesystem::remove_all(outer.path("public"));
  CHECK(client.ask(get("/files/a")).status == 404);
}

TEST_CASE("mistakes in a mount or a group are reported by the server, with their place") {
  const ScratchDirectory scratch;
  scratch.file("a", "a");
  const auto reported = [](auto&& make_mistake) {
    App app;
    make_mistake(app);
    try {
      const ServedApp served(std::move(app));
    } catch (const std::invalid_argument& mistake) {
      return std::string(mistake.what());
    }
    return std::string("nothing");
  };
  const std::string here = " (files_serve_test.cpp:";
  const std::string missing = reported([](App& app) { app.files("/x", "no/such/directory"); });
  CHECK(missing.starts_with("files '/x'" + here));
  CHECK(missing.ends_with("directory 'no/such/directory': No such file or directory"));
  CHECK(reported([&](App& app) { app.files("/x", scratch.path("a")); }).ends_with("Not a directory"));
  CHECK(reported([&](App& app) { app.files("/x/", scratch.path()); }).ends_with("a prefix must not end with '/'"));
  CHECK(reported([&](App& app) { app.files("/x", scratch.path(), {.immutable = true}); }).contains("max_age"));
  for (const char* prefix : {"api/", "api", "/api/", "/{a"}) {
    const std::string mistake = reported([&](App& app) { static_cast<void>(app.group(prefix)); });
    CHECK(mistake.starts_with("group '" + std::string(prefix) + "'" + here));
    CHECK(mistake.ends_with("a prefix must begin with '/' and must not end with '/'"));
  }
}

TEST_CASE("a mount is part of its group and may be at the root") {
  const ScratchDirectory scratch;
  scratch.file("index.html", "index");
  App app;
  app.get("/hello", [] { return "hello"; });
  app.files("/", scratch.path());
  auto group = app.group("/group/{id}");
  group.use([](Request& request, Next next) -> Task<Response> {
    Response response = co_await next(request);
    response.header("X-Group", "yes");
    co_return response;
  });
  group.files("/files", scratch.path());
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  CHECK(client.ask(get("/hello")).body == "hello");
  CHECK(client.ask(get("/")).body == "index");
  CHECK(client.ask(get("/none")).status == 404);
  const Reply reply = client.ask(get("/group/7/files/index.html"));
  CHECK(reply.body == "index");
  CHECK(reply.field("X-Group") == "yes");
  CHECK(client.ask(get("/group/7/files")).field("Location") == "./files/");
  CHECK(client.ask(get("/group/7/files/none")).field("X-Group") == "yes");
}

TEST_CASE("a handler may return a file") {
  const ScratchDirectory scratch;
  scratch.file("a.txt", "0123456789");
  scratch.file("large", numbered(100'000));
  App app;
  const auto path = [&](std::string_view name) { return scratch.path(name); };
  app.get("/plain", [name = path("a.txt")] { return File(name); });
  app.get("/named", [name = path("a.txt")] { return File(name).download_as("b.txt").max_age(1h); });
  app.get("/typed", [name = path("a.txt")] { return File(name).content_type("text/csv"); });
  app.get("/split", [name = path("a.txt")] { return File(name).content_type("a\r\nb: c"); });
  app.get("/large", [name = path("large")](Request&) { return File::open(name); });
  app.post("/posted", [name = path("a.txt")] { return File(name); });
  app.get("/none", [name = path("none")] { return File(name); });
  app.get("/none_later", [name = path("none")](Request&) { return File::open(name); });
  app.get("/folder", [name = path("")] { return File(name); });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  const Reply plain = client.ask(get("/plain"));
  CHECK(plain.body == "0123456789");
  CHECK(plain.field("Content-Type") == "text/plain; charset=utf-8");
  CHECK(plain.field("Cache-Control") == "no-cache");
  CHECK(client.ask(get("/plain", "Range: bytes=1-2\r\n")).body == "12");
  CHECK(client.ask(get("/plain", "If-None-Match: " + std::string(plain.field("ETag")) + "\r\n")).status == 304);
  const Reply named = client.ask(get("/named"));
  CHECK(named.field("Content-Disposition") == "attachment; filename=\"b.txt\"");
  CHECK(named.field("Cache-Control") == "max-age=3600");
  CHECK(client.ask(get("/typed")).field("Content-Type") == "text/csv");
  CHECK(client.ask(get("/split")).status == 500);
  CHECK(client.ask(get("/large")).body == numbered(100'000));
  CHECK(client.ask(get("/posted", "Range: bytes=1-2\r\nContent-Length: 0\r\n", "POST")).body == "0123456789");
  for (const std::string missing : {"/none", "/none_later", "/folder"}) {
    CAPTURE(missing);
    CHECK(client.ask(get(missing)).status == 404);
  }
}

TEST_SUITE_END();
}  // namespace volt::http
