package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contract is openapi.yaml, read once: what every answer in the tests is held against.
type contract struct {
	document *openapi3.T
	schemas  map[string]*jsonschema.Schema // by reference
	every    map[string]any                // headers that each answer may have
}

var theContract = sync.OnceValues(readContract)

func readContract() (*contract, error) {
	loader := openapi3.NewLoader()
	document, err := loader.LoadFromData(openAPI)
	if err != nil {
		return nil, err
	}
	if err := document.Validate(loader.Context, openapi3.IsOpenAPI31OrLater(), openapi3.AllowExtensionsWithRef()); err != nil {
		return nil, err
	}
	c := &contract{document: document, schemas: map[string]*jsonschema.Schema{}}
	c.every, _ = document.Extensions["x-headers-of-every-answer"].(map[string]any)
	if len(c.every) == 0 {
		return nil, errors.New("x-headers-of-every-answer is missing")
	}
	text, err := json.Marshal(document.Components.Schemas)
	if err != nil {
		return nil, err
	}
	schemas, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	closeObjects(schemas)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	const place = "openapi.json"
	if err := compiler.AddResource(place, map[string]any{"components": map[string]any{"schemas": schemas}}); err != nil {
		return nil, err
	}
	for name := range document.Components.Schemas {
		reference := "#/components/schemas/" + name
		if c.schemas[reference], err = compiler.Compile(place + reference); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// closeObjects makes a field that is not described a mistake. Clients are told to expect new ones; ourselves we hold to the document.
func closeObjects(node any) {
	switch node := node.(type) {
	case map[string]any:
		if _, described := node["properties"]; described && node["additionalProperties"] == nil {
			node["additionalProperties"] = false
		}
		for _, value := range node {
			closeObjects(value)
		}
	case []any:
		for _, value := range node {
			closeObjects(value)
		}
	}
}

// transportHeaders belong to HTTP itself.
var transportHeaders = []string{"Connection", "Content-Length", "Content-Type", "Date", "Transfer-Encoding"}

// contractual is a way to a server on which every answer of the API is checked.
type contractual struct {
	t    *testing.T
	next http.RoundTripper
}

// CloseIdleConnections is http.Client's.
func (w contractual) CloseIdleConnections() { (&http.Client{Transport: w.next}).CloseIdleConnections() }

func (w contractual) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := w.next.RoundTrip(r)
	if err != nil || !isAPI(r.URL.Path) && r.URL.Path != "/healthz" && r.URL.Path != "/readyz" {
		return answer, err
	}
	c, err := theContract()
	if err != nil {
		w.t.Errorf("openapi.yaml: %v", err)
		return answer, nil
	}
	what := fmt.Sprintf("%s %s: %d %s", r.Method, r.URL.Path, answer.StatusCode, answer.Header.Get("Content-Type"))
	media, err := c.answer(r, answer)
	switch {
	case err != nil:
		w.t.Errorf("not as openapi.yaml says: %s: %v", what, err)
	case media != nil && r.Method != http.MethodHead && (media.Schema.Ref != "" || media.Extensions != nil):
		answer.Body = &contractBody{ReadCloser: answer.Body, check: func(text []byte, whole bool) {
			if err := c.content(media, answer.Header.Get("Content-Type"), text, whole); err != nil {
				w.t.Errorf("not as openapi.yaml says: %s: %v\n%.2000s", what, err, text)
			}
		}}
	}
	return answer, nil
}

// answer checks status and header, and gives what the body must be; nil: there is nothing to be checked.
func (c *contract) answer(r *http.Request, answer *http.Response) (*openapi3.MediaType, error) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path := c.path(r.URL.Path)
	undescribed := map[bool]int{true: http.StatusNotFound, false: http.StatusMethodNotAllowed}[path == nil]
	if path == nil || path.GetOperation(method) == nil {
		// What goes wrong before the address is looked at may be the answer, too, and so may an address that a test has added to fail.
		if !slices.Contains([]int{undescribed, http.StatusForbidden, http.StatusUnauthorized, http.StatusRequestURITooLong, http.StatusInternalServerError}, answer.StatusCode) {
			return nil, errors.New("the call is not described")
		}
		return &openapi3.MediaType{Schema: &openapi3.SchemaRef{Ref: "#/components/schemas/Problem"}}, nil
	}
	described := path.GetOperation(method).Responses.Value(fmt.Sprint(answer.StatusCode))
	if described == nil {
		return nil, errors.New("the status is not described")
	}
	for name, values := range answer.Header {
		_, everywhere := c.every[name]
		header := described.Value.Headers[headerAsDescribed(described.Value, name)]
		switch {
		case slices.Contains(transportHeaders, name):
		case everywhere:
		case header == nil:
			return nil, fmt.Errorf("the header %s is not described", name)
		default:
			if err := headerFits(header.Value, values); err != nil {
				return nil, fmt.Errorf("the header %s: %q: %w", name, values, err)
			}
		}
	}
	for name, header := range described.Value.Headers {
		if header.Value.Required && answer.Header.Get(name) == "" {
			return nil, fmt.Errorf("the header %s is missing", name)
		}
	}
	if len(described.Value.Content) == 0 || r.Method == http.MethodHead {
		return nil, nil
	}
	media, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	content := described.Value.Content[media]
	if content == nil {
		return nil, errors.New("the media type is not described")
	}
	if media != typeProblem {
		return content, nil
	}
	codes, _ := described.Value.Extensions["x-codes"].([]any)
	return &openapi3.MediaType{Schema: content.Schema, Extensions: map[string]any{"x-codes": codes}}, nil
}

