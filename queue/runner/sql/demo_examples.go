package sql

import "confluence/queue/runner"

const demoTitle = "Ask the library’s report database"

// demoExamples are what the form offers for the demo library. The last one is slow by honest work, so that the line can be felt; its rows
// come one after the other.
var demoExamples = []runner.Example{
	{Title: "Loans per branch this year", Text: `SELECT branch, count(*) AS loans,
       round(avg(days_out), 1) AS avg_days
FROM loans JOIN branches USING (branch_id)
WHERE borrowed >= '2026-01-01'
GROUP BY branch
ORDER BY loans DESC`},
	{Title: "Books that were never borrowed", Text: `SELECT title, author, published
FROM titles
WHERE NOT EXISTS (
  SELECT 1 FROM copies JOIN loans USING (copy_id)
  WHERE copies.title_id = titles.title_id)
ORDER BY title`},
	{Title: "Full text: notes that mention “water damage”", Text: `SELECT written, title, notes.note
FROM notes_text
JOIN notes ON notes.note_id = notes_text.rowid
JOIN copies USING (copy_id)
JOIN titles USING (title_id)
WHERE notes_text MATCH '"water damage"'
ORDER BY rank`},
	{Title: "Pairs of members who may have met, by month (slow)", Text: `WITH RECURSIVE months (month) AS (
  SELECT '2023-01'
  UNION ALL
  SELECT strftime('%Y-%m', month || '-01', '+1 month') FROM months WHERE month < '2026-11')
SELECT month, (
  SELECT count(*)
  FROM loans AS one JOIN loans AS other
    ON other.branch_id = one.branch_id AND other.borrowed = one.borrowed AND other.member_id > one.member_id
  WHERE one.borrowed BETWEEN month || '-01' AND month || '-31') AS pairs
FROM months`},
}
