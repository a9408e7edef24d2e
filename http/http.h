// Everything a service needs to say: App, Request, Response, handlers as coroutines.
#pragma once

#include "http/app.h"
#include "http/handler.h"
#include "http/options.h"
#include "http/request.h"
#include "http/response.h"
#include "runtime/task.h"
