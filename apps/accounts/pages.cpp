// SPDX-License-Identifier: MIT

#include "apps/accounts/pages.h"

#include <http/html/form.h>
#include <http/html/template.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace accounts {
namespace {

namespace http = volt::http;
using http::CsrfField;
using http::Response;
using http::Status;

constexpr std::string_view kStyle =
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:48rem;margin:0 auto;padding:1rem;color:#1b1b1b;background:#fff}"
    "header{margin-bottom:2rem}label{display:block;margin-top:1rem}input{font:inherit;padding:.4rem;width:100%;"
    "max-width:24rem;box-sizing:border-box}button{font:inherit;padding:.4rem 1rem;margin-top:.5rem}"
    "[role=alert]{border-left:.3rem solid #b00020;padding-left:.7rem}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc;overflow-wrap:anywhere}"
    ":focus-visible{outline:3px solid #0b57d0;outline-offset:2px}\n";

template <class Content>
struct Page {
  std::string_view title;
  Content content;
  static constexpr http::Template html = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}} - Accounts</title>
<link rel="stylesheet" href="/style.css">
<header><a href="/">Accounts</a></header>
<main>
<h1>{{title}}</h1>
{{content}}</main>
)";
};

template <class Content>
Response page(std::string_view title, Content content, Status status = Status::ok) {
  return http::page(Page<Content>{title, std::move(content)}, status);
}

struct Alert {
  std::string_view sentence;  // empty: none
  static constexpr http::Template html = R"({{if sentence}}<p role="alert">{{sentence}}</p>
{{end}})";
};

struct NameField {
  std::string_view name;
  static constexpr http::Template html = R"(<label for="name">Name</label>
<input id="name" name="name" required maxlength="32" autocapitalize="none" autocomplete="username" value="{{name}}">
)";
};

struct Welcome {
  static constexpr http::Template html = R"(<p>You are not logged in.</p>
<ul>
<li><a href="/login">Log in</a></li>
<li><a href="/signup">Create an account</a></li>
</ul>
)";
};

struct Home {
  std::string_view name;
  bool is_admin;
  CsrfField token;
  static constexpr http::Template html = R"(<p>You are logged in as <strong>{{name}}</strong>.</p>
<ul>
<li><a href="/account/sessions">Your sessions</a></li>
{{if is_admin}}<li><a href="/account/admin/users">Users</a></li>
{{end}}</ul>
<form method="post" action="/account/logout">
{{token}}
<button>Log out</button>
</form>
)";
};

struct LoginForm {
  Alert error;
  CsrfField token;
  NameField name;
  std::string_view return_to;
  bool has_oidc;
  static constexpr http::Template html = R"({{error}}<form method="post" action="/login/password">
{{token}}
<input type="hidden" name="return_to" value="{{return_to}}">
{{name}}<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="128" autocomplete="current-password">
<button>Log in</button>
</form>
{{if has_oidc}}<form method="get" action="/login/oidc">
<input type="hidden" name="return_to" value="{{return_to}}">
<button>Log in with your organization</button>
</form>
{{end}}<p><a href="/signup">Create an account</a></p>
)";
};

struct SignUpForm {
  Alert error;
  CsrfField token;
  NameField name;
  static constexpr http::Template html = R"({{error}}<form method="post" action="/signup/new">
{{token}}
{{name}}<p id="name-rule">3 to 32 lowercase letters, digits, and - . _</p>
<label for="password">Password</label>
<input id="password" name="password" type="password" required minlength="12" maxlength="128"
  autocomplete="new-password" aria-describedby="password-rule">
<p id="password-rule">At least 12 characters; several words are good.</p>
<button>Create</button>
</form>
<p><a href="/login">Log in</a></p>
)";
};

