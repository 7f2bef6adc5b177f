// Package openai is the runner that asks a language model over the chat completions protocol of OpenAI, which vLLM, Ollama, llama.cpp and
// many vendors speak.
//
// A query is one streaming request: the system prompt if there is one, then the query as the user's message. The pieces of the answer are
// passed on as they come. The request is cancelled at once when the run is, by closing its connection, upon which such servers stop
// generating.
//
// What holds an answer:
//
//   - No retries: a model that is asked again works again, while the slot is held. A server that says 429 or 503, or can't be connected to,
//     is not available, and its Retry-After is kept for the one who asked.
//   - No redirects, no proxies, and no connection to link-local and metadata addresses, whatever a name resolves to at the time. Loopback
//     and private addresses are allowed: that is where models live.
//   - Caps on the text, on what is received for it, on one event, on a refusal's body, on silence and on the whole time.
//   - An answer is whole when the model gave a reason to finish, or the stream its [DONE]. One that just ends has failed; the text that
//     came stays.
//
// The key is sent to the server alone; it is in no error and no log. Variables like OPENAI_API_KEY are not read.
package openai
