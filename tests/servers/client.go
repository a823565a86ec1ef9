// Client of Go for tests/system/real_servers: asks a URL three times.  Writes what came, or why nothing did.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

func ask(url string) (json.RawMessage, error) {
	response, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return json.RawMessage(body), err
}

func main() {
	answers := []json.RawMessage{}
	begun := time.Now()
	for i := 0; i < 3; i++ {
		answer, err := ask(os.Args[1])
		if err != nil {
			said, _ := json.Marshal(map[string]any{"error": err.Error(), "ms": time.Since(begun).Milliseconds()})
			fmt.Println(string(said))
			return
		}
		answers = append(answers, answer)
	}
	said, _ := json.Marshal(map[string]any{"answers": answers})
	fmt.Println(string(said))
}
