// SPDX-License-Identifier: MIT

#include "http/html/form.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "http/http.h"
#include "http/validation/checked.h"
#include "tests/http/in_process_app.h"

namespace volt::http {
namespace {

enum class Paper : std::uint8_t { white, grey };

struct Order {
  Length<std::string, 1, 5> name;
  int count;
  Paper paper = Paper::white;
  bool gift = false;
  std::vector<std::string> colors = {};
  std::optional<int> limit = {};

  std::optional<Invalid> check() const {
    if (name.value() == "none") return Invalid("nothing is ordered");
    if (count > 9) return Invalid("count", "must be at most 9 for this paper");
    return std::nullopt;
  }
};

struct OrderPage {
  CsrfField csrf;
  FormFields<Order> form;
  std::string error = {};
  static constexpr Template html = R"({{csrf}}
name={{form.name.value}} {{form.name.error}}
count={{form.count.value}} {{form.count.error}}
paper={{if form.paper.value == 'grey'}}grey{{else}}white{{end}} gift={{if form.gift.checked}}yes{{else}}no{{end}}
colors={{for color in form.colors.values}}{{color}};{{end}} limit={{form.limit.value}}
{{error}})";
};

App shop() {
  App app;
  app.use(sessions());
  app.get("/order", [](CsrfField csrf) { return OrderPage{csrf, {}}; });
  app.get("/change", [](CsrfField csrf) {
    const Order order{.name = "<a>", .count = 3, .paper = Paper::grey, .gift = true, .colors = {"red", "blue"}};
    return OrderPage{csrf, FormFields<Order>(order)};
  });
  app.post("/order", [](FormInput<Order> in, CsrfField csrf) -> Response {
    if (in && in->name.value() == "Ann") in.refuse(&Order::name, "is taken");
    if (in && in->count == 0) in.refuse("nothing is counted");
    if (!in) return page(OrderPage{csrf, in.fields(), in.error()}, Status::unprocessable_content);
    return Response::text(in->name.value());
  });
  app.post("/careless", [](FormInput<Order> in) { return std::to_string(in->count); });
  return app;
}

Response post(InProcessApp& app, std::string body, std::string path = "/order") {
  return app.ask({.method = Method::post,
                  .path = std::move(path),
                  .fields = {{"content-type", "application/x-www-form-urlencoded"}},
                  .body = std::move(body)});
}

TEST_SUITE_BEGIN("http/html/form");

TEST_CASE("an empty form shows the values of members with a default, and the token of the session") {
  InProcessApp app(shop());
  const std::string page(app.ask({.path = "/order"}).body());
  CHECK(page.starts_with("<input type=\"hidden\" name=\"csrf_token\" value=\""));
  CHECK(page.contains("\nname= \ncount= \npaper=white gift=no\ncolors= limit=\n"));
}

TEST_CASE("a form shows the values of a struct") {
  InProcessApp app(shop());
  CHECK(app.ask({.path = "/change"})
            .body()
            .contains("\nname=&lt;a&gt; \ncount=3 \npaper=grey gift=yes\ncolors=red;blue; limit=\n"));
}

TEST_CASE("an invalid form is shown with what was entered and the errors at its fields") {
  InProcessApp app(shop());
  const Response response = post(app, "name=%3Clong+name%3E&count=many&paper=grey&gift=on&colors=a&colors=%22&limit=7");
  CHECK(response.status() == Status::unprocessable_content);
  CHECK(
      response.body().contains("\nname=&lt;long name&gt; must have from 1 to 5 characters\n"
                               "count=many must be a whole number from -2147483648 to 2147483647\n"
                               "paper=grey gift=yes\ncolors=a;&quot;; limit=7\n"));
}

TEST_CASE("errors of check() and of the handler are shown at the field, or for the form as a whole") {
  InProcessApp app(shop());
  CHECK(post(app, "name=a&count=10").body().contains("count=10 must be at most 9 for this paper\n"));
  CHECK(post(app, "name=none&count=1").body().ends_with("\nnothing is ordered"));
  CHECK(post(app, "name=Ann&count=1").body().contains("name=Ann is taken\n"));
  CHECK(post(app, "name=a&count=0").body().ends_with("\nnothing is counted"));
  const Response valid = post(app, "name=a&count=1");
  CHECK(valid.status() == Status::ok);
  CHECK(valid.body() == "a");
}

TEST_CASE("a missing field is an error at the field") {
  InProcessApp app(shop());
  CHECK(post(app, "count=1").body().contains("name= is missing\n"));
}

TEST_CASE("a body that is no form of a browser is refused before the handler") {
  InProcessApp app(shop());
  const AppRequest json{.method = Method::post, .path = "/order", .fields = {{"content-type", "application/json"}}};
  CHECK(app.ask(json).status() == Status::unsupported_media_type);
  CHECK(post(app, "name=%zz").status() == Status::bad_request);
  CHECK(post(app, "name=%00").status() == Status::bad_request);
  CHECK(post(app, "name=%ff").status() == Status::bad_request);
  std::string many;
  for (int i = 0; i != 257; ++i) many += "a=b&";
  CHECK(post(app, many).status() == Status::bad_request);
}

TEST_CASE("the value of an invalid form cannot be used") {
  InProcessApp app(shop());
  CHECK(post(app, "name=a&count=3", "/careless").body() == "3");
  CHECK(post(app, "name=a&count=x", "/careless").status() == Status::internal_server_error);
}

TEST_CASE("fields are named by members") {
  FormFields<Order> fields;
  fields.of(&Order::colors).value = "red";
  const FormFields<Order>& read = fields;
  CHECK(read.of(&Order::colors).value == "red");
  CHECK(read.of(&Order::count).value.empty());
  CHECK(read.of(&Order::paper).value == "white");
}

TEST_SUITE_END();

}  // namespace
}  // namespace volt::http
