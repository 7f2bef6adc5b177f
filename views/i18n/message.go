package i18n

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/feature/plural"
)

// message is one text with places for values, or one a plural form.
type message struct {
	text  string
	forms map[string]string // by the names of CLDR; nil: the text doesn't hang on a number
}

// UnmarshalJSON reads a text or an object of plural forms.
func (m *message) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		return json.Unmarshal(b, &m.forms)
	}
	return json.Unmarshal(b, &m.text)
}

// MarshalJSON writes what UnmarshalJSON reads.
func (m message) MarshalJSON() ([]byte, error) {
	if m.forms != nil {
		return json.Marshal(m.forms)
	}
	return json.Marshal(m.text)
}

// Message is something to say, before it is known in which language.
type Message struct {
	key      string
	values   []any
	verbatim string
}

// Msg is the message of a key, with the values that Say takes.
func Msg(key string, values ...any) Message { return Message{key: key, values: values} }

// Verbatim is somebody's own words, the same in every language.
func Verbatim(text string) Message { return Message{verbatim: text} }

// IsZero tells whether there is nothing to say.
func (m Message) IsZero() bool { return m.key == "" && m.verbatim == "" }

// savedMessage is a Message that is no verbatim text, as it is written down. What is to be written down has no other values than these.
type savedMessage struct {
	Key   string                   `json:"say"`
	Times map[string]time.Duration `json:"times,omitempty"`
	Sizes map[string]Bytes         `json:"sizes,omitempty"`
}

// MarshalJSON writes a verbatim text as such.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.key == "" {
		return json.Marshal(m.verbatim)
	}
	saved := savedMessage{Key: m.key, Times: map[string]time.Duration{}, Sizes: map[string]Bytes{}}
	for i := 0; i+1 < len(m.values); i += 2 {
		name, _ := m.values[i].(string)
		switch v := m.values[i+1].(type) {
		case time.Duration:
			saved.Times[name] = v
		case Bytes:
			saved.Sizes[name] = v
		default:
			return nil, fmt.Errorf("message %s: its value %s is not one that is written down", m.key, name)
		}
	}
	return json.Marshal(saved)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Message) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		return json.Unmarshal(b, &m.verbatim)
	}
	var saved savedMessage
	if err := json.Unmarshal(b, &saved); err != nil {
		return err
	}
	m.key = saved.Key
	for name, v := range saved.Times {
		m.values = append(m.values, name, v)
	}
	for name, v := range saved.Sizes {
		m.values = append(m.values, name, v)
	}
	return nil
}

// Tell says a message.
func (l *Language) Tell(m Message) string {
	if m.key == "" {
		return m.verbatim
	}
	return l.Say(m.key, m.values...)
}

// Say is the message of a key, which a test knows to be in every catalogue. The values follow as pairs of a name and an int, an int64, a
// time.Duration, Bytes, a string or a Message.
func (l *Language) Say(key string, values ...any) string {
	m, ok := l.messages[key]
	if !ok {
		return key
	}
	text := m.text
	if m.forms != nil {
		text = m.forms[l.form(values)]
		if text == "" {
			text = m.forms["other"]
		}
	}
	return l.fill(text, values)
}

// fill puts the values into their places.
func (l *Language) fill(text string, values []any) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var filled strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		filled.WriteString(before)
		if !ok {
			return filled.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		if value := valueOf(name, values); value != nil {
			filled.WriteString(l.write(value))
		} else {
			filled.WriteString("{" + name + "}")
		}
		text = after
	}
}

// write is a value in words.
func (l *Language) write(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int:
		return l.Count(int64(v))
	case int64:
		return l.Count(v)
	case tenths:
		return l.tenths(v)
	case time.Duration:
		return l.Duration(v)
	case Bytes:
		return l.Size(int64(v))
	case Message:
		return l.Tell(v)
	}
	panic("i18n: a value that is neither a number, a length of time, a text nor a message")
}

func valueOf(name string, values []any) any {
	for i := 0; i+1 < len(values); i += 2 {
		if values[i] == name {
			return values[i+1]
		}
	}
	return nil
}

// form names the plural form of the value n.
func (l *Language) form(values []any) string {
	switch n := valueOf("n", values).(type) {
	case int:
		return formNames[plural.Cardinal.MatchPlural(l.tag, n%pluralModulus, 0, 0, 0, 0)]
	case int64:
		return formNames[plural.Cardinal.MatchPlural(l.tag, int(n%pluralModulus), 0, 0, 0, 0)]
	case tenths:
		return formNames[plural.Cardinal.MatchPlural(l.tag, int(n/10), 1, 1, int(n%10), int(n%10))]
	}
	return "other"
}

// pluralModulus bounds what the rules are asked for, as they ask for; nothing is counted that high.
const pluralModulus = 10_000_000

var formNames = map[plural.Form]string{
	plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: "other",
}

// Keys are the keys of the catalogue, in order.
func (l *Language) Keys() []string { return slices.Sorted(maps.Keys(l.messages)) }

// Forms are the texts of a message by their plural forms; of one that doesn't hang on a number it is the form "".
func (l *Language) Forms(key string) map[string]string {
	m := l.messages[key]
	if m.forms != nil {
		return m.forms
	}
	return map[string]string{"": m.text}
}

// Extract is what a script needs to say the messages of some keys as Say does.
type Extract struct {
	Locale   string             `json:"locale"`
	Number   numberFormat       `json:"number"`
	Messages map[string]message `json:"messages"`
}

// Extract copies the messages of some keys.
func (l *Language) Extract(keys []string) Extract {
	some := make(map[string]message, len(keys))
	for _, key := range keys {
		some[key] = l.messages[key]
	}
	return Extract{Locale: l.Code, Number: l.number, Messages: some}
}
