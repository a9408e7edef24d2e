// SPDX-License-Identifier: MIT

// A server with sessions in memory, for restart_test.py: /login/NAME, /user, /logout, and /token with its form.
#include <config/run.h>
#include <http/http.h>
#include <http/middleware/session.h>

#include <string>
#include <utility>

namespace http = volt::http;
using http::From;
using http::Session;

int main(int argc, char** argv) {
  http::App app;
  app.use(http::sessions({.cookie = "session", .secure = false}), http::csrf());
  app.get("/login/{name}", [](http::Path<std::string> name, From<Session> session) {
    session->rotate();
    session->set("user", *name);
  });
  app.get("/user", [](From<Session> session) { return session->get<std::string>("user").value_or("nobody"); });
  app.get("/logout", [](From<Session> session) { session->destroy(); });
  app.get("/token", [](From<Session> session) { return session->csrf_token(); });
  app.post("/form", [] { return "accepted"; });
  return volt::run(app, argc, argv);
}
