// SPDX-License-Identifier: MIT

#include "http/middleware/compress.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "http/coding/internal/decoder.h"
#include "http/coding/internal/encoder.h"
#include "http/middleware/limits.h"
#include "http/server/app.h"
#include "http/web/extract.h"
#include "http/web/problem.h"
#include "http/web/stream.h"
#include "tests/http/coding/sample_content.h"
#include "tests/support/http_client.h"
#include "tests/support/in_process_app.h"
#include "tests/support/served_app.h"

namespace volt::http {
namespace {

using test::InProcessApp;

const std::string& sample() {
  static const std::string text = [] {
    std::string lines;
    for (int i = 0; i != 4000; ++i) lines += "line " + std::to_string(i * 2654435761u % 1000003) + " of a text\n";
    return lines;
  }();
  return text;
}

std::string decoded(ContentCoding coding, std::string_view coded) {
  const auto plain = coding::decode_whole(coding, coded, {});
  return plain ? *plain : "not " + std::string(to_string(coding));
}

// Returns the bytes that can be decoded from a stream that has not ended.
std::string decodable(ContentCoding coding, std::string_view coded) {
  const auto decoder = coding::make_decoder(coding, {});
  std::string plain;
  const auto step = decoder->update(coded, plain, 1 << 20);
  return step ? plain : "broken";
}

Task<> write_in_pieces(BodyWriter& out) {
  for (std::size_t at = 0; at < sample().size(); at += 1000) {
    const std::string_view piece = std::string_view(sample()).substr(at, 1000);
    co_await out.write(piece);
  }
  out.trailer("Checksum", "1");
}

Task<> write_events(BodyWriter& out) {
  co_await out.write("data: one\n\n");
  co_await out.flush();
  co_await out.write("data: two\n\n");
  co_await out.flush();
  co_await out.flush();
}

class FileText final : public StreamBody {
 public:
  explicit FileText(int fd) : fd_(fd) {}
  ~FileText() override { ::close(fd_); }
  [[nodiscard]] Task<> write_to(BodyWriter& out) override { return out.write_file(fd_, 5, sample().size() - 5); }
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return sample().size() - 5; }

