// SPDX-License-Identifier: MIT
#include <http/message/status.h>
#include <runtime/task.h>

volt::Task<volt::http::Status> handler() { co_return volt::http::Status::not_found; }

int main() { return 0; }
