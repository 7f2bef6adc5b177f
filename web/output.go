package web

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/queue"
)

// streamRun sends the run's answer from a place on as events, as it comes: output…, and one end. announce begins with accepted.
func (s *Server) streamRun(c echo.Context, x *run, at int, announce bool) error {
	follows := x.session
	if announce { // the run's own: it would end with this refusal
		follows = ""
	}
	st, leave, err := s.openEvents(c, follows)
	if err != nil {
		return err
	}
	defer leave()
	defer st.end()
	if announce {
		accepted := appendString([]byte(`{"run_id":`), x.id)
		accepted = strconv.AppendInt(append(accepted, `,"number":`...), x.number, 10)
		if st.event("accepted", "", append(accepted, '}')) != nil {
			return nil
		}
	}
	silence := time.NewTicker(streamSilence)
	defer silence.Stop()
	answer := x.answer.follow()
	defer answer.close()
	for {
		p, changed, err := answer.read(at)
		switch {
		case err != nil:
			s.logUnreadable(c, x, err)
			return nil // a stream without its end was cut
		case p.end:
			end, err := json.Marshal(resultOf(x.state(), s.language(c)))
			if err != nil {
				return err
			}
			_ = st.event("end", strconv.Itoa(at), end)
			return nil
		case changed == nil:
			if sendPiece(st, p) != nil {
				return nil // the client has gone
			}
			at = p.next
			continue
		}
		select {
		case <-changed:
		case <-silence.C:
			if st.comment() != nil {
				return nil
			}
		case <-c.Request().Context().Done():
			return nil
		}
	}
}

// sendPiece sends a piece as one or two events. Their ids are the places behind them, so that a reader who comes back goes on from there.
func sendPiece(st *stream, p piece) error {
	if p.columns != nil {
		if err := st.event("output", "1", append(appendColumns([]byte{'{'}, p.columns), '}')); err != nil {
			return err
		}
	}
	var data []byte
	switch {
	case p.rows != nil:
		if len(p.binary) == 0 {
			data = append(append([]byte(`{"rows":[`), p.rows...), ']')
			break
		}
		data = append(appendInBase64([]byte(`{"rows":[`), p.rows, nil, 0), ']')
		data = appendBinary(append(data, ','), p.binary)
	case p.text != "":
		data = appendString([]byte(`{"text":`), p.text)
	default:
		return nil
	}
	return st.event("output", strconv.Itoa(p.next), append(data, '}'))
}

// tableFormat is a way to write an answer as plain bytes.
type tableFormat struct {
	contentType string // of a table
	extension   string
	row         func(b *strings.Builder, cells []string)
}

var (
	csvFormat  = tableFormat{contentType: "text/csv; charset=utf-8; header=present", extension: "csv", row: csvRow}
	textFormat = tableFormat{contentType: "text/plain; charset=utf-8", extension: "txt", row: tabbedRow}
)

// csvRow writes a line of CSV. A lone empty cell is quoted: readers skip empty lines.
func csvRow(b *strings.Builder, cells []string) {
	if len(cells) == 1 && cells[0] == "" {
		b.WriteString("\"\"\n")
		return
	}
	w := csv.NewWriter(b)
	_ = w.Write(cells) // a strings.Builder takes everything
	w.Flush()
}

var tabbed = strings.NewReplacer("\t", " ", "\r\n", " ", "\n", " ", "\r", " ")

// tabbedRow writes a line with tabs between the cells.
func tabbedRow(b *strings.Builder, cells []string) {
	for i, cell := range cells {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(tabbed.Replace(cell))
	}
	b.WriteByte('\n')
}

// logUnreadable tells the operator of an answer that is on disk and can't be read. One that was forgotten meanwhile is no mistake.
func (s *Server) logUnreadable(c echo.Context, x *run, err error) {
	if _, known := s.runs.get(x.session, x.id); known {
		s.log.Error("an answer can't be read", "request_id", requestID(c), "run", x.id, "err", err)
	}
}

// streamTable sends the run's answer in a format as it comes; what is no table is sent as the text that it is. These formats have no place
// for a failure: before the first byte it is a problem document, after it the connection is cut, so that half an answer never looks whole.
// partial is for who asks for what there is of a run that has ended, knowing that it is not the whole.
func (s *Server) streamTable(c echo.Context, x *run, format tableFormat, partial bool) error {
	leave, err := s.streams.enter()
	if err != nil {
		return err
	}
	defer leave()
	st := s.newStream(c)
	defer st.end()
	if now := x.state(); !now.Going && now.Outcome != queue.Succeeded && !partial {
		return s.sendProblem(c, runProblem(now), nil)
	}
	answer := x.answer.follow()
	defer answer.close()
	for at := 0; ; {
		p, changed, err := answer.read(at)
		switch {
		case err != nil:
			s.logUnreadable(c, x, err)
			return cutOff(c)
		case p.end:
			return s.endTable(c, x, format, partial)
		case changed == nil:
			if !c.Response().Committed {
				beginTable(c, format, p.columns != nil)
			}
			if st.send(formatPiece(format, p)) != nil {
				return nil // the client has gone
			}
			at = p.next
			continue
		}
		select {
		case <-changed:
		case <-c.Request().Context().Done():
			return nil
		}
	}
}

func beginTable(c echo.Context, format tableFormat, table bool) {
	if !table {
		format = textFormat
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, format.contentType)
	header.Set("Trailer", "Confluence-Truncated")
	c.Response().WriteHeader(http.StatusOK)
}

func (s *Server) endTable(c echo.Context, x *run, format tableFormat, partial bool) error {
	st := x.state()
	switch {
	case st.Outcome == queue.Succeeded, partial:
		if !c.Response().Committed {
			beginTable(c, format, st.Columns != nil)
		}
		c.Response().Header().Set("Confluence-Truncated", strconv.FormatBool(st.incomplete()))
		return nil
	case !c.Response().Committed:
		return s.sendProblem(c, runProblem(st), nil)
	default:
		return cutOff(c)
	}
}

// cutOff ends an answer that can't be whole: by breaking the connection if it has begun, as these formats have no other way to say so.
func cutOff(c echo.Context) error {
	if !c.Response().Committed {
		return errNotFound
	}
	panic(http.ErrAbortHandler)
}

func formatPiece(format tableFormat, p piece) []byte {
	if p.text != "" {
		return []byte(p.text)
	}
	var b strings.Builder
	if p.columns != nil {
		format.row(&b, p.columns)
	}
	cells := make([]string, 0, 16)
	for _, row := range decodeRows(p.rows) {
		cells = cells[:0]
		for _, cell := range row {
			cells = append(cells, cellText(cell))
		}
		format.row(&b, cells)
	}
	return []byte(b.String())
}