 private:
  int fd_;
};

int file_of(const std::string& text) {
  const int fd = ::memfd_create("volt_compress_test", MFD_CLOEXEC);
  REQUIRE(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  return fd;
}

App sample_app(CompressOptions options = {}) {
  App app;
  app.use(compress(std::move(options)));
  app.get("/text", [] { return Response::text(sample()).header("ETag", "\"abc\"").header("Accept-Ranges", "bytes"); });
  app.get("/small", [] { return "small"; });
  app.get("/image", [] { return Response::text(sample()).header("Content-Type", "image/png"); });
  app.get("/coded", [] { return Response::text(sample()).header("Content-Encoding", "gzip"); });
  app.get("/as-is", [] { return Response::text(sample()).header("Cache-Control", "no-transform"); });
  app.get("/digest", [] { return Response::text(sample()).header("Content-Digest", "sha-256=:abc=:"); });
  app.get("/part", [] { return Response::text(sample(), Status::partial_content); });
  app.get("/same", [] { return Response(Status::not_modified).header("Vary", "Origin"); });
  app.get("/random", [] {
    std::minstd_rand random(1);
    std::string bytes(4096, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() >> 8);
    return Response::text(std::move(bytes));
  });
  app.get("/stream", [] { return stream("text/plain", write_in_pieces); });
  app.get("/events", [] { return stream("text/event-stream", write_events); });
  app.get("/file", [] { return Response::streamed(std::make_unique<FileText>(file_of(sample())), "text/plain"); });
  return app;
}

FieldsOf accept(const std::string& codings) { return {{"Accept-Encoding", codings}}; }

}  // namespace

TEST_SUITE_BEGIN("http/middleware/compress");

TEST_CASE("a response is compressed in the coding that the client prefers") {
  InProcessApp asked(sample_app());
  const struct {
    std::string_view why;
    FieldsOf fields;
    ContentCoding want;
  } cases[] = {
      {"9110 12.5.3: no Accept-Encoding", {}, ContentCoding::identity},
      {"equal weights: the coding with the smallest result", accept("gzip, br, zstd"), ContentCoding::br},
      {"different weights: the client's preference", accept("gzip, br;q=0.5"), ContentCoding::gzip},
      {"zstd alone", accept("zstd"), ContentCoding::zstd},
      {"only unsupported codings", accept("compress"), ContentCoding::identity},
      {"identity is refused and nothing else is accepted: identity anyway", accept("identity;q=0"),
       ContentCoding::identity},
  };
  for (const auto& [why, fields, want] : cases) {
    CAPTURE(why);
    Response response = asked.get("/text", fields);
    CHECK(response.header("Vary") == "Accept-Encoding");
    if (want == ContentCoding::identity) {
      CHECK_FALSE(response.header("Content-Encoding"));
      CHECK(response.body() == sample());
      CHECK(response.header("ETag") == "\"abc\"");
    } else {
      CHECK(response.header("Content-Encoding") == to_string(want));
      CHECK(response.header("ETag") == "W/\"abc-" + std::string(to_string(want)) + "\"");
      CHECK_FALSE(response.header("Accept-Ranges"));
      CHECK(response.body().size() < sample().size() / 4);
      CHECK(decoded(want, response.body()) == sample());
    }
  }
}

TEST_CASE("responses that would not shrink, or must not change, are not compressed") {
  InProcessApp asked(sample_app());
  const struct {
    std::string_view why;
    std::string path;
    std::string vary;
  } cases[] = {
      {"smaller than bytes_min", "/small", ""},
      {"a type that is compressed by itself", "/image", ""},
      {"a response with Content-Encoding", "/coded", ""},
      {"9111 5.2.2.6: no-transform", "/as-is", ""},
      {"9110 15.3.7: a range of the plain form", "/part", ""},
      {"9530 2: a digest of the plain form", "/digest", ""},
      {"9110 15.4.5: 304 has the Vary of the 200", "/same", "Origin"},
      {"a body that would grow", "/random", "Accept-Encoding"},
      {"an event stream, by default", "/events", ""},
  };
  for (const auto& [why, path, vary] : cases) {
    CAPTURE(why);
    const Response response = asked.get(path, accept("br"));
    CHECK(response.header("Content-Encoding").value_or("") == (path == "/coded" ? "gzip" : ""));
    CHECK(response.header("Vary").value_or("") == vary);
  }
}

TEST_CASE("a response to HEAD has the fields of the response to GET") {
  InProcessApp asked(sample_app());
  const test::AppRequest question{.method = Method::head, .path = "/text", .fields = accept("gzip")};
  const Response head = asked.ask(question);
  const Response get = asked.get("/text", accept("gzip"));
  CHECK(head.headers().lines() == get.headers().lines());
  CHECK(head.body_size() == get.body_size());
}

TEST_CASE("a client that has the coded form gets a 304") {
  InProcessApp asked(sample_app());
  const struct {
    std::string_view why;
    Method method;
    std::string accepts, has;
    int status;
  } cases[] = {
      {"the tag of the form that would be sent", Method::get, "br", "W/\"abc-br\"", 304},
      {"the tag in a list", Method::get, "br", "\"x\", W/\"abc-br\"", 304},
      {"a request with HEAD", Method::head, "br", "W/\"abc-br\"", 304},
      {"9110 8.8.3.3: the tag of another form", Method::get, "gzip", "W/\"abc-br\"", 200},
      {"the tag of another version", Method::get, "br", "W/\"abd-br\"", 200},
      {"any tag", Method::get, "br", "*", 304},
  };
  for (const auto& [why, method, accepts, has, status] : cases) {
    CAPTURE(why);
    const test::AppRequest question{
        .method = method, .path = "/text", .fields = {{"Accept-Encoding", accepts}, {"If-None-Match", has}}};
    const Response response = asked.ask(question);
    CHECK(code(response.status()) == status);
    CHECK(response.header("ETag") == "W/\"abc-" + accepts + "\"");
    if (status == 304) CHECK(response.body().empty());
  }
}

TEST_CASE("a streamed body is compressed while it is written, and its trailers follow") {
  InProcessApp asked(sample_app());
  for (const ContentCoding coding : coding::kPreferredCodings) {
    CAPTURE(std::string(to_string(coding)));
    for (int round = 0; round != 2; ++round) {  // the second round reuses the encoder of the first
      Response response = asked.get("/stream", accept(std::string(to_string(coding))));
      REQUIRE(response.stream() != nullptr);
      CHECK_FALSE(response.body_size());
      test::CollectingWriter writer;
      asked.runtime().block_on([&] { return response.stream()->write_to(writer); });
      CHECK(decoded(coding, writer.text) == sample());
      CHECK(writer.trailers.find("Checksum") == "1");
    }
  }
}

TEST_CASE("a file is read and compressed") {
  InProcessApp asked(sample_app());
  Response response = asked.get("/file", accept("zstd"));
  CHECK_FALSE(response.body_size());
  CHECK(decoded(ContentCoding::zstd, asked.body_of(response)) == sample().substr(5));
}

TEST_CASE("each event can be decoded once it has been flushed") {
  InProcessApp asked(sample_app({.event_streams = true}));
  for (const ContentCoding coding : coding::kPreferredCodings) {
    CAPTURE(std::string(to_string(coding)));
    Response response = asked.get("/events", accept(std::string(to_string(coding))));
    CHECK(response.header("Content-Encoding") == to_string(coding));
    test::CollectingWriter writer;
    asked.runtime().block_on([&] { return response.stream()->write_to(writer); });
    REQUIRE(writer.flushed_at.size() == 3);
    CHECK(decodable(coding, writer.text.substr(0, writer.flushed_at[0])) == "data: one\n\n");
    CHECK(decodable(coding, writer.text.substr(0, writer.flushed_at[1])) == "data: one\n\ndata: two\n\n");
    CHECK(writer.flushed_at[2] == writer.flushed_at[1]);  // the encoder held no bytes back
    CHECK(decoded(coding, writer.text) == "data: one\n\ndata: two\n\n");
  }
}

TEST_CASE("codings that can only be decoded are refused when the app is built") {
  for (const ContentCoding coding : {ContentCoding::deflate, ContentCoding::identity}) {
    CHECK_THROWS_AS(static_cast<void>(compress({.codings = {coding}})), std::invalid_argument);
  }
}

TEST_CASE("a coded request body is decoded before a handler sees it") {
  const std::string text = sample().substr(0, 5000);
  const auto in = [](ContentCoding coding, const std::string& plain) { return coding::encode_whole(coding, plain); };
  const std::string zeros(8 << 20, '0');
  const std::string gzip = in(ContentCoding::gzip, text);
  const struct {
    std::string_view why;
    FieldsOf fields;
    std::string body;
    int status;
    std::string want;
  } cases[] = {
      {"no coding", {}, text, 200, text},
      {"gzip", {{"Content-Encoding", "gzip"}}, gzip, 200, text},
      {"br", {{"Content-Encoding", "br"}}, in(ContentCoding::br, text), 200, text},
      {"zstd", {{"Content-Encoding", "zstd"}}, in(ContentCoding::zstd, text), 200, text},
      {"two codings, decoded in reverse order",
       {{"Content-Encoding", "gzip, br"}},
       in(ContentCoding::br, gzip),
       200,
       text},
      {"an empty body", {{"Content-Encoding", "gzip"}}, "", 200, ""},
      {"9110 15.5.16: an unknown coding", {{"Content-Encoding", "compress"}}, "x", 415, ""},
      {"a body in another format than its coding", {{"Content-Encoding", "gzip"}}, "text", 400, ""},
      {"a truncated body", {{"Content-Encoding", "gzip"}}, gzip.substr(0, gzip.size() / 2), 400, ""},
      {"extra bytes after the coded body", {{"Content-Encoding", "br"}}, in(ContentCoding::br, text) + "x", 400, ""},
      {"a decompression bomb", {{"Content-Encoding", "br"}}, in(ContentCoding::br, zeros), 413, ""},
      {"beyond the body_limit() after decompress()",
       {{"Content-Encoding", "gzip"}},
       in(ContentCoding::gzip, sample()),
       413,
       ""},
  };
  App app;
  app.use(decompress(), decompress(), body_limit(50'000));
  app.post("/whole", [](Request& request) { return std::string(request.body()); });
  app.post("/pieces", [](BodyStream body) -> Task<std::string> {
    std::string all;
    while (const auto piece = co_await body.read()) all += *piece;
    co_return all;
  });
  InProcessApp asked(std::move(app));
  for (const auto& [why, fields, body, status, want] : cases) {
    CAPTURE(why);
    for (const char* path : {"/whole", "/pieces"}) {
      CAPTURE(std::string(path));
      const Response response = asked.ask({.method = Method::post, .path = path, .fields = fields, .body = body});
      CHECK(code(response.status()) == status);
      if (status == 200) CHECK(response.body() == want);
      if (status == 413)
        CHECK(response.body().contains("the decoded body is too large, or much larger than the coded"));
      if (status == 415) CHECK(response.header("Accept-Encoding") == "br, zstd, gzip, deflate");
    }
  }
}

TEST_CASE("the decoded size of a body is bounded, whatever its compression ratio") {
  const std::string seven_mib = coding::sample_text(7 * 1024 * 1024);
  const std::string nine_mib = coding::sample_text(9 * 1024 * 1024);
  App app;
  app.use(decompress());
  app.post("/size", [](Request& request) { return std::to_string(request.body().size()); });
  InProcessApp asked(std::move(app));
  const auto status_of = [&](const std::string& text) {
    const Response response = asked.ask({.method = Method::post,
                                         .path = "/size",
                                         .fields = {{"Content-Encoding", "gzip"}},
                                         .body = coding::encode_whole(ContentCoding::gzip, text)});
    return code(response.status());
  };
  CHECK(status_of(seven_mib) == 200);
  CHECK(status_of(nine_mib) == 413);
}

TEST_CASE("over a socket: coded requests and responses, split at any byte") {
  App app;
  app.use(compress(), decompress());
  app.post("/echo", [](Request& request) { return Response::text(std::string(request.body())); });
  app.get("/stream", [] { return stream("text/plain", write_in_pieces); });
  test::ServedApp served(std::move(app));
  test::HttpClient client(served.port());
  const std::string body = coding::encode_whole(ContentCoding::gzip, sample());
  const std::string head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nAccept-Encoding: br\r\n";
  const test::Reply whole = client.ask(head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  CHECK(whole.status == 200);
  CHECK(decoded(ContentCoding::br, whole.body) == sample());
  client.send(head + "Transfer-Encoding: chunked\r\n\r\n");
  for (const char byte : body.substr(0, 40)) client.send(std::string("1\r\n") + byte + "\r\n");
  client.send("ffff\r\n" + std::string(0xffff, 'x') + "\r\n0\r\n\r\n");
  CHECK(client.read().status == 400);
  test::HttpClient other(served.port());
  const test::Reply streamed = other.ask("GET /stream HTTP/1.0\r\nHost: a\r\nAccept-Encoding: zstd\r\n\r\n");
  CHECK(streamed.field("Content-Encoding") == "zstd");
  CHECK(streamed.field("Vary") == "Accept-Encoding");
}

TEST_SUITE_END();
}  // namespace volt::http
