// SPDX-License-Identifier: MIT

#include "config/read/own_table.h"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/read/internal/toml.h"
#include "config/read/load.h"
#include "tests/support/directory.h"

namespace volt::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

enum class Color { black, blue };

struct Page {
  Ranged<int, 1, 1000> size = 50;
  int overlap = 0;

  std::optional<Invalid> check() const {
    if (overlap >= size) return Invalid("overlap", "must be less than size");
    return std::nullopt;
  }
};

struct Shop {
  std::string currency = "EUR";
  bool open = true;
  int port;
  double tax = 0.2;
  Color color = Color::blue;
  milliseconds cache_for = seconds(30);
  std::chrono::minutes session{10};
  ByteSize upload_max = 8 * 1024 * 1024;
  Secret token;
  std::optional<std::uint16_t> limit = {};
  std::vector<std::string> countries;
  std::vector<int> sizes = {1, 2};
  Length<std::string, 1, 10> owner;
  Page page = {};

  static constexpr Described descriptions[] = {
      {"currency", "Currency of all prices"},
      {"port", "Port of the till", "PORT"},
  };

  std::vector<Invalid> check() const {
    if (currency == "ZZZ" && port == 1) return {Invalid("not both"), Invalid("page/size", "is refused")};
    return {};
  }
};

struct Inner {
  int b = 0;
};

struct Twice {
  int a_b = 0;
  Inner a = {};
};

// Keys whose variables resemble those that Kubernetes sets for a Service.
struct Upstream {
  std::string service_host;
  int service_port = 0;
  int port_8080_connections = 0;
  std::string port;
  std::string proxy_port;
};

struct Loading {
  std::optional<Shop> shop;
  std::string text;  // of the error
  int status = 0;
  std::vector<std::string> warnings;
};

// The settings that must be set are set by flags, unless `flags` begins with "bare".
Loading load_shop(std::vector<const char*> flags, std::vector<const char*> environment = {}) {
  std::vector<OwnTable> tables;
  tables.push_back(make_own_table<Shop>("shop", 0, std::source_location::current()));
  CHECK(mistakes_of(tables).empty());
  const std::vector<Setting> settings = settings_with(tables);
  if (!flags.empty() && flags.front() == std::string("bare")) {
    flags.erase(flags.begin());
  } else {
    flags.insert(flags.begin(), {"--shop.port=1", "--shop.owner=ann"});
  }
  flags.insert(flags.begin(), "shop");
  environment.push_back(nullptr);
  const LoadOptions options{.settings = settings, .tables = tables, .program = {"shop", "1.4.0", "Sells pens."}};
  auto loaded = load(options, {}, static_cast<int>(flags.size()), flags.data(), environment.data());
  if (!loaded) return {{}, loaded.error().text, loaded.error().status, {}};
  const ConfigBuilder& builder = loaded->config_builder;
  return {std::any_cast<const Shop&>(builder.values().own[0]), "", 0, builder.warnings()};
}

std::string file_with(const test::Directory& folder, const std::string& text) {
  const std::string path = folder.path().string() + "/shop.toml";
  std::ofstream(path) << text;
  return path;
}

}  // namespace

TEST_SUITE_BEGIN("config/read/own_table");

TEST_CASE("the initializers are the defaults") {
  const Loading result = load_shop({});
  REQUIRE_MESSAGE(result.shop, result.text);
  CHECK(result.shop->currency == "EUR");
  CHECK(result.shop->port == 1);
  CHECK(result.shop->page.size == 50);
  CHECK(result.shop->countries.empty());
  CHECK(*result.shop->owner == "ann");
}

