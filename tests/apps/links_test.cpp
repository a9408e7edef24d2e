// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/links/app.h"
#include "apps/links/files.h"
#include "apps/links/links.h"
#include "http/testing/test_client.h"
#include "tests/apps/on_test_engine.h"
#include "tests/support/directory.h"
#include "tests/support/waiting.h"

namespace links {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using test::on_test_engine;

constexpr std::string_view kPassword = "correct horse";

Task<bool> check_address(std::string url) {
  if (url.contains("unknown")) throw std::runtime_error("this cannot be found out now");
  co_return !url.contains("danger");
}

// The service, and its folder.
struct Service {
  explicit Service(Settings changed = {}) : settings(std::move(changed)) { settings.folder = directory.path(); }
  [[nodiscard]] http::App app() const {
    return make_app(settings, check_address, {.cost = {.memory_kib = 64, .passes = 1, .lanes = 1}});
  }

  volt::test::Directory directory;
  Settings settings;
};

// A browser of a user or a visitor. Others of the service have an app of their own, on the same data.
class Browser {
 public:
  explicit Browser(const Service& service) : client_(service.app(), on_test_engine()) {}

  http::TestBrowser* operator->() { return &browser_; }
  http::TestClient& client() { return client_; }

  http::TestResponse sign_up(std::string_view name) { return enter("/signup", name, kPassword); }
  http::TestResponse enter(std::string_view path, std::string_view name, std::string_view password) {
    return browser_.post(path).form({{"name", name}, {"password", password}}).send();
  }
  http::TestResponse add(std::string_view name, std::string_view url) {
    return browser_.post("/links").form({{"name", name}, {"url", url}}).send();
  }
  // Visits a link that is being checked at first.
  http::TestResponse visit(const std::string& name) {
    const http::TestRequest request = browser_.get("/l/" + name);
    http::TestResponse response = request.send();
    CHECK(volt::test::eventually([&] {
      if (response.status() == 503) response = request.send();
      return response.status() != 503;
    }));
    return response;
  }

 private:
  http::TestClient client_;
  http::TestBrowser browser_ = client_.browser();
};

}  // namespace

TEST_SUITE_BEGIN("apps/links");

TEST_CASE("a user makes an account, and a logout ends the session, also for a copy of its cookie") {
  const Service service;
  Browser laptop(service), phone(service);
  CHECK(laptop->get("/").send().header("location") == "/login");
  CHECK(laptop->get("/login").send().body().contains("Create an account"));
  CHECK(laptop.sign_up("ann").header("location") == "/");
  CHECK(laptop->get("/").send().body().contains("You are ann."));
  CHECK(phone.enter("/login", "ann", kPassword).header("location") == "/");
  CHECK(phone->get("/").send().body().contains("You are ann."));
  const std::string cookie(laptop->cookies().find("session").value_or(""));
  const auto with_copy = [&] { return phone.client().get("/").cookie("session", cookie).send(); };
  CHECK(with_copy().body().contains("You are ann."));
  CHECK(laptop->post("/logout").send().header("location") == "/login");
  CHECK(laptop->get("/").send().header("location") == "/login");
  CHECK(with_copy().header("location") == "/login");
  CHECK(phone->get("/").send().body().contains("You are ann."));
}

TEST_CASE("errors are pages for browsers, and problems for programs") {
  const Service service;
  Browser guest(service);
  for (const std::string_view path : {"/nowhere", "/l/none", "/f/none"}) {
    const http::TestResponse page = guest->get(path).header("Accept", "text/html").send();
    CHECK(page.status() == 404);
    CHECK(page.body().contains("<h1>Not Found</h1>"));
    CHECK(page.header("content-security-policy").value_or("").contains("default-src 'self'"));
    CHECK(guest->get(path).send().header("content-type") == "application/problem+json");
  }
  const http::TestResponse refused = guest->post("/login").cross_site().header("Accept", "text/html").send();
  CHECK(refused.status() == 403);
  CHECK(refused.body().contains("<h1>Forbidden</h1>"));
}

TEST_CASE("a form that does not fit is shown again, with the reason and without the password") {
  const Service service;
  Browser ann(service);
  CHECK(ann.sign_up("ann").status() == 303);
  const struct {
    std::string_view path, name, password, sentence;
  } cases[] = {
      {"/signup", "ann", kPassword, "The name is taken."},
      {"/signup", "<b>", kPassword, "The name must match"},
      {"/signup", "bob", "2 short", "The password must have"},
      {"/login", "ann", "battery staple", "The name or the password is wrong."},
      {"/login", "eve", kPassword, "The name or the password is wrong."},
  };
  for (const auto& [path, name, password, sentence] : cases) {
    CAPTURE(sentence);
    const http::TestResponse refused = ann.enter(path, name, password);
    CHECK(refused.status() == 422);
    CHECK(refused.body().contains(std::string("<p role=\"alert\">") + std::string(sentence)));
    CHECK_FALSE(refused.body().contains("<b>"));
    CHECK_FALSE(refused.body().contains(password));
  }
  CHECK(ann.add("x", "https://volt.example/").body().contains("The name must match"));
  CHECK(ann.add("volt", "javascript:alert(1)").body().contains("The address must match"));
  CHECK(ann.add("volt", "https://volt.example/").header("location") == "/");
  CHECK(ann.add("volt", "https://elsewhere.example/").body().contains("The name is taken."));
}

