package postgrestest

import "syscall"

// endWithParent has the system end a process when the thread that started it ends.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGQUIT }
