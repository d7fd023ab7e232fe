"""The routes, one file a noun; a route opens its own transactions and hands the sessions down."""
