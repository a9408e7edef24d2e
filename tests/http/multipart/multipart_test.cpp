// SPDX-License-Identifier: MIT

#include "http/multipart/multipart.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "http/http.h"
#include "http/web/extract.h"
#include "tests/http/in_process_app.h"
#include "tests/support/directory.h"

namespace volt::http {
namespace {

constexpr std::string_view kType = "multipart/form-data; boundary=b";

std::string part(std::string_view name, std::string_view content, std::string_view more = {}) {
  std::string text = "--b\r\nContent-Disposition: form-data; name=\"";
  return text.append(name).append("\"").append(more).append("\r\n\r\n").append(content).append("\r\n");
}

const std::string kTwo =
    part("title", "a pen") + part("file", "\r\n--ink\r\n", "; filename=\"../pen.txt\"") + "--b--\r\n";

template <class F>
Response upload(F handler, std::string body, std::size_t piece_bytes = 5, std::string_view type = kType) {
  App app;
  app.post("/", std::move(handler));
  return InProcessApp(std::move(app))
      .ask({.method = Method::post,
            .fields = {{"content-type", type}},
            .body = std::move(body),
            .piece_bytes = piece_bytes});
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Formats each part as "name(file name)=content;".
Task<std::string> list(Multipart form) {
  std::string text;
  while (auto part = co_await form.next()) {
    text += part->name();
    if (part->file_name()) text += "(" + part->safe_file_name() + ")";
    text += "=";
    text += co_await part->text();
    text += ";";
  }
  co_return text;
}

Task<std::string> skip(Multipart form) {
  std::string names;
  while (auto part = co_await form.next()) names += part->name() + ";";
  const auto more = co_await form.next();
  names += more ? "more" : "end";
  co_return names;
}

// Reads only some parts, and those only in part.
Task<std::string> begin_each(Multipart form) {
  std::string text;
  while (auto part = co_await form.next()) {
    const auto piece = co_await part->read();
    text += piece->substr(0, 1);
  }
  co_return text;
}

Task<std::string> few(Multipart form) {
  form.limits({.parts_max = 1});
  co_return co_await list(std::move(form));
}

Task<std::string> small(Multipart form) {
  form.limits({.body_bytes_max = 100});
  co_return co_await list(std::move(form));
}

Task<std::string> short_title(Multipart form) {
  auto part = co_await form.next();
  co_return co_await part->text(4);
}

}  // namespace

TEST_SUITE_BEGIN("http/multipart/multipart");

TEST_CASE("parts arrive in order with their content, however the body is split") {
  for (std::size_t piece_bytes = 1; piece_bytes <= kTwo.size(); ++piece_bytes) {
    CAPTURE(piece_bytes);
    CHECK(upload(list, kTwo, piece_bytes).body() == "title=a pen;file(pen.txt)=\r\n--ink\r\n;");
    if (piece_bytes > 16) piece_bytes += 13;
  }
}

TEST_CASE("parts that are not read are skipped") {
  CHECK(upload(skip, kTwo).body() == "title;file;end");
  CHECK(upload(begin_each, kTwo).body() == "a\r");
}

TEST_CASE("the metadata of a part are available") {
  const auto tell = [](Multipart form) -> Task<std::string> {
    auto part = co_await form.next();
    std::string told(part->content_type());
    told.append(" ").append(part->headers().find("x").value_or("none")).append(" ").append(*part->file_name());
    co_return told;
  };
  CHECK(upload(tell, part("a", "", "; filename=\"../p\"\r\nContent-Type: image/png\r\nX: y") + "--b--").body() ==
        "image/png y ../p");
}

TEST_CASE("a body that is not a form, malformed or too large is a problem") {
  const struct {
    std::string why;
    Task<std::string> (*handler)(Multipart);
    std::string type, body;
    int status;
  } cases[] = {
      {"another type", list, "application/json", kTwo, 415},
      {"no content type", list, "", kTwo, 415},
      {"no boundary", list, "multipart/form-data", kTwo, 400},
      {"a truncated body", list, std::string(kType), kTwo.substr(0, kTwo.size() - 8), 400},
      {"a truncated body whose parts are skipped", skip, std::string(kType), kTwo.substr(0, kTwo.size() - 8), 400},
      {"a part without a name", list, std::string(kType), "--b\r\n\r\n\r\n--b--", 400},
      {"an empty body", list, std::string(kType), "", 400},
      {"an endless epilogue", list, std::string(kType), kTwo + std::string(2000, 'x'), 413},
      {"too many parts", few, std::string(kType), kTwo, 413},
      {"a body that is too large", small, std::string(kType), kTwo, 413},
      {"a part that is too large", short_title, std::string(kType), kTwo, 413},
  };
  for (const auto& [why, handler, type, body, status] : cases) {
    CAPTURE(why);
    const Response response = upload(handler, body, 5, type);
    CHECK(code(response.status()) == status);
    CHECK(response.content_type() == "application/problem+json");
  }
}

TEST_CASE("a body that middleware has read whole is parsed too, and limited") {
  const auto read_first = [](Request& request, Next next) -> Task<Response> {
    co_await request.read_body();
    co_return co_await next(request);
  };
  App app;
  app.use(read_first);
  app.post("/", list);
  app.post("/small", small);
  InProcessApp asked(std::move(app));
  AppRequest question{.method = Method::post, .fields = {{"content-type", kType}}, .body = kTwo};
  CHECK(asked.ask(question).body() == "title=a pen;file(pen.txt)=\r\n--ink\r\n;");
  question.path = "/small";
  CHECK(code(asked.ask(question).status()) == 413);
}

TEST_CASE("a part is saved as a new file with mode 0600") {
  const test::Directory directory;
  const std::string path = directory.path() / "saved";
  const auto save = [&](Multipart form) -> Task<std::string> {
    auto part = co_await form.next();
    const std::uint64_t size = co_await part->save_to(path, 1 << 20);
    co_return std::to_string(size);
  };
  std::string content(700'000, 'x');
  content += "end";
  CHECK(upload(save, part("a", content) + "--b--", 60'000).body() == "700003");
  CHECK(content_of(path) == content);
  struct ::stat facts{};
  REQUIRE(::stat(path.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777) == 0600);

  CHECK(upload(save, part("a", "other") + "--b--").status() == Status::internal_server_error);  // The file exists.
  CHECK(content_of(path) == content);
}

TEST_CASE("no link is followed, and a file that failed is removed") {
  const test::Directory directory;
  const auto left = [&] {
    return std::distance(std::filesystem::directory_iterator(directory.path()), std::filesystem::directory_iterator());
  };
  const std::string path = directory.path() / "a";
  const auto save = [&](Multipart form) -> Task<std::string> {
    auto part = co_await form.next();
    const std::uint64_t size = co_await part->save_to(path, 5);
    co_return std::to_string(size);
  };
  CHECK(upload(save, part("a", "12345") + "--b--").body() == "5");
  std::filesystem::remove(path);
  CHECK(code(upload(save, part("a", "123456") + "--b--").status()) == 413);
  CHECK(left() == 0);
  CHECK(code(upload(save, part("a", "123")).status()) == 400);
  CHECK(left() == 0);

  std::filesystem::create_symlink(directory.path() / "target", path);
  CHECK(upload(save, part("a", "123") + "--b--").status() == Status::internal_server_error);
  CHECK(std::filesystem::is_symlink(path));
  CHECK(left() == 1);
}

TEST_CASE("small content is spooled in memory, larger content in an unnamed file") {
  const test::Directory directory;
  const std::string folder = directory.path();
  const auto spool = [&](Multipart form) -> Task<std::string> {
    std::string told;
    while (auto part = co_await form.next()) {
      const SpoolOptions options{.memory_bytes_max = 4, .disk_bytes_max = 600'000, .directory = folder};
      Spooled spooled = co_await part->spool(options);
      told += spooled.in_memory() ? "memory " : "file ";
      told += std::to_string(spooled.size()) + " ";
      told += spooled.memory();
      std::string end(4, '?');
      const std::size_t count = co_await spooled.read(spooled.size() - 2, end);
      told += " " + end.substr(0, count);
      const std::size_t none = co_await spooled.read(spooled.size(), end);
      told += none == 0 && std::filesystem::is_empty(folder) && spooled.in_memory() == (spooled.fd() < 0) ? ";" : "?";
      const std::string copy = folder + "/copy";
      co_await spooled.save_to(copy);
      told += std::to_string(std::filesystem::file_size(copy)) + ";";
      std::filesystem::remove(copy);
    }
    co_return told;
  };
  const std::string large(599'999, 'x');
  CHECK(upload(spool, part("a", "1234") + part("b", "12345") + part("c", large + "y") + "--b--", 70'000).body() ==
        "memory 4 1234 34;4;file 5  45;5;file 600000  xy;600000;");
  CHECK(code(upload(spool, part("c", large + "yz") + "--b--", 70'000).status()) == 413);
  CHECK(std::filesystem::is_empty(folder));
}

TEST_SUITE_END();
}  // namespace volt::http
