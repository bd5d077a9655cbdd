package report

import "reflect"

// Written are the types that JSON is written from.
var Written = map[string]reflect.Type{
	"report": reflect.TypeFor[documentJSON](), "comparison": reflect.TypeFor[comparisonJSON](),
	"doctor": reflect.TypeFor[doctorJSON](), "trace": reflect.TypeFor[traceJSON](), "series": reflect.TypeFor[seriesRow](),
}