TEST_CASE("a form of another site is refused") {
  const Service service;
  Browser ann(service);
  CHECK(ann.sign_up("ann").status() == 303);
  CHECK(ann->post("/logout").cross_site().send().status() == 403);
  CHECK(ann->post("/files").cross_site().file("file", "x", "x").send().status() == 403);
  CHECK(ann->get("/").send().body().contains("You are ann."));
}

TEST_CASE("a link leads to its address, unless the address is dangerous or not known to be safe") {
  const Service service;
  Browser ann(service);
  CHECK(ann.sign_up("ann").status() == 303);
  CHECK(ann.add("volt", "https://volt.example/docs?page=1").status() == 303);
  CHECK(ann.add("bad", "https://danger.example/").status() == 303);
  CHECK(ann.add("new", "https://unknown.example/").status() == 303);
  const http::TestResponse found = ann.visit("volt");
  CHECK(found.status() == 302);
  CHECK(found.header("location") == "https://volt.example/docs?page=1");
  CHECK(ann.visit("bad").status() == 410);
  CHECK(ann->get("/l/new").send().header("retry-after") == "1");
  CHECK(ann->get("/l/none").send().status() == 404);
  const auto links = ann->get("/api/links").send().json<std::vector<Link>>();
  REQUIRE(links.size() == 3);
  CHECK(links[0].safety == Safety::dangerous);
  CHECK(links[1].safety == Safety::unknown);
  CHECK(links[2].visits == 1);
}

