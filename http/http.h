// SPDX-License-Identifier: MIT

// Includes the framework's usual headers: App, extractors, responses, streams, events, WebSocket and middleware.
#pragma once

#include "http/message/byte_size.h"
#include "http/middleware/compress.h"
#include "http/middleware/limits.h"
#include "http/middleware/observe.h"
#include "http/multipart/multipart.h"
#include "http/server/app.h"
#include "http/server/options.h"
#include "http/web/event_stream.h"
#include "http/web/extract.h"
#include "http/web/file.h"
#include "http/web/handler.h"
#include "http/web/middleware.h"
#include "http/web/problem.h"
#include "http/web/redirect.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "http/web/stream.h"
#include "http/websocket/websocket.h"
#include "runtime/task.h"
