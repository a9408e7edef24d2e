// SPDX-License-Identifier: MIT

// ReloadableContext: holds the context for new connections, and replaces it as a whole on a reload.
//
// Its ticket keys are kept through reloads, so that earlier tickets remain valid. They are not shared with other
// ReloadableContexts.
//
// Threads: any. load() and reload() block on files, so call them off the workers (runtime/blocking.h).
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
  // Loads the files. Error: a sentence that names the file and the cause.
  [[nodiscard]] static std::expected<std::unique_ptr<ReloadableContext>, std::string> load(Options options);

  // Returns the context for a new connection.
  [[nodiscard]] std::shared_ptr<const Context> current() const;

  // Reads the files again. Connections keep the context that they began with. On an error the current context stays,
  // and the sentence names the file and the cause.
  [[nodiscard]] std::expected<void, std::string> reload();

  // Returns the ticket keys for the replacement process, so that clients can resume their sessions there if the policy
  // for client certificates is unchanged. The result is secret: keep it in memory only.
  [[nodiscard]] std::string export_ticket_keys() const;
  // Replaces the ticket keys by those that export_ticket_keys() of the replaced process returned. Returns false and
  // changes nothing if `secret` has another form.
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
