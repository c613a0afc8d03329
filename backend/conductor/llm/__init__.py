"""Model providers: one way to speak to all of them."""