struct SessionRow {
  std::int64_t id;
  std::string since;
  std::string last_use;
  std::string_view address;
  std::string_view agent;
  bool is_this;
  CsrfField token;
  static constexpr http::Template html =
      R"(<tr><td>{{since}}<td>{{last_use}}<td>{{address}}<td>{{agent}}<td>{{if is_this}}this session{{else}}
<form method="post" action="/account/sessions/{{id}}/revoke">
{{token}}
<button aria-label="Log out the session since {{since}}">Log out</button></form>{{end}}</tr>
)";
};

struct Sessions {
  std::vector<SessionRow> rows;
  static constexpr http::Template html = R"(<table>
<thead><tr><th scope="col">Since<th scope="col">Last use<th scope="col">Address<th scope="col">Browser
<th scope="col">Action</tr></thead>
<tbody>
{{for row in rows}}{{row}}{{end}}</tbody>
</table>
)";
};

struct UserRow {
  std::int64_t id;
  std::string_view name;
  Role role;
  Role next;
  bool is_this;
  CsrfField token;
  static constexpr http::Template html = R"(<tr><td>{{name}}<td>{{role}}<td>{{if is_this}}you{{else}}
<form method="post" action="/account/admin/users/{{id}}/role">
{{token}}
<input type="hidden" name="role" value="{{next}}">
<button>Make {{name}} {{next}}</button></form>{{end}}</tr>
)";
};

struct Users {
  std::vector<UserRow> rows;
  static constexpr http::Template html = R"(<table>
<thead><tr><th scope="col">Name<th scope="col">Role<th scope="col">Action</tr></thead>
<tbody>
{{for row in rows}}{{row}}{{end}}</tbody>
</table>
)";
};

struct Failure {
  Alert detail;
  static constexpr http::Template html = R"({{detail}}<p><a href="/">To the first page</a></p>
)";
};

CsrfField field_of(std::string_view csrf_token) { return {.token = std::string(csrf_token)}; }

// Returns a time as 2026-11-26 12:00 UTC.
std::string text_of(std::int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  const auto two = [](auto number) { return std::string(number < 10 ? "0" : "") + std::to_string(number); };
  return std::to_string(static_cast<int>(date.year())) + "-" + two(static_cast<unsigned>(date.month())) + "-" +
         two(static_cast<unsigned>(date.day())) + " " + two(clock.hours().count()) + ":" +
         two(clock.minutes().count()) + " UTC";
}

}  // namespace

Response home_page(const std::optional<User>& user, std::string_view csrf_token) {
  if (!user) return page("Welcome", Welcome());
  return page("Your account", Home{user->name, user->role == Role::admin, field_of(csrf_token)});
}

Response login_page(const FormPage& form, Status status) {
  const LoginForm view{{form.error}, field_of(form.csrf_token), {form.name}, form.return_to, form.has_oidc};
  return page("Log in", view, status);
}

Response sign_up_page(const FormPage& form, Status status) {
  return page("Create an account", SignUpForm{{form.error}, field_of(form.csrf_token), {form.name}}, status);
}

Response sessions_page(const User& user, const std::vector<Login>& logins, std::string_view csrf_token) {
  Sessions view;
  for (const Login& login : logins) {
    view.rows.push_back({login.id, text_of(login.created), text_of(login.used), login.address, login.agent,
                         login.id == user.login, field_of(csrf_token)});
  }
  return page("Your sessions", std::move(view));
}

Response users_page(const User& user, const std::vector<Listed>& users, std::string_view csrf_token) {
  Users view;
  for (const Listed& one : users) {
    const Role next = one.role == Role::admin ? Role::member : Role::admin;
    view.rows.push_back({one.id, one.name, one.role, next, one.id == user.id, field_of(csrf_token)});
  }
  return page("Users", std::move(view));
}

Response error_page(std::string_view title, std::string_view detail, Status status) {
  return page(title.empty() ? "Error" : title, Failure{{detail}}, status);
}

Response style_sheet() {
  Response response = Response::fixed(kStyle, "text/css; charset=utf-8");
  response.header("Cache-Control", "public, max-age=3600");
  return response;
}

}  // namespace accounts
