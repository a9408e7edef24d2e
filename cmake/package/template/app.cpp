#include "app.h"

#include <http/openapi/openapi.h>
#include <runtime/time.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using namespace volt::literals;
using http::Json;
using http::Path;
using http::State;

struct Greeting {
  std::string text;
};

struct Invitation {
  volt::Length<std::vector<std::string>, 1, 1000> guests;
};

// A function: its parameters come from the request, and its result is the response, here JSON.
Greeting hello(Path<std::string> name, State<Settings> settings) { return {settings->greeting + ", " + *name + "!"}; }

// A coroutine: it may wait, here for the clock, without blocking a thread.
volt::Task<Greeting> later(Path<std::string> name, State<Settings> settings) {
  co_await volt::sleep_for(1s);
  co_return Greeting{settings->greeting + " at last, " + *name + "!"};
}

// A JSON body. If it is not an Invitation, the client gets 422 with the reason, and this function is not called.
std::vector<Greeting> invite(Json<Invitation> invitation, State<Settings> settings) {
  const std::vector<std::string>& guests = invitation->guests;
  if (std::cmp_greater(guests.size(), *settings->guests_max)) throw http::unprocessable("too many guests");
  std::vector<Greeting> greetings;
  for (const std::string& name : guests) greetings.push_back({settings->greeting + ", " + name + "!"});
  return greetings;
}

}  // namespace

http::App make_app(const Settings& settings) {
  http::App app;
  app.state(settings);
  app.use(http::timeout(settings.request_timeout), http::body_limit(64_KiB));
  app.get("/hello/{name}", hello).summary("Greets a guest");
  app.get("/later/{name}", later).summary("Greets a guest a second later");
  app.post("/invitations", invite).summary("Greets each guest");
  app.openapi("/openapi.json", {.title = "@NAME@", .version = APP_VERSION});
  app.openapi_page("/docs");
  return app;
}
