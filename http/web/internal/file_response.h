// SPDX-License-Identifier: MIT

// Makes the response that carries a file, or the response that reports an error.
//
// Threads: the functions depend on their arguments only.
#pragma once

#include "http/files/stored_file.h"
#include "http/web/request.h"
#include "http/web/response.h"

namespace volt::http::web {

// Returns the response that `plan` describes, or a problem if the plan's status is an error. Small content is copied
// into the response; larger content is streamed from `file`, which is kept until the response has been sent. If the
// file has become shorter, the connection is closed, so the response never looks complete.
[[nodiscard]] Response file_response(const files::SharedFile& file, const files::FilePlan& plan,
                                     const Request& request);

[[nodiscard]] Response error_response(files::FileError error, const Request& request);

// Whether the request has neither a condition nor a range, and so wants the whole file.
[[nodiscard]] bool is_unconditional(const Fields& request) noexcept;

}  // namespace volt::http::web
