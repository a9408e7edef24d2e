// Everything a service needs to say: App, extractors, answers, streams, middleware.
#pragma once

#include "http/app.h"
#include "http/extract.h"
#include "http/handler.h"
#include "http/middleware.h"
#include "http/options.h"
#include "http/problem.h"
#include "http/request.h"
#include "http/response.h"
#include "http/stream.h"
#include "runtime/task.h"
