// SPDX-License-Identifier: MIT

#include "apps/accounts/accounts.h"

#include <http/middleware/limits.h>
#include <http/middleware/security.h>
#include <http/openapi/openapi.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "apps/accounts/access.h"
#include "apps/accounts/pages.h"

namespace accounts {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using namespace volt::literals;
using http::Form;
using http::From;
using http::OidcClient;
using http::Passwords;
using http::Path;
using http::Query;
using http::Request;
using http::Response;
using http::Session;
using http::State;
using http::Status;

constexpr std::size_t kPasswordBytesMax = 128;  // bounds the work of the hash function

struct Features {
  bool oidc = false;
};

struct Entry {
  std::string name;
  std::string password;
  std::string return_to = "/";
};

struct ReturnTo {
  std::string return_to = "/";
};

struct NewRole {
  Role role;
};

bool is_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  return name.size() >= 3 && name.size() <= 32 && std::ranges::all_of(name, is_allowed);
}

std::string local(std::string_view path) { return http::is_local_path(path) ? std::string(path) : "/"; }

Task<Response> home(From<Session> session, State<Store> store) {
  const std::optional<User> user = co_await user_of(*store, *session);
  co_return home_page(user, session->csrf_token());
}

Response show_sign_up(From<Session> session) { return sign_up_page({.csrf_token = session->csrf_token()}); }

Response show_login(Query<ReturnTo> query, From<Session> session, State<Features> features) {
  return login_page({.csrf_token = session->csrf_token(), .return_to = query->return_to, .has_oidc = features->oidc});
}

// The sentence names what the user can mend. This form tells whether a name is taken, which only a confirmation by
// e-mail could hide. The rate limit bounds how many names a client can try.
Task<Response> sign_up(Request& request, Form<Entry> entry, From<Session> session, State<Store> store,
                       State<Passwords> passwords) {
  const auto refuse = [&](std::string_view sentence) {
    return sign_up_page({.csrf_token = session->csrf_token(), .error = sentence, .name = entry->name},
                        Status::unprocessable_content);
  };
  if (!is_name(entry->name)) co_return refuse("The name must have 3 to 32 lowercase letters, digits, and - . _");
  if (entry->password.size() < 12 || entry->password.size() > kPasswordBytesMax) {
    co_return refuse("The password must have 12 to 128 characters.");
  }
  std::string hash = co_await passwords->hash(entry->password);
  const auto user = co_await store->add_user(entry->name, std::move(hash), Role::member);
  if (!user) co_return refuse("This name is taken.");
  audit("signed up", request, *user);
  co_await log_in(request, *session, *store, *user, "password");
  co_return http::redirect("/");
}

// One sentence for an unknown name and for a wrong password, after the same time: the response does not tell which
// names exist.
Task<Response> log_in_by_password(Request& request, Form<Entry> entry, From<Session> session, State<Store> store,
                                  State<Passwords> passwords, State<Features> features) {
  std::optional<Credentials> known;
  if (is_name(entry->name)) known = co_await store->credentials(entry->name);
  std::optional<std::string> hash;
  if (known) hash = known->password_hash;
  std::string password = entry->password.substr(0, kPasswordBytesMax + 1);
  const bool matches = co_await passwords->verify(std::move(password), hash);
  if (!matches) {
    audit("login failed", request, known ? known->id : 0);
    co_return login_page({.csrf_token = session->csrf_token(),
                          .error = "The name or the password is wrong.",
                          .name = entry->name,
                          .return_to = entry->return_to,
                          .has_oidc = features->oidc},
                         Status::unprocessable_content);
  }
  if (passwords->needs_rehash(*hash)) {
    std::string newer = co_await passwords->hash(entry->password);
    co_await store->replace_hash(known->id, std::move(newer));
  }
  co_await log_in(request, *session, *store, known->id, "password");
  co_return http::redirect(local(entry->return_to));
}

Task<Response> begin_oidc(Request& request, Query<ReturnTo> query, State<OidcClient> oidc) {
  http::OidcBegin begin{.return_to = query->return_to};
  co_return co_await oidc->begin(request, std::move(begin));
}

struct ProfileClaims {
  std::optional<std::string> preferred_username;
};

Task<Response> finish_oidc(Request& request, From<Session> session, State<Store> store, State<OidcClient> oidc) {
  const http::OidcLogin login = co_await oidc->finish(request, *session);
  const auto profile = http::from_json<ProfileClaims>(login.claims.payload);
  std::string name = profile ? profile->preferred_username.value_or("") : "";
  if (!is_name(name)) name = "user";
  const std::int64_t user =
      co_await store->user_of_identity(login.claims.issuer, login.claims.subject, std::move(name));
  co_await log_in(request, *session, *store, user, "oidc");
  co_return login.redirect();
}

Task<Response> log_out(Request& request, From<Session> session, From<User> user, State<Store> store) {
  co_await store->end_login(user->id, user->login);
  session->destroy();
  audit("logged out", request, user->id);
  co_return http::redirect("/");
}

Task<Response> show_sessions(From<Session> session, From<User> user, State<Store> store) {
  const std::vector<Login> logins = co_await store->logins_of(user->id);
  co_return sessions_page(*user, logins, session->csrf_token());
}

