java -jar object-store-bench.jar --implementation=adls --base-uri=https://account.dfs.core.windows.net \
  --adls-file-system-name=files --adls-shared-key-account-name=account --adls-shared-key-account-key=a2V5 \
  --adls-write-block-size=4194304 --adls-write-max-concurrency 4 --gcp-project-id=p --script 'PUT 10 OBJECTS OF SIZE 8 MB; GET 10 OBJECTS'
