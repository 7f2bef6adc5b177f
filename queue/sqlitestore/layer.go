//go:build !killpoints

package sqlitestore

// fileLayer is SQLite's file layer beneath a Store that names none: the system's.
const fileLayer = ""
