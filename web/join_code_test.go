package web

import (
	"encoding/xml"
	"fmt"
	"image"
	"image/draw"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
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

// TestJoinCodeIsRead: a reader of QR codes finds the address in the picture.
func TestJoinCodeIsRead(t *testing.T) {
	for _, address := range []string{"https://host.test/ask", "http://192.168.178.20:8080/", "https://" + strings.Repeat("long.", 30) + "test/"} {
		picture, err := joinCode(address)
		if err != nil {
			t.Fatal(err)
		}
		bitmap, err := gozxing.NewBinaryBitmapFromImage(painted(t, picture))
		if err != nil {
			t.Fatal(err)
		}
		read, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true})
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		if got := read.GetText(); got != address {
			t.Errorf("the code of %s says %s", address, got)
		}
	}
}

// painted is the picture, four pixels a module.
func painted(t *testing.T, picture []byte) image.Image {
	t.Helper()
	const scale = 4
	var svg struct {
		ViewBox string `xml:"viewBox,attr"`
		Path    struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}
	if err := xml.Unmarshal(picture, &svg); err != nil {
		t.Fatal(err)
	}
	var side int
	if _, err := fmt.Sscanf(svg.ViewBox, "0 0 %d", &side); err != nil {
		t.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, side*scale, side*scale))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for _, bar := range strings.Split(svg.Path.D, "z") {
		var x, y, width int
		if bar == "" {
			continue
		}
		if _, err := fmt.Sscanf(bar, "M%d %dh%d", &x, &y, &width); err != nil {
			t.Fatalf("%q: %v", bar, err)
		}
		draw.Draw(img, image.Rect(x*scale, y*scale, (x+width)*scale, (y+1)*scale), image.Black, image.Point{}, draw.Src)
	}
	return img
}

func TestKioskTheme(t *testing.T) {
	st := open(t, siteOptions{})
	for query, want := range map[string]string{"": `data-theme=""`, "?theme=dark": `data-theme="dark"`, "?theme=light": `data-theme="light"`, "?theme=%22x": `data-theme=""`} {
		if screen := st.stranger().get("/kiosk" + query); !strings.Contains(screen.body, want) {
			t.Errorf("%q: no %s", query, want)
		}
	}
}
