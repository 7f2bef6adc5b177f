// Package command is the runner that asks a program: any language model tool, solver or script that reads its standard input and writes
// text. It needs Linux.
//
// There is no shell: the program and its arguments are the operator's, and a query comes to it on the standard input alone. What the
// program writes to its standard output is the answer, passed on as it comes. Its standard error is for the operator's log, its last
// lines are also told when it fails. Exit code 0 is success.
//
// # Processes
//
// Each run has three processes. The server starts its own program again as the run's supervisor, which does nothing but start the command
// and make sure that it ends; the supervisor starts the same program once more, which takes on the limits and then becomes the command.
// main calls MaybeChild first, and in these two processes that call doesn't return.
//
// The command is the leader of a process group of its own. When it ends, and when it is to be stopped, the supervisor kills the group in one
// step, and then whatever else descends from it: the supervisor is a child subreaper, so processes that left the group or lost their
// parents become its own children. It ends only when none are left, so Run returns only then. The server and its supervisor are joined
// by a pipe: closing it stops the command, and so does the end of the server, however it comes about. A command whose supervisor is killed
// is killed with it.
//
// # What holds, and what doesn't
//
//   - Memory. RLIMIT_DATA holds for each process of the run; the kernel refuses more. It counts what a program allocates, not the files
//     that it maps to read, like the weights of a model, and not the address space that it reserves. All processes of a run together
//     are looked at ten times a second, and a run that takes more than one process may is stopped; for a moment it can take more.
//   - File size. RLIMIT_FSIZE holds for each file. It doesn't bound how many files there are.
//   - Processes. RLIMIT_NPROC would count all processes of a user, the server's and other runs' among them, and doesn't bind root; a control
//     group is not ours to make everywhere. So the supervisor counts, ten times a second, and stops a run that has too many; for a moment
//     there can be more. Threads don't count.
//   - Privilege. A program gains none by a set-user-id file (no_new_privs), so that it can always be killed.
//   - The folder. Each run starts in an empty folder of its own, which is also its HOME and TMPDIR, and is removed with all that is in it.
//     The program can read and write elsewhere whatever the server's user can.
//
// The limits are against accidents and hostile queries, not against a hostile program: one that is written to get away can kill its
// supervisor, or have another service work for it. Such a program belongs in a container of its own, or under a user that can do little.
package command