TEST_CASE("a struct of the program is a table of the file") {
  const test::Directory folder;
  std::ofstream(folder.path().string() + "/token") << "hunter2\n";
  const std::string path = file_with(folder, R"(
[shop]
currency = "USD"
open = false
port = 80
tax = 1
color = "black"
cache_for = "250ms"
session = "2h"
upload_max = "64 KiB"
token_file = ")" + folder.path().string() + R"(/token"
limit = 65535
countries = ["de", "fr"]
sizes = [3, -4]
owner = "bob"
[shop.page]
size = 1000
overlap = 5
[log]
level = "error"
)");
  const Loading result = load_shop({"bare", "--config", path.c_str()});
  REQUIRE_MESSAGE(result.shop, result.text);
  const Shop& shop = *result.shop;
  CHECK(shop.currency == "USD");
  CHECK(!shop.open);
  CHECK(shop.port == 80);
  CHECK(shop.tax == 1.0);
  CHECK(shop.color == Color::black);
  CHECK(shop.cache_for == milliseconds(250));
  CHECK(shop.session == std::chrono::hours(2));
  CHECK(shop.upload_max == 65536);
  CHECK(shop.token.reveal() == "hunter2");
  CHECK(shop.limit == 65535);
  CHECK(shop.countries == std::vector<std::string>{"de", "fr"});
  CHECK(shop.sizes == std::vector<int>{3, -4});
  CHECK(*shop.owner == "bob");
  CHECK(shop.page.size == 1000);
  CHECK(shop.page.overlap == 5);
}

TEST_CASE("flags override the environment, and the environment the file") {
  const test::Directory folder;
  const std::string path = file_with(folder, "[shop]\ncurrency = \"USD\"\n");
  const std::string from = "VOLT_CONFIG=" + path;
  const auto currency = [](const Loading& result) { return result.shop ? result.shop->currency : result.text; };
  CHECK(currency(load_shop({}, {from.c_str()})) == "USD");
  CHECK(currency(load_shop({}, {from.c_str(), "SHOP_CURRENCY=CHF"})) == "CHF");
  CHECK(currency(load_shop({"--shop.currency", "GBP"}, {from.c_str(), "SHOP_CURRENCY=CHF"})) == "GBP");
  CHECK(load_shop({"--shop.page.size=7"}).shop->page.size == 7);
  CHECK(load_shop({}, {"SHOP_PAGE_SIZE=7"}).shop->page.size == 7);
  CHECK(load_shop({"--shop.sizes=7", "--shop.sizes=8"}).shop->sizes == std::vector<int>{7, 8});
  CHECK(load_shop({}, {"SHOP_COUNTRIES=de,fr"}).shop->countries == std::vector<std::string>{"de", "fr"});
  CHECK(load_shop({"--shop.cache-for=5m"}).shop->cache_for == std::chrono::minutes(5));
  CHECK(load_shop({}, {"SHOP_TOKEN=x"}).shop->token.reveal() == "x");
}

TEST_CASE("another variable sets a member unless its own does") {
  const auto port = [](std::vector<const char*> environment) {
    environment.push_back("SHOP_OWNER=ann");
    const Loading result = load_shop({"bare"}, environment);
    return result.shop ? result.shop->port : -1;
  };
  CHECK(port({"PORT=80"}) == 80);
  CHECK(port({"PORT=80", "SHOP_PORT=81"}) == 81);
  CHECK(port({"SHOP_PORT=81", "PORT=80"}) == 81);
  CHECK(port({"PORT=80", "SHOP_PORT=tcp://10.0.0.1:80"}) == 80);  // Kubernetes, for a Service called shop
}

TEST_CASE("mistakes in values are reported with their place, all at once") {
  const test::Directory folder;
  const std::string path = file_with(folder, "[shop]\ncurency = \"USD\"\nport = \"x\"\nsession = \"90s\"\n");
  const Loading result = load_shop({"bare", "--config", path.c_str(), "--shop.owner=abcdefghijk"},
                                   {"SHOP_PAGE_SIZE=0", "SHOP_COLOR=red", "SHOP_LIMIT=65536", "SHOP_SIZES=1,x"});
  CHECK(result.status == 2);
  CHECK(result.text ==
        path + ":2: shop.curency: no such key; did you mean shop.currency?\n" + path +
            ":3: shop.port: found \"x\", expected a whole number from -2147483648 to 2147483647\n" + path +
            ":4: shop.session: found \"90s\", expected a duration with its unit, such as \"30s\", in multiples of "
            "\"1m\"\n"
            "SHOP_PAGE_SIZE: found \"0\", expected a whole number; it must be from 1 to 1000\n"
            "SHOP_COLOR: found \"red\", expected \"black\" or \"blue\"\n"
            "SHOP_LIMIT: found \"65536\", expected a whole number from 0 to 65535\n"
            "SHOP_SIZES: found [\"1\", \"x\"], expected a list; each item is a whole number from -2147483648 to "
            "2147483647\n"
            "--shop.owner: found \"abcdefghijk\", expected text; it must have from 1 to 10 characters\n");
}

