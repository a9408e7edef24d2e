// SPDX-License-Identifier: MIT

#include "http/html/template.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/http.h"
#include "http/validation/checked.h"
#include "tests/http/html/tag_structure.h"
#include "tests/http/in_process_app.h"

namespace volt::http {
namespace {

enum class Ink : std::uint8_t { black, blue };

struct Day {
  int number;
};
std::string to_text(const Day& day) { return "<day " + std::to_string(day.number) + ">"; }

struct Values {
  std::string text = {};
  const char* literal = {};
  std::string_view view = {};
  int number = {};
  double fraction = {};
  bool flag = {};
  char letter = {};
  Ink ink = {};
  Day day = {};
  std::optional<int> none = {};
  std::unique_ptr<std::string> owner = {};
  Ranged<int, 1, 9> checked = {};
  TrustedHtml html_text = {};
  static constexpr Template html =
      "{{text}}|{{literal}}|{{view}}|{{number}}|{{fraction}}|{{flag}}|{{letter}}|{{ink}}|{{day}}|{{none}}|{{owner}}|"
      "{{checked}}|{{html_text}}";
};

struct Line {
  std::string name;
  std::vector<int> counts;
};

struct Blocks {
  bool on = false;
  int count = 0;
  Ink ink = Ink::black;
  std::string text = {};
  std::optional<Line> line = {};
  std::vector<Line> lines = {};
  std::map<std::string, int> prices = {};
  std::vector<bool> bits = {};
};

struct Otherwise {
  Blocks of;
  static constexpr Template html = "{{if of.on}}on{{else if of.text}}text{{else}}off{{end}}";
};
struct Presence {
  Blocks of;
  static constexpr Template html =
      "{{if not of.on}}off{{end}}{{if of.line}}{{of.line.name}}{{end}}{{if of.lines}}some{{end}}";
};
struct Comparisons {
  Blocks of;
  static constexpr Template html =
      "{{if of.count == 1}}one{{end}}{{if of.count != -1}}, not -1{{end}}{{if of.ink == 'blue'}}, blue{{end}}"
      "{{if of.text == 'a b'}}, text{{end}}{{if of.line.name == of.text}}, equal{{end}}"
      "{{if of.line.name != of.text}}, unequal{{end}}";
};
struct Loops {
  Blocks of;
  static constexpr Template html =
      "{{for line in of.lines}}{{line.name}}:{{for n in line.counts}} {{n}}/{{of.count}}{{end}};{{else}}none{{end}}";
};
struct Pairs {
  Blocks of;
  static constexpr Template html =
      "{{for name, price in of.prices}}{{name}}={{price}} {{end}}"
      "{{for bit in of.bits}}{{if bit}}1{{else}}0{{end}}{{end}}";
};
struct OwnLines {
  Blocks of;
  static constexpr Template html = R"(
<ul>
  {{! the list }}
  {{for line in of.lines}}
  <li>{{line.name}}</li>
  {{end}}
</ul>{{if of.on}}
{{end}})";
};

template <class View>
std::string show(Blocks of) {
  return render_html(View{std::move(of)});
}

struct Reply {
  std::string text;
  std::vector<Reply> replies;
  static constexpr Template html = "<li>{{text}}{{for reply in replies}}{{reply}}{{end}}</li>";
};

template <class Page>
struct Layout {
  std::string title;
  Page page;
  static constexpr Template html = "<title>{{title}}</title>{{page}}";
};

// One value in every kind of place.
struct Everywhere {
  std::string x;
  std::vector<std::string> all;
  static constexpr Template html = R"(<!doctype html>
<title>{{x}}</title><p title="{{x}}" class='a {{x}} b' data-x="{{x}}">{{x}}</p>
<a href="{{x}}">{{x}}</a><a href='{{x}}/b'>b</a><a href="/a/{{x}}?b={{x}}&amp;c=d#{{x}}">c</a><a href="a{{x}}">d</a>
<a href="https://{{x}}/">e</a><form action="{{x}}"><textarea>{{x}}</textarea><input value="{{x}}"></form>
{{for one in all}}<img src="{{one}}" alt='{{one}}'>{{end}}
<script type="application/json">{"x":{{x}},"all":{{all}}}</script>
<b>end</b>
)";
};

