// SPDX-License-Identifier: MIT

#include "apps/accounts/pages.h"

#include <chrono>
#include <string>

namespace accounts {
namespace {

constexpr std::string_view kStyle =
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:48rem;margin:0 auto;padding:1rem;color:#1b1b1b;background:#fff}"
    "header{margin-bottom:2rem}label{display:block;margin-top:1rem}input{font:inherit;padding:.4rem;width:100%;"
    "max-width:24rem;box-sizing:border-box}button{font:inherit;padding:.4rem 1rem;margin-top:.5rem}"
    "[role=alert]{border-left:.3rem solid #b00020;padding-left:.7rem}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc;overflow-wrap:anywhere}"
    ":focus-visible{outline:3px solid #0b57d0;outline-offset:2px}\n";

Html page(std::string_view title) {
  Html html;
  html.markup("<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n");
  html.markup("<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<title>").text(title);
  html.markup(" - Accounts</title>\n<link rel=stylesheet href=/style.css>\n");
  html.markup("<header><a href=/>Accounts</a></header>\n<main>\n<h1>").text(title).markup("</h1>\n");
  return html;
}

Html& add_token(Html& html, std::string_view csrf_token) {
  return html.markup("<input type=hidden name=csrf_token value=\"").text(csrf_token).markup("\">\n");
}

Html& add_error(Html& html, std::string_view error) {
  if (!error.empty()) html.markup("<p role=alert>").text(error).markup("</p>\n");
  return html;
}

void add_name(Html& html, std::string_view name) {
  html.markup("<label for=name>Name</label>\n<input id=name name=name required maxlength=32 ");
  html.markup("autocapitalize=none autocomplete=username value=\"").text(name).markup("\">\n");
}

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

std::string_view role_name(Role role) noexcept { return role == Role::admin ? "admin" : "member"; }

}  // namespace

Html& Html::text(std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        html_ += "&amp;";
        break;
      case '<':
        html_ += "&lt;";
        break;
      case '>':
        html_ += "&gt;";
        break;
      case '"':
        html_ += "&quot;";
        break;
      case '\'':
        html_ += "&#39;";
        break;
      default:
        html_ += c;
    }
  }
  return *this;
}

Html home_page(const std::optional<User>& user, std::string_view csrf_token) {
  if (!user) {
    Html html = page("Welcome");
    return html.markup("<p>You are not logged in.</p>\n<ul>\n<li><a href=/login>Log in</a></li>\n")
        .markup("<li><a href=/signup>Create an account</a></li>\n</ul>\n</main>\n");
  }
  Html html = page("Your account");
  html.markup("<p>You are logged in as <strong>").text(user->name).markup("</strong>.</p>\n<ul>\n");
  html.markup("<li><a href=/account/sessions>Your sessions</a></li>\n");
  if (user->role == Role::admin) html.markup("<li><a href=/account/admin/users>Users</a></li>\n");
  html.markup("</ul>\n<form method=post action=/account/logout>\n");
  return add_token(html, csrf_token).markup("<button>Log out</button>\n</form>\n</main>\n");
}

Html login_page(const FormPage& form) {
  Html html = page("Log in");
  add_error(html, form.error).markup("<form method=post action=/login/password>\n");
  add_token(html, form.csrf_token).markup("<input type=hidden name=return_to value=\"").text(form.return_to);
  html.markup("\">\n");
  add_name(html, form.name);
  html.markup("<label for=password>Password</label>\n<input id=password name=password type=password required ");
  html.markup("maxlength=128 autocomplete=current-password>\n<button>Log in</button>\n</form>\n");
  if (form.has_oidc) {
    html.markup("<form method=get action=/login/oidc>\n<input type=hidden name=return_to value=\"");
    html.text(form.return_to).markup("\">\n<button>Log in with your organization</button>\n</form>\n");
  }
  return html.markup("<p><a href=/signup>Create an account</a></p>\n</main>\n");
}

Html sign_up_page(const FormPage& form) {
  Html html = page("Create an account");
  add_error(html, form.error).markup("<form method=post action=/signup/new>\n");
  add_token(html, form.csrf_token);
  add_name(html, form.name);
  html.markup("<p id=name-rule>3 to 32 lowercase letters, digits, and - . _</p>\n");
  html.markup("<label for=password>Password</label>\n<input id=password name=password type=password required ");
  html.markup("minlength=12 maxlength=128 autocomplete=new-password aria-describedby=password-rule>\n");
  html.markup("<p id=password-rule>At least 12 characters; several words are good.</p>\n");
  return html.markup("<button>Create</button>\n</form>\n<p><a href=/login>Log in</a></p>\n</main>\n");
}

Html sessions_page(const User& user, const std::vector<Login>& logins, std::string_view csrf_token) {
  Html html = page("Your sessions");
  html.markup("<table>\n<thead><tr><th scope=col>Since<th scope=col>Last use<th scope=col>Address");
  html.markup("<th scope=col>Browser<th scope=col>Action</tr></thead>\n<tbody>\n");
  for (const Login& login : logins) {
    html.markup("<tr><td>").text(text_of(login.created)).markup("<td>").text(text_of(login.used));
    html.markup("<td>").text(login.address).markup("<td>").text(login.agent).markup("<td>");
    if (login.id == user.login) {
      html.markup("this session</tr>\n");
      continue;
    }
    html.markup("<form method=post action=\"/account/sessions/").text(std::to_string(login.id)).markup("/revoke\">\n");
    add_token(html, csrf_token).markup("<button aria-label=\"Log out the session since ");
    html.text(text_of(login.created)).markup("\">Log out</button></form></tr>\n");
  }
  return html.markup("</tbody>\n</table>\n</main>\n");
}

Html users_page(const User& user, const std::vector<Listed>& users, std::string_view csrf_token) {
  Html html = page("Users");
  html.markup("<table>\n<thead><tr><th scope=col>Name<th scope=col>Role<th scope=col>Action</tr></thead>\n<tbody>\n");
  for (const Listed& one : users) {
    html.markup("<tr><td>").text(one.name).markup("<td>").text(role_name(one.role)).markup("<td>");
    if (one.id == user.id) {
      html.markup("you</tr>\n");
      continue;
    }
    html.markup("<form method=post action=\"/account/admin/users/").text(std::to_string(one.id)).markup("/role\">\n");
    const Role next = one.role == Role::admin ? Role::member : Role::admin;
    add_token(html, csrf_token).markup("<input type=hidden name=role value=\"").text(role_name(next));
    html.markup("\">\n<button>Make ").text(one.name).markup(" ").text(role_name(next));
    html.markup("</button></form></tr>\n");
  }
  return html.markup("</tbody>\n</table>\n</main>\n");
}

Html error_page(std::string_view title, std::string_view detail) {
  Html html = page(title.empty() ? "Error" : title);
  return add_error(html, detail).markup("<p><a href=/>To the first page</a></p>\n</main>\n");
}

volt::http::Response style_sheet() {
  volt::http::Response response = volt::http::Response::fixed(kStyle, "text/css; charset=utf-8");
  response.header("Cache-Control", "public, max-age=3600");
  return response;
}

}  // namespace accounts
