#!/bin/sh
# SPDX-License-Identifier: MIT
# smoke.sh FLAG ENGINE: does `hello --io FLAG` choose this engine (io_uring or epoll), respond, and end on SIGTERM?
# smoke.sh FLAG refused: does it end with the reason that the kernel is too old?
log=/tmp/hello.log
: >$log  # else the log of an earlier run could be read before the shell in the background empties it
# The emulated processor may pause for so long that the server refuses the request as one that has waited.
export VOLT_SERVER_QUEUE_DELAY_MAX=0ms
hello --io "$1" --listen 127.0.0.1:8080 2>$log &
tries=0
until grep -q "listening on" $log || ! kill -0 $! 2>/dev/null || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
[ "$2" = refused ] || response=$(wget -q -O - http://127.0.0.1:8080/)
kill -TERM $! 2>/dev/null
wait $!
status=$?
cat $log
echo "response: $response; status: $status"
if [ "$2" = refused ]; then
  [ $status = 1 ] && grep -q "kernel is too old.*5\.19" $log
else
  [ "$response" = "Hello, World!" ] && [ $status = 0 ] && grep -q " io=$2 " $log
fi
