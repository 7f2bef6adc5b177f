package command

// What a supervisor finds open beside its three standard files, which are the command's.
const (
	lifelineFile = 3 // it reads its request here, one line of JSON; the end says that the command is to be stopped
	reportFile   = 4 // it writes its reports here, lines of JSON
)

// launchFile is where the process that becomes the command says why it can't; it is closed when it has become the command.
const launchFile = 3

// request is what a supervisor is asked to do.
type request struct {
	Path         string   `json:"path"`
	Argv         []string `json:"argv"`
	Env          []string `json:"env"`
	Dir          string   `json:"dir"`
	MaxMemory    int64    `json:"max_memory"`
	MaxFileSize  int64    `json:"max_file_size"`
	MaxProcesses int      `json:"max_processes"`
}

// report is what a supervisor tells: first the process, last the end of it.
type report struct {
	Process int  `json:"process,omitempty"`
	End     *end `json:"end,omitempty"`
}

// end is how a command ended; all that it started is gone.
type end struct {
	Exit    int    `json:"exit"`              // its exit code, if it ended by itself
	Signal  int    `json:"signal,omitempty"`  // what killed it
	Over    string `json:"over,omitempty"`    // the limit that it was stopped at
	Stopped bool   `json:"stopped,omitempty"` // it was to be stopped
	Launch  string `json:"launch,omitempty"`  // why it could not be started
}

// limits at which a supervisor stops a command
const (
	overMemory    = "memory"
	overProcesses = "processes"
)