// headerAsDescribed is a header's name as it is written in the document (ETag), not as Go writes it (Etag).
func headerAsDescribed(response *openapi3.Response, name string) string {
	for written := range response.Headers {
		if http.CanonicalHeaderKey(written) == name {
			return written
		}
	}
	return name
}

func headerFits(header *openapi3.Header, values []string) error {
	schema := header.Schema.Value
	for _, value := range values {
		var what any = value
		if schema.Type.Is("integer") {
			what = json.Number(value)
		}
		if err := schema.VisitJSON(what, openapi3.EnableJSONSchema2020()); err != nil {
			return err
		}
	}
	return nil
}

// path is the description of an address.
func (c *contract) path(address string) *openapi3.PathItem {
	if path := c.document.Paths.Value(address); path != nil {
		return path
	}
	parts := strings.Split(address, "/")
	for template, path := range c.document.Paths.Map() {
		names := strings.Split(template, "/")
		if len(names) == len(parts) && !slices.ContainsFunc(names, func(name string) bool {
			i := slices.Index(names, name)
			return name != parts[i] && !strings.HasPrefix(name, "{")
		}) {
			return path
		}
	}
	return nil
}

// content checks a body. Of a stream that is not whole the events that have come are checked.
func (c *contract) content(described *openapi3.MediaType, contentType string, text []byte, whole bool) error {
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case media == typeEvents:
		schemas, _ := described.Extensions["x-events"].(map[string]any)
		for _, ev := range parseEvents(string(text)) {
			reference, _ := schemas[ev.name].(map[string]any)
			if reference == nil {
				return fmt.Errorf("the event %q is not described", ev.name)
			}
			if _, err := c.fits(fmt.Sprint(reference["$ref"]), []byte(ev.data)); err != nil {
				return fmt.Errorf("the event %q: %w", ev.name, err)
			}
		}
		return nil
	case !whole || described.Schema.Ref == "":
		return nil
	}
	value, err := c.fits(described.Schema.Ref, text)
	if err != nil {
		return err
	}
	if codes, limited := described.Extensions["x-codes"].([]any); limited {
		if code := value.(map[string]any)["code"]; !slices.Contains(codes, code) {
			return fmt.Errorf("the code %v is not described", code)
		}
	}
	return nil
}

func (c *contract) fits(reference string, text []byte) (any, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	schema := c.schemas[reference]
	if schema == nil {
		return nil, fmt.Errorf("no schema %q", reference)
	}
	return value, schema.Validate(value)
}

// checkAtMost is how much of a body is kept to be checked, in bytes: tests of long answers look at the memory.
const checkAtMost = 256 << 10

// contractBody keeps what is read of a body, and checks it at the end. Of a longer one the beginning is checked, if it is a stream.
type contractBody struct {
	io.ReadCloser
	text  bytes.Buffer
	size  int // bytes read
	once  sync.Once
	check func(text []byte, whole bool)
}

func (b *contractBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.text.Write(p[:min(n, checkAtMost-b.text.Len())])
	b.size += n
	if err != nil {
		b.once.Do(func() { b.check(b.text.Bytes(), errors.Is(err, io.EOF) && b.size == b.text.Len()) })
	}
	return n, err
}

func TestEveryCallIsDescribed(t *testing.T) {
	c, err := theContract()
	must(t, err)
	st := open(t, siteOptions{options: Options{AdminToken: deskToken}})
	routed := map[string]bool{}
	for _, route := range st.server.handler.(*echo.Echo).Routes() {
		path := strings.ReplaceAll(route.Path, ":id", "{id}")
		if !isAPI(path) && path != "/healthz" && path != "/readyz" || route.Method == http.MethodHead {
			continue
		}
		routed[route.Method+" "+path] = true
		if item := c.document.Paths.Value(path); item == nil || item.GetOperation(route.Method) == nil {
			t.Errorf("%s %s is not described", route.Method, path)
		}
	}
	for path, item := range c.document.Paths.Map() {
		for method := range item.Operations() {
			if !routed[method+" "+path] {
				t.Errorf("%s %s is described, and isn't there", method, path)
			}
		}
	}
}

// Every code of the table can be had somewhere, and nothing else is promised.
func TestEveryCodeIsDescribed(t *testing.T) {
	c, err := theContract()
	must(t, err)
	described := map[string]bool{"method_not_allowed": true} // of addresses that don't take the method
	for path, item := range c.document.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				codes, _ := response.Value.Extensions["x-codes"].([]any)
				if (response.Value.Content[typeProblem] != nil) != (len(codes) > 0) {
					t.Errorf("%s %s %s: problem documents and x-codes go together", method, path, status)
				}
				for _, code := range codes {
					row := problemIndex[code.(string)]
					if row == nil || fmt.Sprint(row.status) != status {
						t.Errorf("%s %s %s: the code %v is none, or of another status", method, path, status, code)
					}
					described[code.(string)] = true
				}
			}
		}
	}
	for code := range problemIndex {
		if !described[code] {
			t.Errorf("the code %s is described nowhere", code)
		}
	}
}

