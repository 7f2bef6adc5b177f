package views

// Page is the frame that every page stands in.
type Page struct {
	Title string // leads with the fact: "3 · about 3 minutes"; the layout adds the name of the place
	Icon  string // one of the Icon constants, or PlaceIcon(place); empty: IconPlain
	Tone  Tone

	// RefreshSeconds and RefreshTo move the page on where scripts are off: to RefreshTo, or to itself if that is empty, after so many
	// seconds. 0: never.
	RefreshSeconds int
	RefreshTo      string

	asks bool // it is the form itself
	mine bool // it is the list of the visitor's own runs

	Here string // the path at which the page is read, with its question; a change of language leads back there

	KeptFor string // how long a run's answer is kept, in words ("one hour"); empty: not said
}

// Tone is the colour at the top of a page, which tells from afar what it is.
type Tone string

// The tones. Water is waiting, running and all else; sand is "it is your turn"; slate is "don't trust this".
const (
	ToneWater Tone = ""
	ToneTurn  Tone = "turn"
	ToneStale Tone = "stale"
)

// The icons of the browser's tab, by state. PlaceIcon gives that of a place.
const (
	IconPlain = "icon.svg"
	IconTurn  = "icon-turn.svg"
	IconRun   = "icon-run.svg"
	IconDone  = "icon-done.svg"
	IconOff   = "icon-off.svg"
)

// Moment is a point in time: for the reader as the server's zone has it, and for the script that rewrites it in the reader's. At makes one.
type Moment struct {
	Machine string // RFC 3339 in UTC; empty: not known, and nothing is shown
	Shown   string // "14:32:07", or "14:32" for a Minute
	Minute  bool   // without seconds
}

// Fact is one label and its value at the top of a page.
type Fact struct {
	Label string // "In line"
	Value string // "7 people"
	Small string // "likely 8 to 20"; may be empty
}

// Link is an address and the words on it.
type Link struct {
	Text string
	URL  string
}

// Notice is what the operator says to everybody.
type Notice struct {
	Text string // empty: there is none
}

// Fault is what is wrong with a text that a visitor sent.
type Fault struct {
	Heading string // "Your query did not run"; empty: there is no fault
	Detail  string // in the runner's own words: "no such column: brnch"
}

// Form is the page on which a visitor asks.
type Form struct {
	Page
	Heading  string // "Ask the library’s report database"
	Limits   string // "Read-only SQL, one statement."
	About    string // "Tables: loans, branches, titles."
	Facts    []Fact // FormFacts makes them
	Notice   Notice
	Mine     *Mine // the ticket that the visitor has already; nil: none
	Query    string
	MaxBytes int64  // a longer text is refused
	Free     bool   // who presses now runs at once
	Hint     string // beside the button; JoinHint makes it
	Examples []Link
	Fault    Fault
}

// Mine is a ticket that its owner meets on a page that isn't about it.
type Mine struct {
	Words string // "You are in line already: ticket 42, place 3."
	Link  Link   // {"Back to the waiting room", "/wait"}
}

// Wait is the waiting room of a queued ticket.
type Wait struct {
	Page
	Number    int64
	Place     int // from 1; above 0
	JoinedAt  int // the place at joining; at least Place
	State     WaitState
	Phrase    Phrase // the wait in words; not shown unless the State is WaitLive
	Tickets   []Ticket
	Stopping  bool // the run that is going was told to stop, and hasn't yet
	Updated   Moment
	Notice    Notice
	Query     string // kept with the ticket; may be empty
	AutoStart bool
	Lasting   bool // the place outlives a restart

	HeartbeatMillis int64  // how soon the next heartbeat must come
	Heartbeat       string // the same in words: "30 seconds"
}

// WaitState is why a ticket waits.
type WaitState string

// The states of a waiting room.
const (
	WaitLive        WaitState = "live"
	WaitPaused      WaitState = "paused"      // by the operator
	WaitUnavailable WaitState = "unavailable" // the runner is not answering
)

// Ticket is one ticket in the drawing of the line.
type Ticket struct {
	Number int64 // 0: so many tickets are left out here as More says
	More   int
	Kind   TicketKind
}

// TicketKind says how a ticket is drawn.
type TicketKind string

// The kinds of tickets in the drawing of the line.
const (
	TicketWaiting TicketKind = ""
	TicketRunning TicketKind = "running"
	TicketCalled  TicketKind = "called"
	TicketMine    TicketKind = "mine"
)

// Turn is the page of a ready ticket: the visitor's own reservation, that must be claimed. Where the query starts by itself the script posts
// the form at once; without scripts the same page is the manual one.
type Turn struct {
	Page
	Number        int64
	AutoStart     bool   // and there is a text to start
	Unavailable   bool   // the runner is not answering: the turn is kept, and the window starts afresh when it is back
	SecondsLeft   int    // until the deadline; at least 0
	WindowSeconds int    // the whole window; above 0
	Window        string // the same in words: "60 seconds"
	NextNumber    int64  // who is called after that; 0: nobody
	Updated       Moment
	Limits        string
	Query         string
	MaxBytes      int64
	Fault         Fault // of a text that was refused at the turn
}

