package openai

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// modelServer is the server program: the text of the question says how it answers. It prints its address, and then "gone" and the text of
// each question whose client went before the answer was over.
type modelServer struct {
	mu     sync.Mutex
	open   int
	last   lastRequest
	hits   int // of the place that a redirect leads to
	out    *bufio.Writer
	health int // the status of /v1/models, and 503 that of questions
}

// lastRequest is what the server got.
type lastRequest struct {
	Authorization string         `json:"authorization"`
	Body          map[string]any `json:"body"`
	Count         int            `json:"count"` // of all requests
	Hits          int            `json:"hits"`
}

func serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := &modelServer{out: bufio.NewWriter(os.Stdout), health: http.StatusOK}
	s.print(listener.Addr().String())
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.completions)
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, _ *http.Request) {
		s.count(func() { w.WriteHeader(s.health) })
		fmt.Fprint(w, `{"object":"list","data":[]}`)
	})
	mux.HandleFunc("/health/{status}", func(w http.ResponseWriter, r *http.Request) {
		s.count(func() {
			fmt.Sscan(r.PathValue("status"), &s.health)
			fmt.Fprint(w, s.health)
		})
	})
	mux.HandleFunc("/elsewhere", func(http.ResponseWriter, *http.Request) { s.count(func() { s.hits++ }) })
	mux.HandleFunc("/open", func(w http.ResponseWriter, _ *http.Request) { s.count(func() { fmt.Fprint(w, s.open) }) })
	mux.HandleFunc("/last", func(w http.ResponseWriter, _ *http.Request) {
		s.count(func() {
			s.last.Hits = s.hits
			_ = json.NewEncoder(w).Encode(s.last)
		})
	})
	panic(http.Serve(listener, mux))
}

func (s *modelServer) count(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *modelServer) print(line string) {
	s.count(func() {
		fmt.Fprintln(s.out, line)
		s.out.Flush()
	})
}

