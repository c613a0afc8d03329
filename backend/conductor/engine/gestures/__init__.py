"""Short gestures that can tell two configs apart, and playing all of them."""
