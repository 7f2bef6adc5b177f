//go:build !linux

package postgrestest

import "syscall"

// endWithParent does nothing where the system doesn't watch parents.
func endWithParent(*syscall.SysProcAttr) {}