// Output is what a run has given so far, or gave in all: a table or a text.
type Output struct {
	Kind     OutputKind
	Columns  []Column
	Rows     [][]Cell // the first ones, as many as a page may hold
	Text     string   // the first part, as much as a page may hold
	Markdown bool     // Text is to be shown as Markdown, too
	Total    int      // rows of the table, or words of the text, in all
	Cut      bool     // Rows or Text hold less than there is; the downloads hold it all
}

// OutputKind says what an answer is made of.
type OutputKind string

// The kinds of output.
const (
	OutputNone  OutputKind = "" // nothing has come
	OutputTable OutputKind = "table"
	OutputText  OutputKind = "text"
)

// Column is the head of one column.
type Column struct {
	Name   string
	Number bool // its cells stand to the right
}

// Cell is one value of a table. CellOf makes one.
type Cell struct {
	Text string
	Null bool
}

// Run is the page of a run that is going.
type Run struct {
	Page
	ID             string
	Number         int64
	ElapsedSeconds int
	Usual          string // what most runs take: "1 to 3 minutes"; empty: not known
	Stopping       bool   // told to stop, and not ended yet
	Output         Output
	Unwatched      string // how long a run goes on that nobody watches, in words: "30 seconds"
	Query          string
}

// Result is the page of a run that has ended.
type Result struct {
	Page
	ID        string
	Outcome   Outcome
	Output    Output
	Took      string // "1 minute 18 seconds"
	Stopping  bool   // told to stop, and the runner has not really stopped yet
	Held      bool   // and it has not for so long that its slot counts as lost
	Finished  Moment
	KeptUntil Moment // not known: not said
	Truncated string // why the answer was cut, in words; empty: it is whole
	Detail    string // what went wrong, of a run that failed, in words for its owner
	Limit     string // how long a run may take, in words: "5 minutes"
	Unwatched string // how long a run goes on that nobody watches, in words
	Query     string
}

// Runs is the list of a visitor's own runs that are kept, newest first.
type Runs struct {
	Page
	Runs []OwnRun
}

// OwnRun is one run in its owner's list.
type OwnRun struct {
	ID        string
	Title     string  // the beginning of its query, in one line
	Outcome   Outcome // empty while it goes
	Stopping  bool    // told to stop, and the runner has not really stopped yet
	Kind      OutputKind
	Total     int    // rows or words of its answer
	Truncated bool   // the answer was cut
	Took      string // or how long it has been going: "1 minute 18 seconds"
	Limit     string // how long a run may take, in words
	Ended     Moment // not known while it goes
}

// Outcome is how a run ended, by the names of the API.
type Outcome string

// The outcomes.
const (
	Succeeded    Outcome = "succeeded"
	Failed       Outcome = "failed"
	TimedOut     Outcome = "timed_out"
	Cancelled    Outcome = "cancelled"
	Disconnected Outcome = "disconnected"
	Interrupted  Outcome = "interrupted"
)

// Expired is the page of a turn that has passed unclaimed.
type Expired struct {
	Page
	Number   int64
	CalledAt Moment
	Window   string // how long it was held, in words: "60 seconds"
	WentTo   int64  // who has the turn now; 0: nobody
	Query    string
	Hint     string // what joining again would give; JoinHint makes it
	MaxBytes int64
}

// Lost is the page of a place that was given up because nothing was heard.
type Lost struct {
	Page
	Number    int64
	Heartbeat string // the time that was too long, in words: "30 seconds"
	LeftAt    Moment
	Query     string
	Hint      string
	MaxBytes  int64
}

// Full is the page of a line that takes no more.
type Full struct {
	Page
	Waiting      int // people in line
	RetrySeconds int // when the page looks again; above 0
	Query        string
	Hint         string // "A place comes free about every 2 minutes."; may be empty
	MaxBytes     int64
}

// Problem is the page of an error that has no page of its own.
type Problem struct {
	Page
	Code      string // "not_found"
	Heading   string // "There is no such page"
	Detail    string // what it means and what to do
	Standing  string // what became of the visitor's ticket; may be empty
	Way       Link   // where to go on; an empty URL: nowhere
	RequestID string // a reference to quote; empty: none
	At        Moment
}

// ProblemDoc is the page that explains an error code of the API: /problems/{code}.
type ProblemDoc struct {
	Page
	Code    string
	Status  int
	Heading string
	Detail  string
}

// Kiosk is the screen on the wall.
type Kiosk struct {
	Page
	Name        string // what the line is for
	Address     string // where one joins: "ask.library.example"
	Code        string // where the QR code of that is; empty: there is none
	Theme       string // "light" or "dark"; empty: what the screen prefers
	Chime       bool   // a sound when somebody is called
	Now         Moment
	Called      []int64 // hold a reservation
	Running     []int64
	RunFor      string // "for 2 minutes; most take 1 to 3 minutes"; RunWords makes it; empty with several runs or none
	Next        []int64
	Length      int
	Join        Phrase // the wait of who joins now
	Free        bool   // who joins now starts at once
	Full        bool   // who joins now is refused
	Paused      bool
	Unavailable bool // the runner is not answering
	Stopping    bool // the runs that are going were told to stop
	Slots       int
	Window      string // how long a turn is held, in words: "60 seconds"
	Notice      Notice
}
