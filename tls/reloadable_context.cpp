// SPDX-License-Identifier: MIT

#include "tls/reloadable_context.h"

#include <utility>

#include "tls/internal/ticket_keys.h"

namespace volt::tls {

ReloadableContext::ReloadableContext(Options options, std::shared_ptr<internal::TicketKeys> ticket_keys,
                                     std::shared_ptr<const Context> context) noexcept
    : options_(std::move(options)), ticket_keys_(std::move(ticket_keys)), current_(std::move(context)) {}

std::expected<std::unique_ptr<ReloadableContext>, std::string> ReloadableContext::load(Options options) {
  auto ticket_keys =
      std::make_shared<internal::TicketKeys>(std::chrono::ceil<std::chrono::seconds>(options.ticket_key_lifetime));
  auto context = Context::load(options, ticket_keys);
  if (!context) return std::unexpected(std::move(context.error()));
  return std::unique_ptr<ReloadableContext>(
      new ReloadableContext(std::move(options), std::move(ticket_keys), std::move(*context)));
}

std::shared_ptr<const Context> ReloadableContext::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

std::expected<void, std::string> ReloadableContext::reload() {
  auto context = Context::load(options_, ticket_keys_);
  if (!context) return std::unexpected(std::move(context.error()));
  const std::lock_guard lock(mutex_);
  current_.swap(*context);
  return {};
}

std::string ReloadableContext::export_ticket_keys() const { return ticket_keys_->export_keys(); }

bool ReloadableContext::import_ticket_keys(std::string_view secret) {
  return ticket_keys_->import_keys(secret, internal::TicketKeys::Clock::now());
}

}  // namespace volt::tls
