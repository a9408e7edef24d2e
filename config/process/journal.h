// SPDX-License-Identifier: MIT

// Detects systemd's journal, which reads the priority of each line from a prefix, such as "<4>" (sd-daemon(3)).
//
// Rejected: the journal's own protocol, a datagram for each line (systemd.io/JOURNAL_NATIVE_PROTOCOL). The journal
// would index each field, but each line would cost a system call instead of its part of a write, and a line that the
// journal does not accept at once would need a second way. The line of a crash and the output of libraries would still
// come on stderr. With log.format = "json", jq selects fields of the journal's lines.
//
// Threads: any.
#pragma once

namespace volt::config {

// Returns whether stderr is connected to the journal, as the environment variable JOURNAL_STREAM says
// (systemd.exec(5)). It is not if stderr was redirected after systemd had started the service.
[[nodiscard]] bool stderr_is_journal() noexcept;

}  // namespace volt::config
