package sql

import (
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// authorizer decides, while a statement is prepared, on each thing that it would do. It remembers the first that it refused, since SQLite
// only says "not authorized".
type authorizer struct {
	refusal string
}

const onlyReading = "Only reading is possible here: SELECT, VALUES, WITH and EXPLAIN."

// allowedPragmas only tell of the schema; FTS5 itself asks for data_version. Those with a setting to change are not among them.
var allowedPragmas = set(`data_version foreign_key_list index_info index_list index_xinfo table_info table_list table_xinfo`)

// allowedSystemTables are those of SQLite's own tables that a query may read: they tell the schema, in place of PRAGMAs.
var allowedSystemTables = set(`sqlite_schema sqlite_master sqlite_sequence`)

// allowedFunctions are SQLite's own without those that tell of the program or the connection, or write to its log.
var allowedFunctions = set(`
	-> ->> abs acos acosh asin asinh atan atan2 atanh avg base64 bm25 ceil ceiling char coalesce concat concat_ws cos cosh count cume_dist
	current_date current_time current_timestamp date datetime decimal decimal_add decimal_cmp decimal_exp decimal_mul decimal_pow2
	decimal_sub decimal_sum degrees dense_rank exp first_value floor format fts5_get_locale fts5_insttoken fts5_locale glob group_concat
	hex highlight ieee754 ieee754_exponent ieee754_from_blob ieee754_from_int ieee754_inc ieee754_mantissa ieee754_to_blob
	ieee754_to_int if ifnull iif instr json json_array json_array_insert json_array_length json_error_position json_extract
	json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set
	json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert
	jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday lag last_value lead length like likelihood likely ln log
	log10 log2 lower ltrim match max median min mod nth_value ntile nullif octet_length percent_rank percentile percentile_cont
	percentile_disc pi pow power printf quote radians random randomblob rank regexp regexpi replace round row_number rtrim sign sin sinh
	snippet soundex sqlite_version sqrt strftime string_agg substr substring sum tan tanh time timediff total trim trunc typeof unhex
	unicode unistr unistr_quote unixepoch unlikely upper zeroblob`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}

func (a *authorizer) authorize(action sqlite3.AuthorizerActionCode, name3rd, name4th, _, _ string) sqlite3.AuthorizerReturnCode {
	switch action {
	case sqlite3.AUTH_SELECT, sqlite3.AUTH_RECURSIVE:
		return sqlite3.AUTH_OK
	case sqlite3.AUTH_READ:
		name := strings.ToLower(name3rd)
		pragma, isPragma := strings.CutPrefix(name, "pragma_")
		switch {
		case isPragma && !allowedPragmas[pragma], strings.HasPrefix(name, "sqlite_") && !allowedSystemTables[name]:
			return a.refuse("The table %s can't be read here.", name3rd)
		}
		return sqlite3.AUTH_OK
	case sqlite3.AUTH_FUNCTION:
		if !allowedFunctions[strings.ToLower(name4th)] {
			return a.refuse("The function %s can't be used here.", name4th)
		}
		return sqlite3.AUTH_OK
	case sqlite3.AUTH_PRAGMA:
		if !allowedPragmas[strings.ToLower(name3rd)] {
			return a.refuse("PRAGMA %s can't be used here.", name3rd)
		}
		return sqlite3.AUTH_OK
	case sqlite3.AUTH_ATTACH, sqlite3.AUTH_DETACH:
		return a.refuse("Only this one database can be read here, no other file.")
	case sqlite3.AUTH_TRANSACTION, sqlite3.AUTH_SAVEPOINT:
		return a.refuse("Transactions can't be used here. A single query always sees one state of the database.")
	}
	return a.refuse(onlyReading)
}

func (a *authorizer) refuse(format string, args ...any) sqlite3.AuthorizerReturnCode {
	if a.refusal == "" {
		a.refusal = fmt.Sprintf(format, args...)
	}
	return sqlite3.AUTH_DENY
}
