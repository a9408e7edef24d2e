// SPDX-License-Identifier: MIT

#include "http/middleware/internal/cache_policy.h"

#include <algorithm>
#include <expected>
#include <iterator>
#include <utility>

#include "http/message/ascii.h"
#include "http/message/http_date.h"
#include "http/middleware/internal/cache_key.h"
#include "http/middleware/internal/field_lines.h"
#include "runtime/wall_clock.h"

namespace volt::http::middleware {
namespace {

using message::CacheControl;
using message::equal_ignoring_case;

constexpr std::int64_t kLifetimeSecondsMax = std::int64_t{1} << 31;  // as for max-age (RFC 9111 section 1.2.2)
constexpr std::size_t kTagsMax = 32;                                 // of a response
constexpr std::size_t kTagBytesMax = 256;                            // of one tag
constexpr std::size_t kVaryNamesMax = 8;  // a response that depends on more fields is hardly used twice

// The fields of a response, as far as the decision needs them.
struct ResponseFacts {
  CacheControl control;
  std::vector<std::string> tags;
  std::vector<std::string> vary_names;
  bool varies_on_all = false;
  bool sets_cookie = false;
  std::chrono::seconds age{0};
  std::optional<std::string_view> expires;
};

void add_elements(std::string_view list, std::vector<std::string>& out) {
  while (!list.empty()) {
    const std::string_view element = message::take_list_element(list);
    if (!element.empty()) out.emplace_back(element);
  }
}

ResponseFacts facts_of(const Response& response) {
  ResponseFacts facts;
  for_each_field(response.headers(), [&](std::string_view name, std::string_view value) {
    if (equal_ignoring_case(name, "cache-control")) {
      facts.control.add(value);
    } else if (equal_ignoring_case(name, "vary")) {
      add_elements(value, facts.vary_names);
    } else if (equal_ignoring_case(name, "cache-tag")) {
      add_elements(value, facts.tags);
    } else if (equal_ignoring_case(name, "set-cookie")) {
      facts.sets_cookie = true;
    } else if (equal_ignoring_case(name, "age")) {
      facts.age = message::parse_delta_seconds(value).value_or(facts.age);
    } else if (equal_ignoring_case(name, "expires")) {
      facts.expires = value;
    }
  });
  for (std::string& name : facts.vary_names) {
    std::ranges::transform(name, name.begin(), message::to_lower);
    facts.varies_on_all = facts.varies_on_all || name == "*";
  }
  std::ranges::sort(facts.vary_names);
  const auto repeated = std::ranges::unique(facts.vary_names);
  facts.vary_names.erase(repeated.begin(), repeated.end());
  return facts;
}

// Statuses whose responses have a meaning of their own for the next client as well.
bool storable_status(Status status) noexcept {
  constexpr Status kStored[] = {Status::ok,
                                Status::non_authoritative_information,
                                Status::no_content,
                                Status::multiple_choices,
                                Status::moved_permanently,
                                Status::found,
                                Status::temporary_redirect,
                                Status::permanent_redirect,
                                Status::not_found,
                                Status::gone};
  return std::ranges::find(kStored, status) != std::end(kStored);
}

std::optional<NotStored> reason_not_to_store(const Request& request, const Response& response,
                                             const ResponseFacts& facts, const StorageRules& rules) {
  const Status status = response.status();
  if (code(status) >= 500) return NotStored::failed;
  if (status == Status::partial_content || status == Status::not_modified || status == Status::precondition_failed) {
    return NotStored::partial;
  }
  const CacheControl& control = facts.control;
  const bool whole = response.stream() == nullptr && response.upgrade() == nullptr && !response.closes() &&
                     response.body().size() <= rules.body_bytes_max;
  const bool for_all = !control.no_store && !control.no_cache && !control.is_private && !facts.sets_cookie &&
                       !facts.varies_on_all && facts.vary_names.size() <= kVaryNamesMax;
  // Section 3.5. Section 5.2.2.8: proxy-revalidate does not permit it.
  const bool permitted = !request.headers().contains("authorization") || control.is_public ||
                         control.s_maxage.has_value() || control.must_revalidate;
  const bool removable = facts.tags.size() <= kTagsMax && std::ranges::all_of(facts.tags, [](const std::string& tag) {
                           return tag.size() <= kTagBytesMax;
                         });
  if (storable_status(status) && whole && for_all && permitted && removable) return std::nullopt;
  return NotStored::is_private;
}

// Section 4.2.1; nothing without an explicit lifetime. A date of the year 9999 is usual, and is more nanoseconds than a
// duration can count.
std::optional<std::chrono::seconds> explicit_lifetime(const ResponseFacts& facts) {
  if (facts.control.s_maxage) return facts.control.s_maxage;
  if (facts.control.max_age) return facts.control.max_age;
  if (!facts.expires) return std::nullopt;
  const auto now = wall_second();
  const auto date = message::parse_http_date(*facts.expires, now);
  if (!date) return std::chrono::seconds(0);  // it has passed (section 5.3)
  return std::min(*date - now, std::chrono::seconds(kLifetimeSecondsMax));
}

std::chrono::seconds default_lifetime(const Request& request, const Response& response, const StorageRules& rules) {
  const bool anonymous = !request.headers().contains("cookie") && !request.headers().contains("authorization");
  return anonymous && response.status() == Status::ok ? rules.default_age : std::chrono::seconds(0);
}

}  // namespace

CacheControl cache_control_of(const Request& request) noexcept {
  CacheControl control;
  for (const std::string_view line : request.headers().all("cache-control")) control.add(line);
  return control;
}

bool cacheable_request(const Request& request, const CacheControl& control) noexcept {
  const bool reads = request.method() == Method::get || request.method() == Method::head;
  const Fields& fields = request.headers();
  return reads && !control.no_store && !fields.contains("range") && !fields.contains("upgrade") &&
         request.has_whole_body() && request.body().empty();
}

std::expected<Storable, NotStored> storable(const Request& request, const Response& response,
                                            const StorageRules& rules) {
  constexpr std::chrono::seconds kNone{0};
  ResponseFacts facts = facts_of(response);
  if (const auto reason = reason_not_to_store(request, response, facts, rules)) return std::unexpected(*reason);
  const std::chrono::seconds lifetime =
      explicit_lifetime(facts).value_or(default_lifetime(request, response, rules)) - facts.age;
  if (lifetime <= kNone) return std::unexpected(NotStored::is_private);
  Storable kept{.response = {}, .vary_names = std::move(facts.vary_names)};
  kept.response.status = response.status();
  kept.response.content_type = response.content_type();
  kept.response.age = facts.age;
  kept.response.fresh_for = lifetime;
  // Sections 5.2.2.2 and 5.2.2.8: never used when stale.
  const bool revalidated = facts.control.must_revalidate || facts.control.proxy_revalidate;
  if (!revalidated) {
    kept.response.stale_while_revalidate = facts.control.stale_while_revalidate.value_or(kNone);
    kept.response.stale_if_error = facts.control.stale_if_error.value_or(kNone);
  }
  kept.response.tags = std::move(facts.tags);
  for (std::string& tag : kept.response.tags) tag = canonical_path(tag);
  kept.response.tags.push_back(canonical_path(request.path()));
  kept.response.fields = response.headers();
  for (const char* name : {"age", "cache-tag"}) kept.response.fields.remove(name);
  return kept;
}

Freshness freshness_at(const CachedResponse& response, std::chrono::nanoseconds since_save) noexcept {
  if (since_save < response.fresh_for) return Freshness::fresh;
  if (since_save < response.fresh_for + response.stale_while_revalidate) return Freshness::stale_while_revalidate;
  if (since_save < response.fresh_for + response.stale_if_error) return Freshness::stale_if_error;
  return Freshness::expired;
}

}  // namespace volt::http::middleware
