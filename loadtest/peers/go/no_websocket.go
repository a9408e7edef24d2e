//go:build !websocket

package main

import "net/http"

func addWebSocket(*http.ServeMux) {}
