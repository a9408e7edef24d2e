//! The hyper peer, on Tokio's work-stealing runtime.

mod database;

use std::convert::Infallible;
use std::env;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future;
use hyper::body::HttpBody;
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::service::{make_service_fn, service_fn};
use hyper::{Body, Method, Request, Response, Server, StatusCode};
use serde::Serialize;

use database::Database;

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

fn respond(kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn nothing(status: StatusCode) -> Response<Body> {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}

fn json(value: &impl Serialize) -> Response<Body> {
    respond("application/json", serde_json::to_vec(value).unwrap())
}

fn selected<T: Serialize>(rows: Result<T, tokio_postgres::Error>) -> Response<Body> {
    match rows {
        Ok(rows) => json(&rows),
        Err(_) => nothing(StatusCode::SERVICE_UNAVAILABLE),
    }
}

fn number(query: Option<&str>, name: &str) -> u64 {
    let digits = query.and_then(|query| query.strip_prefix(name)?.strip_prefix('='));
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

fn work(us: u64) -> Response<Body> {
    let began = Instant::now();
    while began.elapsed() < Duration::from_micros(us) {}
    respond("text/plain", "done")
}

async fn upload(mut body: Body) -> Result<Response<Body>, hyper::Error> {
    let mut count = 0;
    while let Some(piece) = body.data().await {
        count += piece?.len();
    }
    Ok(respond("text/plain", count.to_string()))
}

async fn handle(request: Request<Body>, database: Option<Arc<Database>>) -> Result<Response<Body>, hyper::Error> {
    let query = request.uri().query();
    Ok(match (request.method(), request.uri().path(), database) {
        (&Method::GET, "/plaintext", _) => respond("text/plain", "Hello, World!"),
        (&Method::GET, "/json", _) => json(&Message { message: "Hello, World!" }),
        (&Method::GET, "/db", Some(database)) => selected(database.select_world().await),
        (&Method::GET, "/queries", Some(database)) => {
            selected(database.select_worlds(number(query, "queries") as usize).await)
        }
        (&Method::GET, "/work", _) => work(number(query, "us")),
        (&Method::POST, "/upload", _) => return upload(request.into_body()).await,
        _ => nothing(StatusCode::NOT_FOUND),
    })
}

async fn serve(port: u16) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], port).into()).unwrap();
    let listener = socket.listen(4096).unwrap().into_std().unwrap();
    let database = Database::open().await.unwrap().map(Arc::new);
    let service = make_service_fn(|_| {
        let database = database.clone();
        future::ok::<_, Infallible>(service_fn(move |request| handle(request, database.clone())))
    });
    let builder = Server::from_tcp(listener).unwrap();
    builder.http1_only(true).http1_pipeline_flush(true).tcp_nodelay(true).serve(service).await.unwrap();
}

fn main() {
    let number = |name| env::var(name).unwrap().parse::<u16>().unwrap();
    let workers = usize::from(number("WORKERS"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build().unwrap();
    runtime.block_on(serve(number("PORT")));
}