TEST_CASE("what has no default must be set, but not to print the configuration") {
  const Loading missing = load_shop({"bare"});
  CHECK(missing.status == 2);
  CHECK(missing.text ==
        "shop.port: is missing; set it in the configuration file, by SHOP_PORT or by --shop.port\n"
        "shop.owner: is missing; set it in the configuration file, by SHOP_OWNER or by --shop.owner\n");
  CHECK(load_shop({"bare", "--check-config"}).status == 2);
  const std::string printed = load_shop({"bare", "--print-config"}).text;
  CHECK(printed.find("\n# port =  # must be set\n") != std::string::npos);
}

TEST_CASE("check() of a struct refuses values that do not go together") {
  CHECK(load_shop({"--shop.page.size=5", "--shop.page.overlap=5"}).text ==
        "--shop.page.overlap: must be less than size\n");
  CHECK(load_shop({"--shop.page.size=5"}, {"SHOP_PAGE_OVERLAP=9"}).text ==
        "SHOP_PAGE_OVERLAP: must be less than size\n");
  const test::Directory folder;
  const std::string path = file_with(folder, "[shop.page]\noverlap = 50\n");
  CHECK(load_shop({"--config", path.c_str()}).text == path + ":2: shop.page.overlap: must be less than size\n");
  const Loading both = load_shop({"--shop.currency=ZZZ"});
  CHECK(both.status == 2);
  CHECK(both.text == "shop: not both\nshop.page.size: is refused\n");
}

TEST_CASE("a secret is never shown") {
  const std::string printed = load_shop({"--print-config"}, {"SHOP_TOKEN=hunter2"}).text;
  CHECK(printed.find("hunter2") == std::string::npos);
  CHECK(printed.find("\n# token =  # SHOP_TOKEN\n") != std::string::npos);
  const test::Directory folder;
  const std::string path = file_with(folder, "[shop]\ntoken = [\"hunter2\"]\n");
  const std::string refused = load_shop({"--config", path.c_str()}).text;
  CHECK(refused.find("hunter2") == std::string::npos);
  CHECK(refused.find(":2: shop.token: expected text") != std::string::npos);
  CHECK(load_shop({"--shop.token-file=/none"}).text == "--shop.token-file: secret /none: No such file or directory\n");
}

TEST_CASE("the printed configuration gives an equal configuration") {
  const std::string printed = load_shop({"--print-config", "--shop.currency=a\"b", "--shop.limit=7"}).text;
  const test::Directory folder;
  const std::string path = file_with(folder, printed);
  const Loading again = load_shop({"bare", "--config", path.c_str()});
  REQUIRE_MESSAGE(again.shop, again.text);
  CHECK(again.shop->currency == "a\"b");
  CHECK(again.shop->limit == 7);
  CHECK(again.shop->sizes == std::vector<int>{1, 2});
  CHECK(again.shop->tax == 0.2);
  CHECK(again.warnings.empty());
}

TEST_CASE("--help and --version name the program and its settings") {
  CHECK(load_shop({"--version"}).text.starts_with("shop 1.4.0 (Volt "));
  const std::string help = load_shop({"bare", "--help"}).text;
  for (const char* part : {"Sells pens. Each key", "--shop.cache-for", "Currency of all prices", "SHOP_CURRENCY",
                           "Port of the till (required)", "--shop.token-file", "--server.idle-timeout"})
    CHECK_MESSAGE(help.find(part) != std::string::npos, std::string(part));
}

TEST_CASE("unknown variables of a table are warnings, also those that resemble none") {
  const Loading result =
      load_shop({}, {"SHOP_CURENCY=USD", "SHOP_ZZ=1", "VOLT_SERVER_IDLE=3s", "SHOP_SERVICE_HOST=10.0.0.1",
                     "SHOP_PORT_80_TCP_ADDR=10.0.0.1", "SHOPPING=1", "VOLT_ZZ=1"});
  REQUIRE_MESSAGE(result.shop, result.text);
  CHECK(result.warnings == std::vector<std::string>{"SHOP_CURENCY: no such key; did you mean SHOP_CURRENCY?",
                                                    "SHOP_ZZ: no such key", "VOLT_SERVER_IDLE: no such key"});
}

