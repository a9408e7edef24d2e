-- For wrk: `wrk -s pipelining.lua URL -- DEPTH` sends DEPTH requests at a time, and prints one line that begins with
-- "figures" for the program that called it. The request is composed once, so Lua costs the client nothing.

function init(arguments)
  local depth = tonumber(arguments[1] or "1")
  local requests = string.rep(wrk.format(), depth)
  wrk.format = function() return requests end
end

function done(summary, latency, requests)
  local errors = summary.errors
  print(string.format("figures requests=%d us=%d errors=%d p50_us=%d p99_us=%d", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, latency:percentile(50),
    latency:percentile(99)))
end
