// The fasthttp peer, in one process with GOMAXPROCS threads.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

type message struct {
	Message string `json:"message"`
}

func sendJSON(ctx *fasthttp.RequestCtx, value any, err error) {
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusServiceUnavailable)
		return
	}
	ctx.SetContentType("application/json")
	body, _ := json.Marshal(value)
	ctx.Write(body)
}

func work(ctx *fasthttp.RequestCtx) {
	us := ctx.QueryArgs().GetUintOrZero("us")
	for began := time.Now(); time.Since(began) < time.Duration(us)*time.Microsecond; {
	}
	ctx.WriteString("done")
}

func upload(ctx *fasthttp.RequestCtx) {
	count, err := io.Copy(io.Discard, ctx.RequestBodyStream())
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadRequest)
		return
	}
	ctx.WriteString(strconv.FormatInt(count, 10))
}

func main() {
	openDatabase()
	files := fasthttp.FS{
		Root:          os.Getenv("FILES"),
		PathRewrite:   fasthttp.NewPathSlashesStripper(1),
		CacheDuration: time.Second,
	}
	static := files.NewRequestHandler()
	handle := func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("text/plain")
		switch string(ctx.Path()) {
		case "/plaintext":
			ctx.WriteString("Hello, World!")
		case "/json":
			sendJSON(ctx, message{"Hello, World!"}, nil)
		case "/db":
			row, err := selectWorld()
			sendJSON(ctx, row, err)
		case "/queries":
			rows, err := selectWorlds(ctx.QueryArgs().GetUintOrZero("queries"))
			sendJSON(ctx, rows, err)
		case "/work":
			work(ctx)
		case "/upload":
			upload(ctx)
		default:
			static(ctx)
		}
	}
	server := fasthttp.Server{
		Handler:            handle,
		Name:               "fasthttp",
		MaxRequestBodySize: 16 << 20,
		StreamRequestBody:  true,
	}
	address := "127.0.0.1:" + os.Getenv("PORT")
	if os.Getenv("TLS") != "" {
		log.Fatal(server.ListenAndServeTLS(address, os.Getenv("CERTIFICATE"), os.Getenv("KEY")))
	}
	log.Fatal(server.ListenAndServe(address))
}
