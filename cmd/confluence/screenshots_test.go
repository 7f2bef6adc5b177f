package main

import (
	"context"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// photographing is set by `make screenshots`: then the tests that look at pages keep pictures of them in .cache/screenshots.
var photographing = os.Getenv("CONFLUENCE_SCREENSHOTS") != ""

func screenshots(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(root, ".cache", "screenshots")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// photograph keeps a picture of the whole page.
func (v *visitor) photograph(name string) {
	v.t.Helper()
	if !photographing {
		return
	}
	ctx, cancel := v.soon()
	defer cancel()
	take := func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		sizes, err := cdp.Call(ctx, t, page.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			return nil, err
		}
		beyond := sizes.CSSContentSize.Height > float64(sizes.CSSLayoutViewport.ClientHeight) // else Chromium shifts pages that are mirrored
		r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond})
		if err != nil {
			return nil, err
		}
		return r.Data, nil
	}
	picture, err := chromedp.Run(ctx, take)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(screenshots(v.t), name+".png"), picture, 0o644); err != nil {
		v.t.Fatal(err)
	}
}

// contactSheet writes index.html, which shows every picture, a row a page.
func contactSheet(t *testing.T) {
	t.Helper()
	if !photographing {
		return
	}
	folder := screenshots(t)
	pictures, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	var sheet strings.Builder
	sheet.WriteString("<!doctype html><meta charset=utf-8><title>Every page</title><style>figure{display:inline-block;margin:.5rem;vertical-align:top}img{max-width:18rem;max-height:24rem;border:1px solid}</style>\n")
	row := ""
	for _, picture := range pictures {
		name := strings.TrimSuffix(filepath.Base(picture), ".png")
		page, look := name, ""
		for _, l := range allLooks {
			if before, ok := strings.CutSuffix(name, "-"+l.name); ok {
				page, look = before, l.name
			}
		}
		if page != row {
			row = page
			fmt.Fprintf(&sheet, "<h2>%s</h2>\n", html.EscapeString(page))
		}
		fmt.Fprintf(&sheet, "<figure><figcaption>%s</figcaption><a href=%q><img loading=lazy src=%[2]q alt=\"\"></a></figure>\n", look, name+".png")
	}
	if err := os.WriteFile(filepath.Join(folder, "index.html"), []byte(sheet.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
