package chat

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"testing"
)

var control string

// TestMain starts a server for all tests of the package.
func TestMain(m *testing.M) {
	server := exec.Command("npx", "gateway-understudy", "--port", "0", "--json", "--quiet", "--stop-with-stdin")
	// The server stops when this pipe closes, however the tests end.
	input, _ := server.StdinPipe()
	output, _ := server.StdoutPipe()
	if err := server.Start(); err != nil {
		panic(err)
	}
	var ready struct{ URL string }
	if err := json.NewDecoder(output).Decode(&ready); err != nil {
		panic(err)
	}
	control = ready.URL + "/__understudy"
	code := m.Run()
	input.Close()
	server.Wait()
	os.Exit(code)
}

type Sandbox struct{ ID, APIKey, BaseURL string }

func newSandbox(t *testing.T) Sandbox {
	var created struct{ Data Sandbox }
	response := post(t, control+"/sandboxes", "", struct{}{})
	defer response.Body.Close()
	json.NewDecoder(response.Body).Decode(&created)
	return created.Data
}

func post(t *testing.T, url, key string, body any) *http.Response {
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest("POST", url, bytes.NewReader(text))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func TestOverload(t *testing.T) {
	t.Parallel()
	sandbox := newSandbox(t)
	fault := map[string]any{"name": "status", "status": 529}
	rule := map[string]any{"on": "createResponse", "times": 1, "fault": fault}
	post(t, control+"/sandboxes/"+sandbox.ID+"/scenarios", "", rule)

	question := map[string]any{"model": "aurora/dawn-2", "input": "Why tides?"}
	for _, want := range []int{529, 200} {
		got := post(t, sandbox.BaseURL+"/responses", sandbox.APIKey, question).StatusCode
		if got != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
}
