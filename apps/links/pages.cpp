// SPDX-License-Identifier: MIT

#include "apps/links/pages.h"

#include <http/html/form.h>
#include <http/html/template.h>
#include <http/middleware/problem_pages.h>
#include <http/web/assets.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/links/files.h"
#include "apps/links/links.h"
#include "apps/links/settings.h"
#include "apps/links/users.h"

namespace links {
namespace {

namespace http = volt::http;
using http::CsrfField;
using http::FormFields;
using http::FormInput;
using http::From;
using http::Path;
using http::Response;
using http::Session;
using http::State;
using http::Status;

template <class Content>
struct Layout {
  std::string title;
  http::TrustedUrl style;
  http::TrustedUrl script;
  Content content;
  static constexpr http::Template html =
#include "apps/links/layout.html"
      ;
};

struct LoginPage {
  CsrfField csrf;
  FormFields<Credentials> form;
  std::string error;
  static constexpr http::Template html =
#include "apps/links/login.html"
      ;
};

struct HomePage {
  std::string user;
  std::string public_url;
  CsrfField csrf;
  FormFields<NewLink> form;
  std::vector<Link> links;
  std::vector<StoredFile> files;
  static constexpr http::Template html =
#include "apps/links/home.html"
      ;
};

struct ErrorPage {
  std::string detail;
  static constexpr http::Template html =
#include "apps/links/error.html"
      ;
};

template <class Content>
Response show(const http::Assets& assets, std::string title, Content content, Status status = Status::ok) {
  return http::page(
      Layout<Content>{std::move(title), assets.url("links.css"), assets.url("links.js"), std::move(content)}, status);
}

Response error_page(From<http::ProblemDetails> problem, State<http::Assets> assets) {
  return show(*assets, problem->title, ErrorPage{problem->detail});
}

Response login_page(const http::Assets& assets, CsrfField csrf) {
  return show(assets, "Log in", LoginPage{std::move(csrf), {}, {}});
}

Response refused(const http::Assets& assets, CsrfField csrf, const FormInput<Credentials>& in) {
  FormFields<Credentials> form = in.fields();
  form.of(&Credentials::password).value.clear();  // it is not sent back
  return show(assets, "Log in", LoginPage{std::move(csrf), std::move(form), in.error()}, Status::unprocessable_content);
}

Response show_login(State<http::Assets> assets, CsrfField csrf) { return login_page(*assets, std::move(csrf)); }

Task<Response> log_in(FormInput<Credentials> in, From<Session> session, State<Users> users, State<http::Assets> assets,
                      CsrfField csrf) {
  std::optional<User> user;
  if (in) user = co_await users->verify(*in);
  if (in && !user) in.refuse("The name or the password is wrong.");
  if (!user) co_return refused(*assets, std::move(csrf), in);
  Users::log_in(*session, *user);
  co_return http::redirect("/");
}

Task<Response> sign_up(FormInput<Credentials> in, From<Session> session, State<Users> users, State<http::Assets> assets,
                       CsrfField csrf) {
  std::optional<User> user;
  if (in) user = co_await users->add(*in);
  if (in && !user) in.refuse(&Credentials::name, "is taken");
  if (!user) co_return refused(*assets, std::move(csrf), in);
  Users::log_in(*session, *user);
  co_return http::redirect("/");
}

Response log_out(From<Session> session) {
  session->destroy();
  return http::redirect("/login");
}

// The request and the state that the page of a user needs.
struct Home {
  const User& user;
  const Settings& settings;
  const Links& links;
  const Files& files;
  const http::Assets& assets;
};

Task<Response> home_page(Home home, CsrfField csrf, FormFields<NewLink> form, Status status) {
  HomePage page{home.user.name, *home.settings.public_url, std::move(csrf), std::move(form), {}, {}};
  page.links = co_await home.links.of(home.user.id);
  page.files = co_await home.files.of(home.user.id);
  co_return show(home.assets, "Links", std::move(page), status);
}

Task<Response> show_home(From<User> user, State<Settings> settings, State<Links> links, State<Files> files,
                         State<http::Assets> assets, CsrfField csrf) {
  const Home home{*user, *settings, *links, *files, *assets};
  FormFields<NewLink> form;
  co_return co_await home_page(home, std::move(csrf), std::move(form), Status::ok);
}

Task<Response> add_link(FormInput<NewLink> in, From<User> user, State<Settings> settings, State<Links> links,
                        State<Files> files, State<http::Assets> assets, CsrfField csrf) {
  bool added = false;
  if (in) added = co_await links->add(user->id, *in);
  if (in && !added) in.refuse(&NewLink::name, "is taken");
  if (in) co_return http::redirect("/");
  const Home home{*user, *settings, *links, *files, *assets};
  co_return co_await home_page(home, std::move(csrf), in.fields(), Status::unprocessable_content);
}

Task<Response> remove_link(Path<std::string> name, From<User> user, State<Links> links) {
  static_cast<void>(co_await links->remove(user->id, *name));  // one that is gone already is gone
  co_return http::redirect("/");
}

Task<Response> add_files(http::Multipart form, From<User> user, State<Files> files) {
  static_cast<void>(co_await files->add(user->id, std::move(form)));
  co_return http::redirect("/");
}

Task<Response> remove_file(Path<std::string> id, From<User> user, State<Files> files) {
  static_cast<void>(co_await files->remove(user->id, *id));
  co_return http::redirect("/");
}

}  // namespace

http::Middleware error_pages() { return http::problem_pages(error_page); }

void add_pages(PageGroups groups) {
  groups.visitors.get("/login", show_login).hidden();
  groups.logins.post("/login", log_in).hidden();
  groups.logins.post("/signup", sign_up).hidden();
  groups.members.get("/", show_home).hidden();
  groups.members.post("/logout", log_out).hidden();
  groups.members.post("/links", add_link).hidden();
  groups.members.post("/links/{name}/remove", remove_link).hidden();
  groups.members.post("/files/{id}/remove", remove_file).hidden();
  groups.uploads.post("/files", add_files).hidden();
}

}  // namespace links
