// SPDX-License-Identifier: MIT

// HandoffSecret: a secret that a process passes to its replacement process. Secrets are passed as the descriptor of an
// anonymous memory file (memfd_create(2)) that is sealed against changes. They are never written to disk or to the
// environment, which ps(1) and dumps show.
//
// Rejected: passing the private keys of certificates. This would help a replacement process that runs without the
// privilege to read the key files. But a key that the operator made unreadable for a user would then be readable for
// every program that this user's processes execute.
//
// Threads: functions without shared state.
#pragma once

#include <string>
#include <vector>

#include "runtime/file_descriptor.h"
#include "runtime/result.h"

namespace volt::config {

struct HandoffSecret {
  std::string place;   // address of its listener, in the form of the configuration
  std::string secret;  // http::TransportSource::handoff_secret()
};

// Returns a sealed memory file with the secrets. Errors: those of memfd_create(2) and write(2).
[[nodiscard]] Result<FileDescriptor> seal(const std::vector<HandoffSecret>& handoff_secrets);

// Returns the secrets in a file that seal() made; none if the file has another format, or is not sealed.
[[nodiscard]] std::vector<HandoffSecret> unseal(const FileDescriptor& file);

// Overwrites the secrets in memory.
void wipe(std::vector<HandoffSecret>& handoff_secrets) noexcept;

}  // namespace volt::config
