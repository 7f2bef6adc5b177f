// Package views is what people see: one templ component a page, each taking a finished view model.
//
// A model holds words, numbers as they are shown, and flags; a page does no arithmetic, no I/O and knows nothing of the line. The functions
// in words.go, estimate.go and tickets.go make the words; the modules words.js, estimate.js and tickets.js in package static make the same
// ones for live updates, and one table, testdata/words.json, tests both.
//
// All words come from the catalogues of package i18n, which says how one adds a message; the context of the rendering says in which
// language. A page carries the messages that its script may say (messages.go). What visitors, runners and operators wrote has dir="auto".
//
// # Forms
//
// Every form is a plain POST that is answered with a redirect to the page that shows the truth:
//
//	POST /query             query                 run or join
//	POST /claim             query                 run at the turn; without the field: the text that is kept with the ticket
//	POST /leave                                   leave the line, pass the turn on
//	POST /wait              auto=on|off           keep "start by itself" with the ticket
//	POST /runs/{id}/cancel                        cancel the run
//	POST /language         lang, to               keep the choice of a language, and go back to the path that to names
//
// Browsers send the lines of a text with CRLF between them.
//
// # What the scripts read
//
// wait.js and turn.js read the messages of /live: {"type":"standing", …view}, {"type":"left"},
// {"type":"finished","run_id":…,"outcome":…}, {"type":"lapsed"}, {"type":"lost"} (the place was given up) and {"type":"none"} (the server
// knows no ticket, as after a restart: the page takes its text along to the form). Beside the fields of the view a standing has
//
//	"line": {"serving":[39],"called":[40],"next":[41,42],      display numbers, as in the public picture
//	         "run_elapsed_seconds":42,                         of the oldest run that is going; null if none
//	         "usual_low_seconds":60,"usual_high_seconds":180}  what most runs take; null if not known
//
// kiosk.js reads {"type":"queue", …public picture} from /live/kiosk, with "run_elapsed_seconds", "usual_low_seconds" and
// "usual_high_seconds" as above, "free" (who joins now is served at once), "full" (who joins now is refused), and "build": static.Build(),
// so that a screen on a wall loads a new version by itself. full.js reads "full" from GET /api/v1/queue.
//
// run.js follows GET /api/v1/runs/{id}/output as an event stream: events output ({"text":…}, or {"columns":[…]} and then {"rows":[[…]]})
// and one last end. Each event has an id; a connection that resumes with Last-Event-ID gets what follows it, one that doesn't gets all.
package views
