// The answer that carries a file, or says why it does not.
//
// Threads: functions of their arguments.
#pragma once

#include "http/files/stored_file.h"
#include "http/web/request.h"
#include "http/web/response.h"

namespace volt::http::web {

// The file as planned; a problem where the plan is to refuse. A small content is in the response; a larger one is
// streamed, and keeps `file` until it has been sent. Where the file turns out to be shorter than it was, the connection
// ends: never an answer that looks whole.
[[nodiscard]] Response file_response(const files::SharedFile& file, const files::FilePlan& plan,
                                     const Request& request);

[[nodiscard]] Response error_response(files::FileError error, const Request& request);

// Nothing in the request asks for less than the whole: no condition, no range.
[[nodiscard]] bool is_unconditional(const Fields& request) noexcept;

}  // namespace volt::http::web
