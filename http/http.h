// Everything a service needs to say: App, extractors, answers, streams, events, WebSocket, middleware.
#pragma once

#include "http/app.h"
#include "http/event_stream.h"
#include "http/extract.h"
#include "http/file.h"
#include "http/handler.h"
#include "http/middleware.h"
#include "http/multipart.h"
#include "http/options.h"
#include "http/problem.h"
#include "http/redirect.h"
#include "http/request.h"
#include "http/response.h"
#include "http/stream.h"
#include "http/websocket.h"
#include "runtime/task.h"
