package sql

// request is the one line that the parent writes.
type request struct {
	Do        string `json:"do"` // doRun, doCheck or doDescribe
	Database  string `json:"database"`
	Query     string `json:"query,omitempty"`
	MaxRows   int    `json:"max_rows,omitempty"`
	MaxBytes  int64  `json:"max_bytes,omitempty"`
	MaxMemory int64  `json:"max_memory"`
	// LimitMS ends the work from inside after so many milliseconds, should the parent be unable to. 0: no limit.
	LimitMS int64 `json:"limit_ms,omitempty"`
}

const (
	doRun      = "run"
	doCheck    = "check"
	doDescribe = "describe"
)

// reply is any line of the child that is not a row. Exactly one field is set.
type reply struct {
	Columns *[]string `json:"columns,omitempty"`
	End     *end      `json:"end,omitempty"`
	Error   *fault    `json:"error,omitempty"`
	Schema  *schema   `json:"schema,omitempty"`
}

// end says that the answer is over.
type end struct {
	Truncated string `json:"truncated,omitempty"` // cutRows, cutBytes or empty
}

const (
	cutRows  = "rows"
	cutBytes = "bytes"
)

// fault says why there is no whole answer.
type fault struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail"`         // for the visitor
	Line   int    `json:"line,omitempty"` // of the query, from 1; 0: not known
	Log    string `json:"log,omitempty"`  // for the operator
}

const (
	kindRejected    = "rejected"    // the query is faulty
	kindFailed      = "failed"      // the query failed while it ran
	kindMemory      = "memory"      // it needed too much memory
	kindInterrupted = "interrupted" // LimitMS ran out
	kindUnavailable = "unavailable" // the database can't be opened
	kindInternal    = "internal"    // a fault of the child
)

// schema is what the form tells of a database.
type schema struct {
	ApplicationID int64   `json:"application_id"`
	Tables        []table `json:"tables"`
}

// table is one table, or what can be asked like one.
type table struct {
	Name string `json:"name"`
	Type string `json:"type"` // "table", "view", "fulltext", "virtual"
}
