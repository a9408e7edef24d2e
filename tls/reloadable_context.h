// ReloadableContext: the context that new connections get, replaced as a whole when its files have changed.
//
// One for each listener: its ticket keys are its own and live on through reloads, so that tickets keep opening here
// and open nowhere else.
//
// Threads: any. reload() reads files: off the workers (runtime/blocking.h).
#pragma once

#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tls/context.h"
#include "tls/options.h"

namespace volt::tls {

class ReloadableContext {
 public:
  [[nodiscard]] static std::expected<std::unique_ptr<ReloadableContext>, std::string> load(Options options);

  [[nodiscard]] std::shared_ptr<const Context> current() const;

  // Reads the files again. Connections keep the context that they began with. If anything is wrong the current
  // context stays, and the sentence says what it is.
  [[nodiscard]] std::expected<void, std::string> reload();

  // The ticket keys, for a replacement of this process in the same place, and from a predecessor: then the sessions of its
  // clients resume here, as far as the policy for clients is the same. Secret: to go through memory alone.
  [[nodiscard]] std::string export_ticket_keys() const;
  // False, and all is as it was, for what no export_ticket_keys() gave.
  [[nodiscard]] bool import_ticket_keys(std::string_view secret);

  [[nodiscard]] const Options& options() const noexcept { return options_; }

 private:
  ReloadableContext(Options options, std::shared_ptr<internal::TicketKeys> ticket_keys,
                    std::shared_ptr<const Context> context) noexcept;

  const Options options_;
  const std::shared_ptr<internal::TicketKeys> ticket_keys_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Context> current_;  // guarded by mutex_
};

}  // namespace volt::tls
