"""The JSON API: the records of its addresses, what they answer, and the routes made of them."""
