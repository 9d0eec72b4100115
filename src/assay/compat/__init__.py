"""Drop-in shells for tools people come from. Nothing in assay imports them."""
