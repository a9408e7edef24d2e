// SPDX-License-Identifier: MIT

#include "apps/links/app.h"

#include <http/middleware/access.h>
#include <http/middleware/compress.h>
#include <http/middleware/limits.h>
#include <http/middleware/security.h>
#include <http/middleware/session.h>
#include <http/openapi/openapi.h>
#include <http/web/assets.h>
#include <sessions/sqlite_sessions.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "apps/links/clipboard.h"
#include "apps/links/files.h"
#include "apps/links/links.h"
#include "apps/links/pages.h"
#include "apps/links/schema.h"
#include "apps/links/upkeep.h"
#include "apps/links/users.h"

namespace links {
namespace {

namespace http = volt::http;
namespace sqlite = volt::sqlite;
using namespace std::chrono_literals;
using namespace volt::literals;

http::Middleware require_user(const Users& users, const std::string& cookie, std::string login_page = {}) {
  return http::session_auth([users](const http::Session& session) { return users.of(session); },
                            {.cookie = cookie, .login_page = std::move(login_page)});
}

// The groups differ in their middleware: an upload may be large and take long, a login is tried a few times only.
void add_routes(http::App& app, const Users& users, const std::string& cookie) {
  auto quick = app.group("");
  quick.use(http::timeout(5s), http::body_limit(64_KiB));
  auto logins = quick.group("");
  logins.use(http::rate_limit({.per_second = 0.2, .burst = 10}));
  auto members = quick.group("");
  members.use(require_user(users, cookie, "/login"));
  auto uploads = app.group("");
  uploads.use(require_user(users, cookie, "/login"));
  add_pages({.visitors = quick, .logins = logins, .members = members, .uploads = uploads});

  auto api = quick.group("/api");
  api.use(require_user(users, cookie));
  auto api_uploads = app.group("/api");
  api_uploads.use(require_user(users, cookie));
  add_link_routes(quick, api);
  add_file_routes(quick, api, api_uploads);
  add_clipboard(app, api);
}

}  // namespace

http::App make_app(const Settings& settings, Checker checker, http::PasswordOptions passwords) {
  const bool secure = settings.public_url->starts_with("https:");
  const std::string cookie = secure ? "__Host-session" : "session";
  std::filesystem::create_directories(settings.folder);
  const sqlite::Pool db({.path = settings.folder + "/links.db"});
  const sqlite::JobQueue queue = check_queue(db);
  const Users users(db, http::Passwords(std::move(passwords)));
  const Links links(db, queue);
  const Files files(db, settings.folder + "/files", settings.file_bytes_max);
  const http::Assets assets("/assets", settings.assets);

  http::App app;
  app.state(settings).state(db).state(users).state(links).state(files).state(assets);
  app.before_listen([db] { return sqlite::migrate(db, schema()); });
  app.before_listen([db] { return volt::sessions::SqliteSessions::create_table(db); });
  app.use(http::security_headers({.content_security_policy = "default-src 'self'; base-uri 'none'; "
                                                             "frame-ancestors 'none'"}),
          http::compress(), error_pages(),
          http::sessions({.keys = http::CookieKeys::random(),  // for forms of visitors, which a restart may forget
                          .cookie = cookie,
                          .secure = secure,
                          .store = std::make_shared<volt::sessions::SqliteSessions>(db)}),
          http::csrf());
  app.get("/assets/{file...}", assets).hidden();
  add_routes(app, users, cookie);
  add_checks(app, queue, links, std::move(checker));
  add_upkeep(app, db, files, settings.keep);
  app.openapi("/openapi.json", {.title = "links", .version = "1.0.0"}).openapi_page("/docs");
  app.on_error([](const sqlite::Unavailable&) { return http::unavailable().retry_after(1s); });
  return app;
}

}  // namespace links
