//go:build db

package main

import (
	"context"
	"log"
	"math/rand"
	"os"
	"strconv"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

const rowCount = 10000

type world struct {
	ID           int32 `json:"id"`
	RandomNumber int32 `json:"randomNumber"`
}

var pool *pgxpool.Pool // nil if there is no database

func openDatabase() {
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		return
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		log.Fatal(err)
	}
	connections, err := strconv.Atoi(os.Getenv("DATABASE_MAX_CONN"))
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = int32(connections)
	config.AfterConnect = func(ctx context.Context, connection *pgx.Conn) error {
		_, err := connection.Prepare(ctx, "world", "select id, randomnumber from world where id = $1")
		return err
	}
	if pool, err = pgxpool.ConnectConfig(context.Background(), config); err != nil {
		log.Fatal(err)
	}
}

func selectWorld() (row world, err error) {
	err = pool.QueryRow(context.Background(), "world", rand.Intn(rowCount)+1).Scan(&row.ID, &row.RandomNumber)
	return row, err
}

// Sends the queries one after the other on one connection: pgx 4 sends a batch under a single Sync, as one transaction.
func selectWorlds(count int) ([]world, error) {
	rows := make([]world, count)
	connection, err := pool.Acquire(context.Background())
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	for at := range rows {
		row := connection.QueryRow(context.Background(), "world", rand.Intn(rowCount)+1)
		if err := row.Scan(&rows[at].ID, &rows[at].RandomNumber); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
