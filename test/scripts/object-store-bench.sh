java -jar tools/object-store-bench/build/quarkus-app/quarkus-run.jar \
  --s3-access-key=minioadmin \
  --s3-secret-key=minioadmin \
  --base-uri=http://127.0.0.1:9000/ \
  --script='
// Create 10 objects of size 2 KB, but no more than 5 concurrent PUT operations
PUT
  10 OBJECTS
  MAX 5 CONCURRENT
  OF SIZE 2 KB;

// Run GET operations across 5 of the previously created objects at the rate of
// 50 operations per second, runs for 1 second.
GET
  5 OBJECTS
  AT RATE 50 PER SECOND
  RUNTIME 1 SECOND;

// Delete all remaining objects
DELETE;
'