func (s *modelServer) completions(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	_, _ = io.Copy(io.Discard, r.Body) // else the end of the client isn't seen
	messages, _ := body["messages"].([]any)
	question, _ := messages[len(messages)-1].(map[string]any)["content"].(string)
	s.count(func() {
		s.open++
		s.last = lastRequest{Authorization: r.Header.Get("Authorization"), Body: body, Count: s.last.Count + 1}
	})
	defer s.count(func() { s.open-- })
	var away bool
	if s.count(func() { away = s.health == http.StatusServiceUnavailable }); away {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	defer func() {
		if r.Context().Err() != nil {
			s.print("gone " + question)
		}
	}()
	name, argument, _ := strings.Cut(question, ":")
	if status, known := statuses[name]; known {
		status(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	streams[name](stream{w, r}, argument)
}

// stream is an answer under way.
type stream struct {
	w http.ResponseWriter
	r *http.Request
}

// raw sends text as it is.
func (s stream) raw(text string) bool {
	if _, err := io.WriteString(s.w, text); err != nil {
		return false
	}
	return http.NewResponseController(s.w).Flush() == nil && s.r.Context().Err() == nil
}

// token sends a piece of the answer.
func (s stream) token(text string) bool {
	content, _ := json.Marshal(text)
	return s.raw(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":` +
		string(content) + `},"finish_reason":null}]}` + "\n\n")
}

func (s stream) finish(reason string) bool {
	return s.raw(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\n")
}

func (s stream) done() bool { return s.raw("data: [DONE]\n\n") }

func (s stream) silence() { <-s.r.Context().Done() }

// broken closes the connection in the middle.
func (s stream) broken() {
	connection, _, _ := http.NewResponseController(s.w).Hijack()
	connection.Close()
}

// streams are the answers that are streams, by the beginning of the question.
var streams = map[string]func(s stream, argument string){
	"echo": func(s stream, argument string) { _ = s.token(argument) && s.finish("stop") && s.done() },
	"answer": func(s stream, _ string) {
		s.raw(": a comment\n\n" + `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n")
		_ = s.token("Hello") && s.token(", ") && s.token("world.") && s.finish("stop") &&
			s.raw(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":3,"total_tokens":4}}`+"\n\n") && s.done()
	},
	"slow": func(s stream, _ string) {
		for s.token("more ") {
			time.Sleep(10 * time.Millisecond)
		}
	},
	"endless": func(s stream, _ string) {
		for s.token(strings.Repeat("more ", 1000)) {
		}
	},
	"comments": func(s stream, _ string) {
		for s.raw(strings.Repeat(": nothing\n\n", 10_000)) {
		}
	},
	"long line": func(s stream, _ string) {
		s.raw("data: ")
		for s.raw(strings.Repeat("x", 100_000)) {
		}
	},
	"long event": func(s stream, _ string) {
		for s.raw(strings.Repeat("data: x\n", 10_000)) {
		}
	},
	"silent after headers": func(s stream, _ string) { s.raw(": waiting\n\n"); s.silence() },
	"silent after text":    func(s stream, _ string) { s.token("Hello"); s.silence() },
	"breaks off":           func(s stream, _ string) { s.token("Hello"); s.broken() },
	"breaks in an event": func(s stream, _ string) {
		s.token("Hello")
		s.raw(`data: {"id":"c","choices":[{"ind`)
		s.broken()
	},
	"no finish":      func(s stream, _ string) { s.token("Hello") },
	"nothing":        func(stream, string) {},
	"only done":      func(s stream, _ string) { _ = s.token("Hello") && s.done() },
	"only reason":    func(s stream, _ string) { _ = s.token("Hello") && s.finish("stop") },
	"reason, silent": func(s stream, _ string) { _ = s.token("Hello") && s.finish("stop"); s.silence() },
	"reason, broken": func(s stream, _ string) { _ = s.token("Hello") && s.finish("stop"); s.broken() },
	"reason":         func(s stream, argument string) { _ = s.token("Hello") && s.finish(argument) && s.done() },
	"refuses": func(s stream, _ string) {
		s.raw(`data: {"choices":[{"index":0,"delta":{"refusal":"I won't."},"finish_reason":"stop"}]}` + "\n\n")
		s.done()
	},
	"other choice": func(s stream, _ string) {
		s.raw(`data: {"choices":[{"index":1,"delta":{"content":"not asked for"},"finish_reason":"stop"}]}` + "\n\n")
		_ = s.token("Hello") && s.finish("stop") && s.done()
	},
	"no JSON":    func(s stream, _ string) { s.token("Hello"); s.raw("data: {not JSON\n\n") },
	"other JSON": func(s stream, _ string) { s.token("Hello"); s.raw("data: [1,2]\n\n") },
	"error event": func(s stream, _ string) {
		s.token("Hello")
		s.raw(`data: {"error":{"message":"CUDA out of memory"}}` + "\n\n")
	},
	"CRLF": func(s stream, _ string) {
		s.raw(`data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}` + "\r\n\r\n")
	},
	"broken UTF-8": func(s stream, _ string) {
		s.raw("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\xffb\x80c\"},\"finish_reason\":null}]}\n\n")
		_ = s.finish("stop") && s.done()
	},
	"split": func(s stream, _ string) {
		for _, piece := range []string{"\xf0\x9f", "\x98\x80", "\xc3", "\xa9"} {
			s.raw("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + piece + "\"},\"finish_reason\":null}]}\n\n")
		}
		_ = s.finish("stop") && s.done()
	},
	"in bytes": func(s stream, _ string) {
		for _, b := range []byte(`data: {"choices":[{"index":0,"delta":{"content":"naïve 😀"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n") {
			s.raw(string([]byte{b}))
		}
	},
}

// statuses are the answers that are no streams.
var statuses = map[string]func(w http.ResponseWriter, r *http.Request){
	"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"429": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "17")
		http.Error(w, `{"error":{"message":"too many requests","type":"rate_limit","param":null,"code":null}}`, http.StatusTooManyRequests)
	},
	"503": func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "loading the model", http.StatusServiceUnavailable)
	},
	"500": func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"code":500,"message":"boom in /srv/model.py"}}`, http.StatusInternalServerError)
	},
	"502": func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>bad gateway</html>", http.StatusBadGateway)
	},
	"401": func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"message":"wrong key: `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
	},
	"404": func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"no such model"}`, http.StatusNotFound)
	},
	"400": func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"maximum context length is 4096 tokens"}}`, http.StatusBadRequest)
	},
	"409": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusConflict) },
	"redirect": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	},
	"endless refusal": func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		for (stream{w, r}).raw(strings.Repeat("no ", 10_000)) {
		}
	},
	"page": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>a router's page</html>")
	},
	"silent page": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		stream{w, r}.raw("<html>")
		<-r.Context().Done()
	},
	"long header": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
	},
}
