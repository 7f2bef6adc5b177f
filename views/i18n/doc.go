// Package i18n is what Confluence says, in every language that it speaks: one catalogue a language, en.json, de.json and so on.
//
// # How one adds a message
//
// Write it into en.json and into every other catalogue, under one key, and say it by that key, always as a literal:
//
//	l := i18n.From(ctx)
//	l.Say("wait.joined", "place", 12)        // "joined at place {place}"
//	say("wait.joined", { place: 12 })        // in a script: the same, from the page's copy of the messages
//
// {name} stands for a value: a number is written as the language writes numbers, a time.Duration in words, a string as it is. What is no
// number but an identity goes in as a string: ticket numbers stand in Latin digits in every language, as on the wall and on paper. A name
// that no value was given for stays, so that a template can put an element there (views.Around).
//
// A message whose words hang on a number has an object of plural forms in place of a text, chosen by the value {n}:
//
//	"people": {"one": "{n} person", "other": "{n} people"}
//
// The names are those of CLDR (zero, one, two, few, many, other); each catalogue has the forms that its language needs, English one and
// other, Russian one, few and many, Arabic six. A form may leave {n} out.
//
// Headlines of waits begin with a word that may become small inside a sentence ("About 3 minutes"), so never with a German noun.
// Lengths of time stand in the case that follows "for" and "after"; in Russian that is the accusative, in Arabic the oblique case.
//
// Tests find a key that is missing, unused, or without one of its plural forms or values, in any catalogue, and a word in a template or a
// script that is in none.
package i18n
