// SPDX-License-Identifier: MIT

#include "http/middleware/etag.h"

#include <doctest/doctest.h>

#include <string>

#include "http/middleware/compress.h"
#include "http/server/app.h"
#include "http/web/stream.h"
#include "tests/support/in_process_app.h"

namespace volt::http {
namespace {

using test::InProcessApp;

Task<> write_nothing(BodyWriter&) { co_return; }

App sample_app() {
  App app;
  app.use(compress({.bytes_min = 10}), etag({.bytes_max = 2000}));
  app.get("/a", [] { return Response::text("a").header("Cache-Control", "no-cache"); });
  app.get("/same", [] { return "a"; });
  app.get("/b", [] { return "b"; });
  app.post("/a", [] { return "a"; });
  app.get("/own", [] { return stream("image/png", write_nothing).header("ETag", "\"v1\""); });
  app.get("/dated", [] {
    return Response::text(std::string(2001, 'a')).header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT");
  });
  app.get("/large", [] { return std::string(2001, 'a'); });
  app.get("/long", [] { return std::string(1000, 'a'); });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/middleware/etag");

TEST_CASE("equal bodies have equal tags, different bodies different ones, and large bodies none") {
  InProcessApp asked(sample_app());
  const auto tag = [&](const std::string& path) { return std::string(asked.get(path).header("ETag").value_or("")); };
  CHECK(tag("/a").size() == 24);
  CHECK(tag("/a") == tag("/same"));
  CHECK(tag("/a") != tag("/b"));
  CHECK(tag("/own") == "\"v1\"");
  CHECK(tag("/large") == "");
  CHECK(tag("/none") == "");
  CHECK_FALSE(asked.ask({.method = Method::post, .path = "/a"}).header("ETag"));
}

TEST_CASE("conditions are evaluated in the order of RFC 9110 section 13.2.2") {
  InProcessApp asked(sample_app());
  const std::string tag(asked.get("/a").header("ETag").value());
  const struct {
    std::string_view why;
    Method method;
    std::string path;
    FieldsOf fields;
    int status;
  } cases[] = {
      {"13.1.2: the client has the current form", Method::get, "/a", {{"If-None-Match", tag}}, 304},
      {"tags are compared weakly", Method::get, "/a", {{"If-None-Match", "\"x\", W/" + tag}}, 304},
      {"a request with HEAD", Method::head, "/a", {{"If-None-Match", tag}}, 304},
      {"a different tag", Method::get, "/a", {{"If-None-Match", "\"x\""}}, 200},
      {"13.1.1: the current form has another tag", Method::get, "/a", {{"If-Match", "\"x\""}}, 412},
      {"no condition", Method::get, "/a", {}, 200},
      {"a method other than GET and HEAD", Method::post, "/a", {{"If-None-Match", tag}}, 200},
      {"the handler's own tag on a streamed body", Method::get, "/own", {{"If-None-Match", "\"v1\""}}, 304},
      {"13.1.3: not modified since the date",
       Method::get,
       "/dated",
       {{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}},
       304},
      {"modified since the date", Method::get, "/dated", {{"If-Modified-Since", "Sat, 05 Nov 1994 08:49:37 GMT"}}, 200},
      {"a body without a tag is sent completely", Method::get, "/large", {{"If-None-Match", "*"}}, 200},
      {"a 404 is returned whatever the condition", Method::get, "/none", {{"If-None-Match", "*"}}, 404},
  };
  for (const auto& [why, method, path, fields, status] : cases) {
    CAPTURE(why);
    Response response = asked.ask({.method = method, .path = path, .fields = fields});
    CHECK(code(response.status()) == status);
    if (status != 304) continue;
    CHECK(response.body().empty());
    CHECK(response.stream() == nullptr);
    if (path == "/a") CHECK(response.header("ETag") == tag);
    if (path == "/a") CHECK(response.header("Cache-Control") == "no-cache");
  }
}

TEST_CASE("with compress() and etag() a client can revalidate the coded form") {
  InProcessApp asked(sample_app());
  const Response first = asked.get("/long", {{"Accept-Encoding", "gzip"}});
  const std::string tag(first.header("ETag").value());
  CHECK(tag.starts_with("W/\""));
  CHECK(tag.ends_with("-gzip\""));
  CHECK(asked.get("/long", {{"Accept-Encoding", "gzip"}, {"If-None-Match", tag}}).status() == Status::not_modified);
  CHECK(asked.get("/long", {{"Accept-Encoding", "br"}, {"If-None-Match", tag}}).status() == Status::ok);
}

TEST_SUITE_END();
}  // namespace volt::http
