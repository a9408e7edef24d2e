//! Connections to PostgreSQL that all requests share, with any number of queries in progress on each.

use std::env;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future;
use rand::Rng;
use serde::Serialize;
use tokio_postgres::{Client, Error, NoTls, Statement};

const ROW_COUNT: i32 = 10_000;

#[derive(Serialize)]
pub struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

struct Connection {
    client: Client,
    world: Statement,
}

pub struct Database {
    connections: Vec<Connection>,
    next: AtomicUsize,
}

impl Database {
    /// Returns None if DATABASE_URL is not set.
    pub async fn open() -> Result<Option<Database>, Error> {
        let Ok(url) = env::var("DATABASE_URL") else { return Ok(None) };
        let count = env::var("DATABASE_MAX_CONN").unwrap().parse().unwrap();
        let mut connections = Vec::new();
        while connections.len() < count {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
            tokio::spawn(connection);
            let world = client.prepare("select id, randomnumber from world where id = $1").await?;
            connections.push(Connection { client, world });
        }
        Ok(Some(Database { connections, next: AtomicUsize::new(0) }))
    }

    pub async fn select_world(&self) -> Result<World, Error> {
        self.in_turn().select_world().await
    }

    pub async fn select_worlds(&self, count: usize) -> Result<Vec<World>, Error> {
        let connection = self.in_turn();
        future::try_join_all((0..count).map(|_| connection.select_world())).await
    }

    fn in_turn(&self) -> &Connection {
        &self.connections[self.next.fetch_add(1, Ordering::Relaxed) % self.connections.len()]
    }
}

impl Connection {
    async fn select_world(&self) -> Result<World, Error> {
        let id = rand::thread_rng().gen_range(1..=ROW_COUNT);
        let row = self.client.query_one(&self.world, &[&id]).await?;
        Ok(World { id: row.get(0), random_number: row.get(1) })
    }
}
