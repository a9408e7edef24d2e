//go:build !db

package main

import "errors"

type world struct{}

var errNoDatabase = errors.New("built without a database")

func openDatabase() {}

func selectWorld() (world, error) { return world{}, errNoDatabase }

func selectWorlds(int) ([]world, error) { return nil, errNoDatabase }
