package main

import (
	"context"
	"fmt"
	"time"

	"confluence/queue"
	"confluence/queue/memory"
	"confluence/queue/sqlitestore"
)

// openFolder opens the data folder, or a temporary one if there is to be none.
func (a *app) openFolder() (dataFolder, error) {
	if a.settings.DataDir != "" {
		return openDataFolder(a.settings.DataDir, a.log)
	}
	a.log.Warn("there is no data folder: the line and the sessions are kept in memory, and a restart forgets them")
	return dataFolder(a.temporary.path), nil
}

// openLine opens the line and starts its timers: from here on the time of those who wait and are called runs.
func (a *app) openLine(ctx context.Context, folder dataFolder) error {
	store, err := a.openStore(folder)
	if err != nil {
		return err
	}
	a.controller, err = queue.NewAdmissionController(queue.Options{Store: store, Logger: a.log})
	if err != nil {
		return fmt.Errorf("the line: %w", err)
	}
	if err := a.controller.Start(ctx); err != nil {
		return fmt.Errorf("the line: %w", err)
	}
	return nil
}

// openStore opens the line in the data folder, or makes one in memory if there is none.
func (a *app) openStore(folder dataFolder) (queue.Store, error) {
	cfg := a.settings.line(time.Now())
	if a.settings.DataDir == "" {
		store, err := memory.New(memory.Options{Config: cfg})
		if err != nil {
			return nil, fmt.Errorf("the line: %w", err)
		}
		return store, nil
	}
	store, err := sqlitestore.Open(sqlitestore.Options{Config: cfg, Folder: string(folder), Logger: a.log})
	if err != nil {
		return nil, fmt.Errorf("the line: %w", err)
	}
	a.stored = store
	return store, nil
}
