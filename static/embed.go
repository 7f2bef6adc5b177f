// Package static is the stylesheet, the scripts and the pictures of the pages, inside the program.
//
// Their addresses carry the hash of all files together, so that a browser may keep them for ever and a new build is a new address. One hash
// for all lets a module import its neighbours, and the stylesheet name its pictures, by plain relative names.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
)

//go:embed *.css *.js *.svg
var files embed.FS

// FS is the files.
func FS() fs.FS { return files }

// Content is the text of a file; empty: there is none of the name.
func Content(name string) string {
	content, _ := files.ReadFile(name) // inside the program, so that it errs on another name alone
	return string(content)
}

// Prefix is where the files are served.
const Prefix = "/static/"

var build = hashOf(files)

// Build names this set of files: 16 hexadecimal digits.
func Build() string { return build }

// URL is the address of a file.
func URL(name string) string { return Prefix + build + "/" + name }

// hashOf is made from every name and content; the files are inside the program, so reading can't fail.
func hashOf(files embed.FS) string {
	hash := sha256.New()
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, entry := range entries {
		content, err := files.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		hash.Write([]byte(entry.Name() + "\x00"))
		hash.Write(sum[:])
	}
	return hex.EncodeToString(hash.Sum(nil))[:16]
}
