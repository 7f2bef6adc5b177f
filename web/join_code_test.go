package web

import (
	"encoding/xml"
	"strings"
	"testing"
)

// The wall screen has a code where the address that browsers see is known, and only there.
func TestJoinCode(t *testing.T) {
	st := open(t, siteOptions{options: Options{Door: Door{PublicURL: "https://host.test", BasePath: "/ask"}}})
	screen := st.stranger().get("/ask/kiosk")
	for _, part := range []string{`src="/ask/kiosk/join.svg"`, "Scan, or open", "host.test/ask"} {
		if !strings.Contains(screen.body, part) {
			t.Errorf("the screen lacks %s", part)
		}
	}
	code := st.stranger().get("/ask/kiosk/join.svg")
	var picture struct {
		ViewBox string `xml:"viewBox,attr"`
	}
	if err := xml.Unmarshal([]byte(code.body), &picture); err != nil || code.header.Get("Content-Type") != "image/svg+xml" || picture.ViewBox == "" {
		t.Errorf("%v %s %.200s", err, code.header.Get("Content-Type"), code.body)
	}
	if code.header.Get("Set-Cookie") != "" {
		t.Error("a picture makes a session")
	}

	st = open(t, siteOptions{})
	if screen := st.stranger().get("/kiosk"); strings.Contains(screen.body, "join.svg") {
		t.Error("there is a code of an address that isn't known")
	}
	if got := st.stranger().get("/kiosk/join.svg"); got.status != 404 {
		t.Errorf("without a public URL: %d", got.status)
	}
}

func TestKioskTheme(t *testing.T) {
	st := open(t, siteOptions{})
	for query, want := range map[string]string{"": `data-theme=""`, "?theme=dark": `data-theme="dark"`, "?theme=light": `data-theme="light"`, "?theme=%22x": `data-theme=""`} {
		if screen := st.stranger().get("/kiosk" + query); !strings.Contains(screen.body, want) {
			t.Errorf("%q: no %s", query, want)
		}
	}
}
