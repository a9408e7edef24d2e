-- A script of wrk: `wrk -s requests.lua URL -- DEPTH BODY_BYTES` pipelines DEPTH requests, which are POSTs with a body if
-- BODY_BYTES is not 0, and prints one line that begins with "figures" for the calling program. The requests are composed
-- once, so Lua costs no CPU time per request.

function init(arguments)
  local depth, body_bytes = tonumber(arguments[1]), tonumber(arguments[2])
  if body_bytes > 0 then
    wrk.method = "POST"
    wrk.body = string.rep("x", body_bytes)
  end
  local requests = string.rep(wrk.format(), depth)
  wrk.format = function() return requests end
end

function done(summary, latency, requests)
  local errors = summary.errors
  print(string.format("figures requests=%d us=%d errors=%d p50_us=%d p99_us=%d", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, latency:percentile(50),
    latency:percentile(99)))
end
