java -jar object-store-bench.jar --implementation=gcs --bucket=mine --gcp-auth --gcp-project-id=p-1 --gcp-oauth-token=ya29.x \
  --gcp-grpc=false --gcp-other=1 --script 'PUT 10 OBJECTS; GET 10 OBJECTS'
