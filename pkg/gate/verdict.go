package gate

// Verdict is the verdict of a result on a rule.
type Verdict string

// The verdicts.
const (
	Held    Verdict = "held"    // the result keeps the rule
	Broken  Verdict = "broken"  // the result violates it
	Unknown Verdict = "unknown" // what the rule is about was not measured, or too rarely
)

// verdictOf returns the verdict of a figure that is known.
func verdictOf(violated bool) Verdict {
	if violated {
		return Broken
	}
	return Held
}
