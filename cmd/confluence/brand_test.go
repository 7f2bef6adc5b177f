package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBrandThatCantBe(t *testing.T) {
	for arg, wrong := range map[string]string{
		"--brand-color=#f1b441":            "1.8",
		"--brand-color=blue":               "#0f4351",
		"--brand-links=Imprint":            "equals sign",
		"--brand-links=x=javascript:alert": "http, https or mailto",
	} {
		_, err := parse([]string{"serve", arg}, nil, t.Output(), t.Output())
		if err == nil || !strings.Contains(err.Error(), wrong) || !strings.Contains(err.Error(), "CONFLUENCE_WEB_BRAND_") {
			t.Errorf("%s: %v", arg, err)
		}
	}
	long := filepath.Join(t.TempDir(), "long.png")
	if err := os.WriteFile(long, make([]byte, 33<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{long, filepath.Join(t.TempDir(), "none.svg"), "logo.txt"} {
		if _, err := (brandSettings{BrandLogo: file}).brand(); err == nil || !strings.Contains(err.Error(), "CONFLUENCE_WEB_BRAND_LOGO") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestBrowserBrand: the installation's own look is there in light and dark, and accessible.
func TestBrowserBrand(t *testing.T) {
	logo := filepath.Join(t.TempDir(), "logo.svg")
	if err := os.WriteFile(logo, []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#fff"/></svg>`), 0o600); err != nil {
		t.Fatal(err)
	}
	server := serving(t, "--brand-name=Town library", "--brand-logo="+logo, "--brand-color=#5b1a66", "--brand-text=Ask at the desk, too.", "--brand-links=Imprint=https://example.org/")
	release := holdTheSlot(t.Context(), t, server)
	defer release()
	v := newVisitor(t, server.url)
	v.asksAndWaits("SELECT 1")
	v.sees(soonEnough, "Town library", "Ask at the desk, too.", "Imprint", "Live, updated at")
	v.looksWell("brand")
	if colour := eval[string](v, `getComputedStyle(document.querySelector(".band")).backgroundColor`); colour != "rgb(91, 26, 102)" {
		t.Errorf("the top of the page is %s", colour)
	}
	if title := eval[string](v, `document.title`); !strings.HasSuffix(title, " · Town library") {
		t.Errorf("the title is %q", title)
	}
}
