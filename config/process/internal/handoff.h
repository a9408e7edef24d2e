// HandoffSecret: secrets that a process leaves to its replacement, in memory that has no name: sealed, so that nobody changes it
// afterwards, and passed as a descriptor. Never on disk, nor in the environment, which ps(1) and dumps show.
//
// Not among them are the private keys of certificates. A process that gave up its privileges may hold one that it could
// not read again; but what an operator has closed to a user is not to be opened to every program that this user's
// processes become.
//
// Threads: functions.
#pragma once

#include <string>
#include <vector>

#include "config/process/internal/descriptor.h"
#include "runtime/result.h"

namespace volt::config {

struct HandoffSecret {
  std::string place;   // where the listener is that it is for, as the configuration has it
  std::string secret;  // http::TransportSource::handoff_secret()
};

// A memory file of them. Errors: as of memfd_create(2) and write(2).
[[nodiscard]] Result<Descriptor> seal(const std::vector<HandoffSecret>& handoff_secrets);

// What is in such a file; nothing if it is another, or not sealed.
[[nodiscard]] std::vector<HandoffSecret> unseal(const Descriptor& file);

void wipe(std::vector<HandoffSecret>& handoff_secrets) noexcept;

}  // namespace volt::config
