"""The JSON objects of the benchmarks as last saved, and the page that is generated from them."""