TEST_SUITE_BEGIN("http/html/template");

TEST_CASE("values of every kind are written as text, and escaped") {
  const Values values{.text = "<a href=\"x\">&'",
                      .literal = "<",
                      .view = "&lt;",
                      .number = -7,
                      .fraction = 0.25,
                      .flag = true,
                      .letter = '<',
                      .ink = Ink::blue,
                      .day = {3},
                      .none = {},
                      .owner = std::make_unique<std::string>("\"o\""),
                      .checked = 5,
                      .html_text = TrustedHtml("<b>")};
  CHECK(
      render_html(values) ==
      "&lt;a href=&quot;x&quot;&gt;&amp;&#39;|&lt;|&amp;lt;|-7|0.25|true|&lt;|blue|&lt;day 3&gt;||&quot;o&quot;|5|<b>");
}

TEST_CASE("a null text is written as nothing, and an unnamed enumerator as its number") {
  const Values values{.literal = nullptr, .ink = static_cast<Ink>(9), .checked = 1, .html_text = {}};
  CHECK(render_html(values).starts_with("||"));
  CHECK(render_html(values).contains("|9|"));
}

TEST_CASE("conditions") {
  CHECK(show<Otherwise>({.on = true, .text = "a"}) == "on");
  CHECK(show<Otherwise>({.text = "a"}) == "text");
  CHECK(show<Otherwise>({}) == "off");
  CHECK(show<Presence>({}) == "off");
  CHECK(show<Presence>({.on = true, .line = Line{"a", {}}, .lines = {{}}}) == "asome");
  CHECK(show<Comparisons>({}) == ", not -1, unequal");
  CHECK(show<Comparisons>({.count = 1, .ink = Ink::blue, .text = "a b"}) == "one, not -1, blue, text, unequal");
  CHECK(show<Comparisons>({.count = -1, .text = "x", .line = Line{"x", {}}}) == ", equal");
}

TEST_CASE("loops") {
  CHECK(show<Loops>({}) == "none");
  CHECK(show<Loops>({.count = 9, .lines = {{"a", {1, 2}}, {"b", {}}}}) == "a: 1/9 2/9;b:;");
  CHECK(show<Pairs>({.prices = {{"<", 1}, {"b", 2}}, .bits = {true, false}}) == "&lt;=1 b=2 10");
}

TEST_CASE("a line with a block alone leaves no line behind") {
  CHECK(show<OwnLines>({.lines = {{"a", {}}, {"b", {}}}}) == "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>");
  CHECK(show<OwnLines>({.on = true}) == "<ul>\n</ul>\n");
}

TEST_CASE("a member with a template is a part of the page") {
  CHECK(render_html(Reply{"<", {{"b", {{"c", {}}}}}}) == "<li>&lt;<li>b<li>c</li></li></li>");
  CHECK(render_html(Layout{.title = "t", .page = Reply{"a", {}}}) == "<title>t</title><li>a</li>");
}

TEST_CASE("an address has a safe scheme") {
  struct {
    std::string_view address;
    std::string_view first;  // the value of href="{{x}}"
    std::string_view why;
  } const cases[] = {
      {"https://a.example/?b=c&d", "https://a.example/?b=c&amp;d", "as it is, escaped"},
      {"HTTP://a", "HTTP://a", "schemes have no case"},
      {"mailto:a@b.example", "mailto:a@b.example", "an address of mail"},
      {"/a:b", "/a:b", "a path"},
      {"?a:b", "?a:b", "a query"},
      {"#a:b", "#a:b", "a fragment"},
      {"a/b:c", "a/b:c", "a relative path"},
      {"", "", "the page itself"},
      {"javascript:alert(1)", "about:invalid", "a script"},
      {"JaVaScRiPt:alert(1)", "about:invalid", "schemes have no case"},
      {" javascript:alert(1)", "about:invalid", "a browser skips spaces"},
      {"\x01javascript:alert(1)", "about:invalid", "and control characters"},
      {"java\tscript:alert(1)", "about:invalid", "and removes tabs"},
      {"data:text/html,<script>alert(1)</script>", "about:invalid", "a document"},
      {"vbscript:a", "about:invalid", "any other scheme"},
      {"a:b", "about:invalid", "what looks like a scheme"},
  };
  for (const auto& [address, first, why] : cases) {
    CAPTURE(why);
    const std::string page = render_html(Everywhere{std::string(address), {}});
    CHECK(page.contains("<a href=\"" + std::string(first) + "\">"));
  }
}

