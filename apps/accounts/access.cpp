// SPDX-License-Identifier: MIT

#include "apps/accounts/access.h"

#include <http/middleware/access.h>
#include <http/middleware/client_address.h>
#include <runtime/logger.h>

#include <utility>

#include "apps/accounts/pages.h"

namespace accounts {
namespace {

namespace http = volt::http;
using http::Next;
using http::Request;
using http::Response;
using http::Session;
using http::Status;

constexpr volt::Logger kAudit("audit");
constexpr const char* kLogin = "login";  // the value of a session that names its login

// The members of a problem (RFC 9457) that a page shows.
struct ShownProblem {
  std::string title;
  std::optional<std::string> detail;
};

http::Middleware require_user(const Store& store, const http::SessionAuthOptions& options) {
  return http::session_auth([store](const Session& session) { return user_of(store, session); }, options);
}

Task<Response> show_problem(Request& request, Next next) {
  Response response = co_await next(request);
  const bool is_page = !request.path().starts_with("/api/");
  if (!is_page || response.content_type() != "application/problem+json") co_return response;
  const auto problem = http::from_json<ShownProblem>(response.body());
  if (!problem) co_return response;
  Response page = error_page(problem->title, problem->detail.value_or(""), response.status());
  page.set_headers(response.headers());
  co_return page;
}

}  // namespace

Task<std::optional<User>> user_of(const Store& store, const Session& session) {
  const std::optional<std::int64_t> login = session.get<std::int64_t>(kLogin);
  if (!login) co_return std::nullopt;
  co_return co_await store.user_of_login(*login);
}

http::Middleware users(const Store& store, std::string cookie) {
  return require_user(store, {.cookie = std::move(cookie)});
}

http::Middleware visitors(const Store& store) { return require_user(store, {.login_page = "/login"}); }

http::Middleware admins() {
  return http::permit<User>([](const User& user) { return user.role == Role::admin; });
}

http::Middleware problem_pages() { return {show_problem}; }

Task<> log_in(const Request& request, Session& session, const Store& store, std::int64_t user, std::string_view how) {
  constexpr std::size_t kAgentBytesMax = 120;
  const std::string_view agent = request.header("user-agent").value_or("");
  std::string address = http::ClientAddress::from(request).text();
  std::string shown(agent.substr(0, kAgentBytesMax));
  const std::int64_t login = co_await store.add_login(user, std::move(address), std::move(shown));
  session.destroy();  // what another user may have left in this browser
  session.rotate();   // session fixation: the id from before is worth nothing
  session.set(kLogin, login);
  audit("logged in", request, user, how);
}

void audit(std::string_view event, const Request& request, std::int64_t user, std::string_view detail) {
  const std::string address = http::ClientAddress::from(request).text();
  kAudit(volt::LogLevel::info, event, {{"user", user}, {"address", address}, {"detail", detail}});
}

}  // namespace accounts
