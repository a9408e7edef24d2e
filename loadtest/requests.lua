-- A script of wrk: `wrk -s requests.lua URL -- DEPTH BODY_BYTES REQUESTS_PER_CONNECTION` pipelines DEPTH requests, which
-- are POSTs with a body if BODY_BYTES is not 0. If REQUESTS_PER_CONNECTION is not 0, one of so many requests asks
-- the server to close its connection. Prints one line that begins with "figures" for the calling program. The
-- requests are composed once, so Lua costs little CPU time per request.

function init(arguments)
  local depth, body_bytes, per_connection = tonumber(arguments[1]), tonumber(arguments[2]), tonumber(arguments[3])
  if body_bytes > 0 then
    wrk.method = "POST"
    wrk.body = string.rep("x", body_bytes)
  end
  local requests = string.rep(wrk.format(), depth)
  local format = wrk.format
  wrk.format = function() return requests end
  if per_connection == 0 then return end
  wrk.headers["Connection"] = "close"
  local last = format()
  local count = 0
  request = function()
    count = count % per_connection + 1
    return count == per_connection and last or requests
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  print(string.format("figures requests=%d us=%d errors=%d p50_us=%d p99_us=%d", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, latency:percentile(50),
    latency:percentile(99)))
end