TEST_CASE("within an address a value is one segment or one parameter") {
  const std::string page = render_html(Everywhere{"a/../b?c=d&e:f", {}});
  CHECK(page.contains("href=\"/a/a%2F..%2Fb%3Fc%3Dd%26e%3Af?b=a%2F..%2Fb%3Fc%3Dd%26e%3Af&amp;c=d#"));
}

TEST_CASE("JSON in a script is read as the same value, and ends no script") {
  const std::string hostile = "</script><!-- \xe2\x80\xa8\xe2\x80\xa9 & \"\\";
  const std::string page = render_html(Everywhere{hostile, {hostile, "b"}});
  const std::string_view open = "<script type=\"application/json\">";
  const std::size_t begin = page.find(open) + open.size();
  const std::string json = page.substr(begin, page.find("</script>", begin) - begin);
  const auto read = from_json<Everywhere>(json);
  REQUIRE(read.has_value());
  CHECK(read->x == hostile);
  CHECK(read->all == std::vector<std::string>{hostile, "b"});
  CHECK(!json.contains("\xe2\x80\xa8"));
}

TEST_CASE("whatever the values are, the tags and attributes of a page are those of harmless values") {
  const auto pieces = std::to_array<std::string_view>({"<",
                                                       ">",
                                                       "</",
                                                       "/>",
                                                       "\"",
                                                       "'",
                                                       "`",
                                                       "=",
                                                       "&",
                                                       "&lt;",
                                                       "&quot",
                                                       "&#60;",
                                                       " ",
                                                       "\n",
                                                       "\t",
                                                       "\f",
                                                       std::string_view("\0", 1),
                                                       "<script>",
                                                       "</script>",
                                                       "</title>",
                                                       "</textarea>",
                                                       "<!--",
                                                       "-->",
                                                       "--!>",
                                                       "<![CDATA[",
                                                       "javascript:",
                                                       "on",
                                                       "onload=",
                                                       "a",
                                                       "{{x}}",
                                                       "}}",
                                                       "\\",
                                                       "\xc3",
                                                       "\xe2\x80\xa8",
                                                       "\xff",
                                                       "<svg onload=f()>",
                                                       "%22",
                                                       "//"});
  const std::string harmless = tag_structure(render_html(Everywhere{"a", {"b", "c"}}));
  REQUIRE(harmless.contains("<p title class data-x></p><a href></a>"));
  std::uint64_t state = 1;
  const auto random = [&state](std::size_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  for (int round = 0; round != 2000; ++round) {
    std::string hostile;
    for (std::size_t count = random(7); count != 0; --count) hostile += pieces[random(pieces.size())];
    CAPTURE(hostile);
    const std::string page = render_html(Everywhere{hostile, {hostile, hostile + "x"}});
    REQUIRE(tag_structure(page) == harmless);
    REQUIRE(!has_script_address(page));
  }
}

TEST_CASE("a view is the result of a handler") {
  App app;
  app.get("/reply", [] { return Reply{"a", {}}; });
  app.get("/none", []() -> std::optional<Reply> { return std::nullopt; });
  app.get("/either", []() -> std::variant<Status, Reply> { return Reply{"b", {}}; });
  app.get("/invalid", [] { return page(Reply{"c", {}}, Status::unprocessable_content); });
  InProcessApp served(std::move(app));
  const Response reply = served.ask({.path = "/reply"});
  CHECK(reply.status() == Status::ok);
  CHECK(reply.body() == "<li>a</li>");
  CHECK(reply.content_type() == "text/html; charset=utf-8");
  CHECK(served.ask({.path = "/none"}).status() == Status::not_found);
  CHECK(served.ask({.path = "/either"}).body() == "<li>b</li>");
  CHECK(served.ask({.path = "/invalid"}).status() == Status::unprocessable_content);
}

TEST_SUITE_END();

}  // namespace
}  // namespace volt::http
