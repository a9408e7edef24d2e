//! The hyper peer, on Tokio's threads that steal work.

use std::convert::Infallible;
use std::env;
use std::time::{Duration, Instant};

use hyper::body::HttpBody;
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::service::{make_service_fn, service_fn};
use hyper::{Body, Method, Request, Response, Server, StatusCode};
use serde::Serialize;

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

fn answer(kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn work(query: &str) -> Response<Body> {
    let us = query.strip_prefix("us=").and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let began = Instant::now();
    while began.elapsed() < Duration::from_micros(us) {}
    answer("text/plain", "done")
}

async fn upload(mut body: Body) -> Result<Response<Body>, hyper::Error> {
    let mut count = 0;
    while let Some(piece) = body.data().await {
        count += piece?.len();
    }
    Ok(answer("text/plain", count.to_string()))
}

async fn handle(request: Request<Body>) -> Result<Response<Body>, hyper::Error> {
    Ok(match (request.method(), request.uri().path()) {
        (&Method::GET, "/plaintext") => answer("text/plain", "Hello, World!"),
        (&Method::GET, "/json") => {
            let body = serde_json::to_vec(&Message { message: "Hello, World!" }).unwrap();
            answer("application/json", body)
        }
        (&Method::GET, "/work") => work(request.uri().query().unwrap_or("")),
        (&Method::POST, "/upload") => return upload(request.into_body()).await,
        _ => {
            let mut response = Response::default();
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        }
    })
}

async fn serve(port: u16) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], port).into()).unwrap();
    let listener = socket.listen(4096).unwrap().into_std().unwrap();
    let service = make_service_fn(|_| async { Ok::<_, Infallible>(service_fn(handle)) });
    let builder = Server::from_tcp(listener).unwrap();
    builder.http1_only(true).http1_pipeline_flush(true).tcp_nodelay(true).serve(service).await.unwrap();
}

fn main() {
    let number = |name| env::var(name).unwrap().parse::<u16>().unwrap();
    let workers = usize::from(number("WORKERS"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build().unwrap();
    runtime.block_on(serve(number("PORT")));
}
