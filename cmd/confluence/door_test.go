package main

import (
	"bytes"
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

func TestDoorSettings(t *testing.T) {
	got := asked(t, []string{"CONFLUENCE_WEB_PUBLIC_URL=HTTPS://Ask.example.org/", "CONFLUENCE_WEB_TRUSTED_ORIGINS=https://a.example, http://b.lan:81"}).Serve
	if got.PublicURL != "https://Ask.example.org" || !reflect.DeepEqual(got.TrustedOrigins, []string{"https://a.example", "http://b.lan:81"}) {
		t.Errorf("%+v", got.doorSettings)
	}
}

// A door that can't be is refused at the start, with the name and the reason.
func TestDoorSettingsWrong(t *testing.T) {
	for _, of := range []struct {
		args []string
		want []string
	}{
		{[]string{"--public-url=ask.example.org"}, []string{"--public-url", "CONFLUENCE_WEB_PUBLIC_URL", "must begin with https://"}},
		{[]string{"--public-url=https://me:pw@ask.example.org"}, []string{"user"}},
		{[]string{"--public-url=https://ask.example.org/?x"}, []string{"behind the host"}},
		{[]string{"--trusted-origins=https://a.example,https://*.example"}, []string{"CONFLUENCE_WEB_TRUSTED_ORIGINS", `"https://*.example"`, "no wildcards"}},
		{[]string{"--trusted-origins=null"}, []string{"nobody can trust it"}},
		{[]string{"--trusted-origins=https://a.example/app"}, []string{"behind the host"}},
		{[]string{"--bearer-origins=*"}, []string{"CONFLUENCE_WEB_BEARER_ORIGINS", "no wildcards"}},
		{[]string{"--identity-header=X-User"}, []string{"CONFLUENCE_WEB_IDENTITY_HEADER", "CONFLUENCE_WEB_TRUSTED_PROXIES", "anybody"}},
		{[]string{"--identity-header=Cookie", "--trusted-proxies=10.0.0.1"}, []string{"names the person"}},
		{[]string{"--identity-header=X User", "--trusted-proxies=10.0.0.1"}, []string{"name of a header"}},
		{[]string{"--trusted-proxies=10.0.0.1,proxy"}, []string{"CONFLUENCE_WEB_TRUSTED_PROXIES", `"proxy"`}},
		{[]string{"--trusted-proxies=0.0.0.0/0"}, []string{"everybody"}},
		{[]string{"--trusted-proxies=10.0.0.0/33"}, []string{"10.0.0.0/33"}},
		{[]string{"--joins-per-address=-1"}, []string{"CONFLUENCE_WEB_JOINS_PER_ADDRESS"}},
		{[]string{"--public-url=https://ask.example.org/ask"}, []string{"CONFLUENCE_WEB_BASE_PATH"}},
		{[]string{"--base-path=ask"}, []string{"CONFLUENCE_WEB_BASE_PATH", "begin with a slash"}},
		{[]string{"--base-path=/../etc"}, []string{"letters, digits"}},
		{[]string{"--tls-cert=x.pem"}, []string{"--tls-cert", "--tls-key", "only one"}},
	} {
		var out, errs bytes.Buffer
		_, err := parse(of.args, nil, &out, &errs)
		if err == nil {
			t.Errorf("%q is taken", of.args)
			continue
		}
		for _, want := range of.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v\nwant %q", of.args, err, want)
			}
		}
	}
}

func TestDoorWarnsOfPlainHTTP(t *testing.T) {
	for _, of := range []struct {
		door    doorSettings
		address string
		want    string
	}{
		{doorSettings{}, "127.0.0.1:8080", ""}, {doorSettings{}, "localhost:8080", ""}, {doorSettings{}, "[::1]:80", ""},
		{doorSettings{}, ":8080", "CONFLUENCE_WEB_PUBLIC_URL"}, {doorSettings{}, "192.0.2.1:80", "CONFLUENCE_WEB_PUBLIC_URL"},
		{doorSettings{PublicURL: "http://reports.lan"}, "127.0.0.1:8080", "plain http"},
		{doorSettings{PublicURL: "https://ask.example"}, ":8080", ""}, {doorSettings{TLSCert: "x"}, ":8080", ""},
	} {
		var log bytes.Buffer
		of.door.warn(slog.New(slog.NewTextHandler(&log, nil)), of.address)
		if (of.want == "") != (log.Len() == 0) || !strings.Contains(log.String(), of.want) {
			t.Errorf("%+v at %s: %q, want %q", of.door, of.address, log.String(), of.want)
		}
	}
}
