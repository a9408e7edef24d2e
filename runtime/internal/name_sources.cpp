// SPDX-License-Identifier: MIT

#include "runtime/internal/name_sources.h"

#include <algorithm>
#include <cstddef>

namespace volt::net {
namespace {

constexpr std::size_t kNameBytesMax = 253;
constexpr std::size_t kLabelBytesMax = 63;
constexpr std::string_view kSpaces = " \t\r";

char lower_letter(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string_view without_root(std::string_view host) noexcept {
  return host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
}

// Whether `host` is `domain`, in any case of letters, or a name below it.
bool is_within(std::string_view host, std::string_view domain) noexcept {
  host = without_root(host);
  if (host.size() < domain.size()) return false;
  const std::string_view end = host.substr(host.size() - domain.size());
  if (!std::ranges::equal(end, domain, {}, lower_letter)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

// Removes the first word from `line` and returns it; empty at the end.
std::string_view take_word(std::string_view& line) noexcept {
  const std::size_t begin = line.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return line = {};
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(kSpaces));
  line.remove_prefix(word.size());
  return word;
}

// Returns what follows "hosts:" in its line, without a comment.
std::string_view hosts_line(std::string_view nsswitch) noexcept {
  while (!nsswitch.empty()) {
    std::string_view line = nsswitch.substr(0, nsswitch.find('\n'));
    nsswitch.remove_prefix(std::min(line.size() + 1, nsswitch.size()));
    line = line.substr(0, line.find('#'));
    const std::size_t colon = line.find(':');
    std::string_view database = line.substr(0, colon);
    if (colon != std::string_view::npos && take_word(database) == "hosts") return line.substr(colon + 1);
  }
  return {};
}

// `word`: a module, or an action such as "[NOTFOUND=return]" or a part of one.
bool module_may_answer(std::string_view word, std::string_view host) noexcept {
  if (word == "files" || word == "dns" || word == "resolve") return false;
  if (word.starts_with("mdns")) return is_within(host, "local");
  if (word == "myhostname") return !without_root(host).contains('.');
  return true;
}

}  // namespace

bool is_host_name(std::string_view host) noexcept {
  host = without_root(host);
  if (host.empty() || host.size() > kNameBytesMax) return false;
  std::size_t label_bytes = 0;
  for (const char byte : host) {
    if (byte <= ' ' || byte > '~' || byte == '\\') return false;
    if (byte != '.') {
      if (++label_bytes > kLabelBytesMax) return false;
    } else if (label_bytes == 0) {
      return false;
    } else {
      label_bytes = 0;
    }
  }
  return label_bytes != 0;
}

SpecialName special_name(std::string_view host) noexcept {
  if (is_within(host, "localhost")) return SpecialName::loopback;
  return is_within(host, "invalid") || is_within(host, "onion") ? SpecialName::nowhere : SpecialName::none;
}

bool needs_system(std::string_view nsswitch, std::string_view host) noexcept {
  std::string_view line = hosts_line(nsswitch);
  bool in_action = false;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    in_action = in_action || word.starts_with('[');
    if (!in_action && module_may_answer(word, host)) return true;
    if (word.ends_with(']')) in_action = false;
  }
  return false;
}

}  // namespace volt::net
