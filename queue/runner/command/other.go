//go:build !linux

package command

import (
	"fmt"
	"runtime"
)

var errSystem = fmt.Errorf("%w: commands need Linux, this is %s", ErrOptions, runtime.GOOS)

func supervise() error    { return errSystem }
func launch(string) error { return errSystem }