TEST_CASE("a variable of a setting is read, although Kubernetes may set it for a Service, but not its address") {
  std::vector<OwnTable> tables;
  tables.push_back(make_own_table<Upstream>("upstream", 0, std::source_location::current()));
  const std::vector<Setting> settings = settings_with(tables);
  const char* const flags[] = {"shop"};
  const char* const environment[] = {"UPSTREAM_SERVICE_HOST=10.0.0.1",       "UPSTREAM_SERVICE_PORT=80",
                                     "UPSTREAM_SERVICE_PORT_HTTP=80",        "UPSTREAM_PORT_8080_CONNECTIONS=3",
                                     "UPSTREAM_PORT_8080_TCP_ADDR=10.0.0.1", "UPSTREAM_PORT=tcp://10.0.0.1:80",
                                     "UPSTREAM_PROXY_PORT=unix://a",         nullptr};
  const LoadOptions options{.settings = settings, .tables = tables};
  const auto loaded = load(options, {}, 1, flags, environment);
  REQUIRE_MESSAGE(loaded, loaded.error().text);
  const auto& upstream = std::any_cast<const Upstream&>(loaded->config_builder.values().own[0]);
  CHECK(upstream.service_host == "10.0.0.1");
  CHECK(upstream.service_port == 80);
  CHECK(upstream.port_8080_connections == 3);
  CHECK(upstream.port.empty());
  CHECK(upstream.proxy_port == "unix://a");
  CHECK(loaded->config_builder.warnings().empty());
}

TEST_CASE("a flag that resembles one of the program is told") {
  CHECK(load_shop({"--shop.curency=USD"}).text == "\"--shop.curency\": no such flag; did you mean --shop.currency?\n");
}

TEST_CASE("names of tables that are invalid or taken are mistakes of the program") {
  const auto mistake_in = [](const char* name) {
    std::vector<OwnTable> tables;
    tables.push_back(make_own_table<Page>(name, 0, std::source_location::current()));
    const auto mistakes = mistakes_of(tables);
    return mistakes.empty() ? std::string() : mistakes.front();
  };
  CHECK(mistake_in("shop2_a") == "");
  CHECK(mistake_in("Shop").ends_with("settings \"Shop\": the name must consist of lower-case letters, digits and _"));
  for (const char* wrong : {"", "2", "a.b", "a-b"}) CHECK_MESSAGE(mistake_in(wrong) != "", std::string(wrong));
  for (const char* taken : {"server", "log", "volt", "listen"})
    CHECK_MESSAGE(mistake_in(taken).ends_with("Volt uses this name; choose another one"), std::string(taken));
  CHECK(mistake_in("log").find("own_table_test.cpp:") != std::string::npos);
  std::vector<OwnTable> tables;
  tables.push_back(make_own_table<Twice>("shop", 0, std::source_location::current()));
  REQUIRE(mistakes_of(tables).size() == 1);
  CHECK(
      mistakes_of(tables).front().ends_with("shop.a.b and shop.a_b would both be set by SHOP_A_B; rename one of them"));
}

TEST_CASE("a later reading for the levels of the log knows the program's keys, and leaves its settings alone") {
  std::vector<OwnTable> tables;
  tables.push_back(make_own_table<Shop>("shop", 0, std::source_location::current()));
  const std::vector<Setting> settings = settings_with(tables);
  const char* const flags[] = {"shop", "--shop.currency=USD", "--shop.token-file=/none"};
  const char* const environment[] = {"SHOP_LIMIT=x", nullptr};
  const LoadOptions options{.settings = settings, .tables = tables, .assign_own = false};
  const auto loaded = load(options, {}, 3, flags, environment);
  REQUIRE_MESSAGE(loaded, loaded.error().text);
  CHECK(std::any_cast<const Shop&>(loaded->config_builder.values().own[0]).currency == "EUR");
}

TEST_SUITE_END();
}  // namespace volt::config
