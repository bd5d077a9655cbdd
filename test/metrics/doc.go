// Package metrics tests what warp tells collectors of metrics, with the code of Prometheus itself: scraper, database and query engine.
package metrics