TEST_CASE("the owner of a link sees its visits while they happen, and other users do not") {
  const Service service;
  Browser ann(service);
  CHECK(ann.sign_up("ann").status() == 303);
  CHECK(ann.add("volt", "https://volt.example/").status() == 303);
  CHECK(ann.visit("volt").status() == 302);
  auto changes = ann->get("/api/changes").open();
  const auto present = changes.read_event();
  REQUIRE(present.has_value());
  CHECK(present->data == R"({"name":"volt","url":"https://volt.example/","safety":"safe","visits":1})");
  CHECK(changes.quiet());
  CHECK(ann->get("/l/volt").send().status() == 302);
  const auto change = changes.read_event();
  REQUIRE(change.has_value());
  CHECK(change->data == R"({"name":"volt","url":"https://volt.example/","safety":"safe","visits":2})");
  CHECK(ann->get("/l/volt").send().status() == 302);
  auto again = ann->get("/api/changes").header("Last-Event-ID", change->id).open();
  const auto missed = again.read_event();
  REQUIRE(missed.has_value());
  CHECK(missed->data.contains(R"("visits":3)"));
  changes.close();
  again.close();
  CHECK(ann->post("/logout").send().status() == 303);
  CHECK(ann.sign_up("bob").status() == 303);
  auto others = ann->get("/api/changes").open();
  CHECK(ann->get("/l/volt").send().status() == 302);
  CHECK(others.quiet());
}

TEST_CASE("programs add, list and remove links by the API") {
  const Service service;
  Browser ann(service);
  const std::string_view volt = R"({"name":"volt","url":"https://volt.example/"})";
  const auto add = [&](std::string_view link) {
    return ann->post("/api/links").body(std::string(link), "application/json").send();
  };
  CHECK(add(volt).status() == 401);
  CHECK(ann.sign_up("ann").status() == 303);
  const http::TestResponse added = add(volt);
  CHECK(added.status() == 201);
  CHECK(added.header("location") == "/l/volt");
  CHECK(add(volt).status() == 409);
  CHECK(add(R"({"name":"V","url":"volt"})").status() == 422);
  CHECK(ann->post("/logout").send().status() == 303);
  CHECK(ann.sign_up("bob").status() == 303);
  CHECK(ann->get("/api/links").send().body() == "[]");
  CHECK(ann->del("/api/links/volt").send().status() == 404);
  CHECK(ann->post("/links/volt/remove").send().status() == 303);
  CHECK(ann.enter("/login", "ann", kPassword).status() == 303);
  CHECK(ann->del("/api/links/volt").send().status() == 204);
  CHECK(ann->get("/l/volt").send().status() == 404);
}

TEST_CASE("an uploaded file is sent to all who know its address, also in parts") {
  const Service service;
  Browser ann(service), guest(service);
  CHECK(ann->post("/files").file("file", "x", "x").send().header("location") == "/login");
  CHECK(ann.sign_up("ann").status() == 303);
  CHECK(ann->post("/files").file("file", "../ü.html", "<script>", "text/html").file("file", "", "").send().status() ==
        303);
  const auto files = ann->get("/api/files").send().json<std::vector<StoredFile>>();
  REQUIRE(files.size() == 1);
  CHECK(files[0].name == "ü.html");
  const std::string path = "/f/" + files[0].id;
  CHECK(ann->get("/").send().body().contains("<a href=\"" + path + "\">ü.html</a>, 8 bytes"));
  const http::TestResponse whole = guest->get(path).send();
  CHECK(whole.body() == "<script>");
  CHECK(whole.header("content-disposition").value_or("").starts_with("attachment"));
  CHECK(whole.header("x-content-type-options") == "nosniff");
  const http::TestResponse part = guest->get(path).header("Range", "bytes=1-3").send();
  CHECK(part.status() == 206);
  CHECK(part.body() == "scr");
  CHECK(guest.sign_up("eve").status() == 303);
  CHECK(guest->del("/api/files/" + files[0].id).send().status() == 404);
  CHECK(guest->get("/f/none").send().status() == 404);
  CHECK(ann->post("/files/" + files[0].id + "/remove").send().status() == 303);
  CHECK(guest->get(path).send().status() == 404);
  CHECK(std::filesystem::is_empty(service.directory.path() / "files"));
}

TEST_CASE("a file that is too large is refused and leaves nothing, and other bodies are smaller") {
  const Service service({.file_bytes_max = 100'000});
  Browser ann(service);
  CHECK(ann.sign_up("ann").status() == 303);
  const auto upload = [&](std::size_t bytes) {
    return ann->post("/api/files").file("file", "x", std::string(bytes, 'x')).send().status();
  };
  CHECK(upload(100'000) == 413);  // with what is around it
  CHECK(std::filesystem::is_empty(service.directory.path() / "files"));
  CHECK(upload(90'000) == 200);
  CHECK(ann->post("/api/links").body(std::string(90'000, ' '), "application/json").send().status() == 413);
}

TEST_CASE("old files are removed, and files of no upload") {
  const Service service({.keep = -1h});  // all files are old
  Browser ann(service);
  CHECK(ann.sign_up("ann").status() == 303);
  CHECK(ann->post("/files").file("file", "a.txt", "content").send().status() == 303);
  const std::filesystem::path folder = service.directory.path() / "files";
  std::ofstream(folder / "under-way") << "part of an upload";
  std::ofstream(folder / "stray") << "of a process that was killed";
  std::filesystem::last_write_time(folder / "stray", std::filesystem::file_time_type::clock::now() - 48h);
  ann.client().clock().advance(1h + 1s);  // not much further: the job and its queries have timeouts
  const auto left = [&] { return std::distance(std::filesystem::directory_iterator(folder), {}); };
  CHECK(volt::test::eventually([&] { return left() == 1; }));
  CHECK(ann->get("/api/files").send().body() == "[]");
  CHECK(std::filesystem::exists(folder / "under-way"));
}

TEST_CASE("what a user writes on one device appears on the others") {
  const Service service;
  Browser ann(service);
  CHECK(ann->websocket("/api/clipboard?device=phone").status() == 401);
  CHECK(ann.sign_up("ann").status() == 303);
  CHECK(ann->websocket("/api/clipboard?device=").status() == 400);
  auto laptop = ann->websocket("/api/clipboard?device=laptop");
  auto phone = ann->websocket("/api/clipboard?device=phone");
  phone.send_text("<b>");
  for (http::TestWebSocket* socket : {&laptop, &phone}) {
    CHECK(socket->receive().payload.contains(R"("data":{"device":"phone","text":"<b>"}})"));
  }
}

TEST_CASE("pages name their assets by hash, and the service describes itself") {
  const Service service;
  Browser ann(service);
  const std::string page = ann->get("/login").send().body();
  const std::size_t begin = page.find("/assets/links.");
  REQUIRE(begin != std::string::npos);
  const http::TestResponse style = ann->get(page.substr(begin, page.find('"', begin) - begin)).send();
  CHECK(style.header("cache-control").value_or("").contains("immutable"));
  CHECK(ann->get("/openapi.json").send().body().contains("/api/links/{name}"));
  CHECK(ann->get("/docs").send().status() == 200);
  CHECK(ann.client().not_ready().empty());
}

TEST_SUITE_END();

}  // namespace links
