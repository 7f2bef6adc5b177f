package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCommand: any program that reads and writes can stand behind the line.
func TestCommand(t *testing.T) {
	p := serving(t, "--runner=command", `--command=["/usr/bin/tr","a-z","A-Z"]`)
	result, err := newClient(p.url, nil).query(t.Context(), "which book?")
	if err != nil || result.Text != "WHICH BOOK?" {
		t.Errorf("the answer is %q, %v", result.Text, err)
	}
}

// TestModel: a server that speaks the chat completions protocol stands behind the line.
func TestModel(t *testing.T) {
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			return // the health check
		}
		if got := r.Header.Get("Authorization"); got != "Bearer a-key" {
			t.Errorf("authorization is %q", got)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, token := range []string{"The ", "Iliad."} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", token)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer model.Close()
	p := serving(t, "--runner=openai", "--openai-url="+model.URL+"/v1", "--openai-model=small", "--openai-key=a-key")
	result, err := newClient(p.url, nil).query(t.Context(), "which book?")
	if err != nil || result.Text != "The Iliad." {
		t.Errorf("the answer is %q, %v", result.Text, err)
	}
	if strings.Contains(p.out.String()+p.log.String(), "a-key") {
		t.Error("the key is in the output")
	}
}

func TestRunnerSettingsThatDontFit(t *testing.T) {
	for _, args := range [][]string{
		{"--runner=solver"},
		{"--runner=command"},
		{"--runner=command", "--command=tr a-z A-Z"},
		{"--runner=command", "--command=[]"},
		{"--runner=openai", "--openai-model=small"},
		{"--command=[\"/usr/bin/tr\"]"},
		{"--runner=openai", "--openai-url=http://127.0.0.1:1/v1", "--openai-model=small", "--database=x"},
		{"--database=x", "--documents=y"},
	} {
		_, err := parse(append([]string{"serve"}, args...), nil, t.Output(), t.Output())
		if err == nil || !strings.Contains(err.Error(), "CONFLUENCE_WEB_") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