Task<> end_session(const Request& request, const User& user, const Store& store, std::int64_t login) {
  const bool ended = co_await store.end_login(user.id, login);
  if (!ended) throw http::not_found("there is no such session");
  audit("session revoked", request, user.id, std::to_string(login));
}

Task<Response> revoke(Request& request, Path<std::int64_t> login, From<User> user, State<Store> store) {
  co_await end_session(request, *user, *store, *login);
  co_return http::redirect("/account/sessions");
}

Task<Response> show_users(From<Session> session, From<User> user, State<Store> store) {
  const std::vector<Listed> listed = co_await store->users();
  co_return users_page(*user, listed, session->csrf_token());
}

Task<Response> change_role(Request& request, Path<std::int64_t> id, Form<NewRole> form, From<User> user,
                           State<Store> store) {
  if (*id == user->id) throw http::conflict("admins cannot change their own role, so that one is left");
  const bool changed = co_await store->set_role(*id, form->role);
  if (!changed) throw http::not_found("there is no such user");
  audit("role changed", request, user->id, std::to_string(*id) + (form->role == Role::admin ? " admin" : " member"));
  co_return http::redirect("/account/admin/users");
}

Listed me(From<User> user) { return {.id = user->id, .name = user->name, .role = user->role}; }

Task<std::vector<Login>> list_sessions(From<User> user, State<Store> store) {
  co_return co_await store->logins_of(user->id);
}

Task<> erase_session(Request& request, Path<std::int64_t> login, From<User> user, State<Store> store) {  // 204
  co_await end_session(request, *user, *store, *login);
}

Task<std::vector<Listed>> list_users(State<Store> store) { co_return co_await store->users(); }

http::Middleware login_limit(const Options& options) {
  return http::rate_limit({.per_second = 1.0 / 6, .burst = options.login_burst});
}

void add_pages(http::App& app, const Store& store, const Options& options) {
  app.get("/", home).hidden();
  app.get("/signup", show_sign_up).hidden();
  app.get("/login", show_login).hidden();
  app.get("/style.css", style_sheet).hidden();
  auto signup = app.group("/signup");
  signup.use(login_limit(options));
  signup.post("/new", sign_up).hidden();
  auto login = app.group("/login");
  login.use(login_limit(options));
  login.post("/password", log_in_by_password).hidden();
  if (options.oidc) {
    login.get("/oidc", begin_oidc).hidden();
    login.get("/callback", finish_oidc).hidden();
  }
  auto own = app.group("/account");
  own.use(visitors(store));
  own.post("/logout", log_out).hidden();
  own.get("/sessions", show_sessions).hidden();
  own.post("/sessions/{id}/revoke", revoke).hidden();
  auto admin = own.group("/admin");
  admin.use(admins());
  admin.get("/users", show_users).hidden();
  admin.post("/users/{id}/role", change_role).hidden();
}

void add_api(http::App& app, const Store& store, const std::string& cookie) {
  auto api = app.group("/api/v1");
  api.use(users(store, cookie));
  api.get("/me", me).summary("The user who is logged in").operation_id("me").tag("users");
  api.get("/sessions", list_sessions).summary("The user's sessions").operation_id("list_sessions").tag("sessions");
  api.del("/sessions/{id}", erase_session)
      .summary("Logs a session out")
      .operation_id("revoke_session")
      .tag("sessions")
      .responses(Status::not_found, "The user has no such session");
  auto admin = api.group("/admin");
  admin.use(admins());
  admin.get("/users", list_users).summary("All users, for admins").operation_id("list_users").tag("users");
}

Task<> prepare(Store store, Passwords passwords, std::string admin, std::string admin_password) {
  co_await store.migrate();
  if (admin_password.empty()) co_return;
  const auto known = co_await store.credentials(admin);
  if (known) co_return;
  std::string hash = co_await passwords.hash(std::move(admin_password));
  static_cast<void>(co_await store.add_user(std::move(admin), std::move(hash), Role::admin));
}

}  // namespace

http::App make_app(const Store& store, Options options) {
  const std::string cookie = options.secure ? "__Host-session" : "session";
  const Passwords passwords(options.passwords);
  http::App app;
  app.before_listen([store, passwords, admin = options.admin, password = options.admin_password] {
    return prepare(store, passwords, admin, password);
  });
  app.ready_when("database", [store]() -> Task<bool> {
    co_await store.probe();
    co_return true;
  });
  app.state(store);
  app.state(passwords);
  app.state(Features{.oidc = options.oidc.has_value()});
  if (options.oidc) app.state(*options.oidc);
  app.use(http::security_headers(
      {.content_security_policy = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'"}));
  app.use(http::timeout(10s), http::body_limit(16_KiB));
  app.use(http::sessions({.keys = options.keys,
                          .cookie = cookie,
                          .secure = options.secure,
                          .life_time = std::chrono::days(Store::kLoginDays)}),
          problem_pages(), http::csrf());
  add_pages(app, store, options);
  add_api(app, store, cookie);
  app.openapi("/openapi.json", {.title = "Accounts", .version = "1.0.0", .description = "Users and their sessions."});
  app.on_error([](const volt::sqlite::Unavailable&) { return http::unavailable().retry_after(1s); });
  return app;
}

}  // namespace accounts
