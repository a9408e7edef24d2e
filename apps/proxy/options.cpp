// SPDX-License-Identifier: MIT

#include "apps/proxy/options.h"

#include <config/tls/tls.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace proxy {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv((std::string("PROXY_") + name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void read(const char* name, std::string& into) {
  if (auto value = variable(name)) into = std::move(*value);
}

void read(const char* name, std::vector<std::string>& into) {
  const auto value = variable(name);
  if (!value) return;
  into.clear();
  for (std::string_view rest = *value; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (comma != 0) into.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
}

template <class T>
void read_number(const char* name, T& into) {
  const auto value = variable(name);
  if (!value) return;
  const char* const end = value->data() + value->size();
  const auto [stop, failure] = std::from_chars(value->data(), end, into);
  if (failure != std::errc{} || stop != end)
    throw std::invalid_argument("PROXY_" + std::string(name) + " is not a number");
}

void read(const char* name, bool& into) {
  int number = into ? 1 : 0;
  read_number(name, number);
  into = number != 0;
}

void read(const char* name, std::chrono::milliseconds& into) {
  unsigned number = static_cast<unsigned>(into.count());
  read_number(name, number);
  into = std::chrono::milliseconds(number);
}

void read(const char* name, unsigned& into) { read_number(name, into); }
void read(const char* name, std::uint64_t& into) { read_number(name, into); }

}  // namespace

Options options_from_environment() {
  Options options;
  read("UPSTREAMS", options.upstreams);
  read("HOSTS", options.hosts);
  read("KEEP_HOST", options.keep_host);
  read("TRUST_FORWARDED", options.trust_forwarded);
  read("UPGRADES", options.upgrades);
  read("CONNECTIONS", options.connections_max);
  read("BODIES", options.bodies_max);
  read("TUNNELS", options.tunnels_max);
  read("CLIENT_SHARE", options.client_share);
  read("WAIT_MS", options.wait);
  read("BODY_MAX", options.body_bytes_max);
  read("TRIES", options.tries_max);
  read("CONNECT_MS", options.connect_timeout);
  read("RESPONSE_MS", options.response_timeout);
  read("TRANSFER_MS", options.transfer_timeout);
  read("HEALTH_PATH", options.health_path);
  read("HEALTH_MS", options.health_interval);
  read("HEALTH_TIMEOUT_MS", options.health_timeout);
  read("RISE", options.rise);
  read("FALL", options.fall);
  read("FAILURES", options.failures_max);
  read("EJECT_MS", options.eject_for);
  if (options.connections_max == 0 || options.tries_max == 0) {
    throw std::invalid_argument("PROXY_CONNECTIONS and PROXY_TRIES must be at least 1");
  }
  if (options.client_share == 0 || options.client_share > 100) {
    throw std::invalid_argument("PROXY_CLIENT_SHARE must be a percentage from 1 to 100");
  }
  if (options.health_interval == std::chrono::milliseconds(0)) {
    throw std::invalid_argument("PROXY_HEALTH_MS must be at least 1; PROXY_HEALTH_PATH=- disables health checks");
  }
  const auto secure = [](const std::string& uri) { return uri.starts_with("https:"); };
  if (std::ranges::any_of(options.upstreams, secure)) options.tls = volt::tls::client_transport();
  return options;
}

}  // namespace proxy