func TestTheDescriptionIsServed(t *testing.T) {
	st := open(t, siteOptions{})
	v := st.stranger()
	answer := v.get("/api/v1/openapi.yaml")
	if answer.status != http.StatusOK || answer.header.Get("Content-Type") != "application/yaml" || answer.body != strings.Replace(string(openAPI), "url: /\n", "url: \"/\"\n", 1) {
		t.Errorf("%d %v %.100s", answer.status, answer.header, answer.body)
	}
	if again := v.get("/api/v1/openapi.yaml", "If-None-Match", answer.header.Get("ETag")); again.status != http.StatusNotModified {
		t.Errorf("again: %d", again.status)
	}
}

// A tool that reads the document finds the server where its readers do.
func TestTheDescriptionNamesItsServer(t *testing.T) {
	for _, test := range []struct {
		door Door
		want string
	}{
		{Door{}, "/"},
		{Door{BasePath: "/ask/"}, "/ask"},
		{Door{PublicURL: "https://Ask.example.org:443"}, "https://ask.example.org"},
		{Door{PublicURL: "http://[::1]:8080", BasePath: "/tools/ask"}, "http://[::1]:8080/tools/ask"},
	} {
		st := open(t, siteOptions{options: Options{Door: test.door}})
		answer := st.stranger().get("/api/v1/openapi.yaml")
		document, err := openapi3.NewLoader().LoadFromData([]byte(answer.body))
		must(t, err)
		if len(document.Servers) != 1 || document.Servers[0].URL != test.want {
			t.Errorf("%+v: %v, want %s", test.door, document.Servers[0], test.want)
		}
		if again := st.stranger().get("/api/v1/openapi.yaml", "If-None-Match", answer.header.Get("ETag")); again.status != http.StatusNotModified {
			t.Errorf("%+v: again: %d", test.door, again.status)
		}
	}
}

// TestTheContractIsHeld shows that the checking finds what it should.
func TestTheContractIsHeld(t *testing.T) {
	c, err := theContract()
	must(t, err)
	view := `{"ticket_id":"q_0123456789abcdef"}`
	for _, test := range []struct {
		name, method, path string
		status             int
		media, body        string
		header             []string
		fits               bool
	}{
		{"as it is", "GET", "/healthz", 200, typeJSON, `{"status":"ok"}`, nil, true},
		{"another word", "GET", "/healthz", 200, typeJSON, `{"status":"fine"}`, nil, false},
		{"a field more", "GET", "/healthz", 200, typeJSON, `{"status":"ok","more":1}`, nil, false},
		{"no JSON", "GET", "/healthz", 200, typeJSON, `ok`, nil, false},
		{"another status", "GET", "/healthz", 202, typeJSON, `{"status":"ok"}`, nil, false},
		{"another type", "GET", "/healthz", 200, typeText, `ok`, nil, false},
		{"another header", "GET", "/healthz", 200, typeJSON, `{"status":"ok"}`, []string{"X-Secret", "1"}, false},
		{"another address", "GET", "/api/v1/other", 200, typeJSON, `{}`, nil, false},
		{"another method", "POST", "/readyz", 200, typeJSON, `{}`, nil, false},
		{"fields missing", "POST", "/api/v1/queue/join", 200, typeJSON, view, nil, false},
		{"an event that is none", "GET", "/api/v1/queue/status", 200, typeEvents, "event: news\ndata: {}\n\n", nil, false},
		{"an event with fields missing", "GET", "/api/v1/queue/status", 200, typeEvents, "event: standing\ndata: " + view + "\n\n", nil, false},
		{"half an event", "GET", "/api/v1/queue/status", 200, typeEvents, "event: standing\ndata: {", nil, true},
		{"a Retry-After that is no number", "GET", "/api/v1/queue/status", 429, typeProblem, "{}", []string{"Retry-After", "soon"}, false},
		{"a code of elsewhere", "GET", "/api/v1/runs/r_1", 404, typeProblem,
			`{"type":"/problems/busy","title":"x","status":404,"code":"busy","detail":"x","request_id":"x"}`, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := http.NewRequest(test.method, "http://confluence.test"+test.path, nil)
			must(t, err)
			answer := &http.Response{StatusCode: test.status, Header: http.Header{"Content-Type": {test.media}}}
			for i := 0; i+1 < len(test.header); i += 2 {
				answer.Header.Set(test.header[i], test.header[i+1])
			}
			media, err := c.answer(r, answer)
			if err == nil && media != nil {
				err = c.content(media, test.media, []byte(test.body), true)
			}
			if (err == nil) != test.fits {
				t.Errorf("the check says %v", err)
			}
		})
	}
}
